import type { Project } from "@agent-arena/core/domain/Project"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { CommandError } from "../process/Failure.ts"
import { quoted } from "./shellWord.ts"
import { shownPath } from "./shownPath.ts"

/** Opens the store of a project for reading only; a project that never ran has none, and none is made. */
export const openStore = Effect.fnUntraced(function* (project: Project) {
  const fs = yield* FileSystem.FileSystem
  const { output, root } = project
  const { db } = output
  if (!(yield* Effect.orElseSucceed(fs.exists(db), () => false))) {
    return yield* new CommandError({
      kind: "not_found",
      message: `${project.name} has no runs yet (${db} does not exist)`,
      suggestion: `run it first with: arena run ${quoted(shownPath(root))}`
    })
  }
  yield* ResultStore.takeInSideFiles(db)
  return Context.get(yield* Layer.build(ResultStore.layerReadOnly(db)), ResultStore)
})
