import { reasonOf } from "@agent-arena/core/project/source/ProjectFiles"
import { plural } from "@agent-arena/core/report/Figures"
import { sanitiseLine } from "@agent-arena/core/report/Sanitise"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ImportInput } from "../commands/importRun.ts"
import { CommandError } from "../process/Failure.ts"
import { Output } from "../process/Output.ts"
import { engine } from "./engine.ts"
import { makeStores } from "./projectStores.ts"
import { loadProject } from "./projects.ts"
import { tell } from "./theRun.ts"

/** `arena import`. */
export const importExported = (input: ImportInput) =>
  Effect.gen(function* () {
    const { stderr } = yield* Output
    const fs = yield* FileSystem.FileSystem
    const project = yield* loadProject({ ...input, project: Option.none(), projectFlag: input.project })
    const lines = fs.stream(input.file).pipe(Stream.decodeText, Stream.splitLines)
    const { shelf } = yield* makeStores(project)
    const run = yield* shelf.importRun(lines, input.file)
    if (run.project !== project.name) {
      const text = `it is a run of ${run.project}: commands on ${project.name} do not see it, only those on a project of that name with this database`
      yield* stderr.write(`${stderr.style.warn("!")} ${sanitiseLine(text)}\n`)
    }
    yield* tell(input.json, `imported ${run.runId} (${plural(run.counts.finished, "result")})`, {
      action: "imported",
      run_id: run.runId,
      project: run.project,
      results: run.counts.finished
    })
  }).pipe(
    Effect.catchTag("PlatformError", (error) =>
      Effect.fail(
        new CommandError({
          kind: "file",
          message: `${input.file} cannot be read: ${reasonOf(error.cause)}`,
          suggestion: "arena export --format run --out FILE writes one"
        })
      )
    ),
    Effect.scoped,
    Effect.provide(engine)
  )
