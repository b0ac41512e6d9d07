import type { Project } from "@agent-arena/core/domain/Project"
import * as Effect from "effect/Effect"
import type { RestoreInput } from "../commands/restore.ts"
import { CommandError } from "../process/Failure.ts"
import { engine } from "./engine.ts"
import { findRun, type ProjectStores } from "./projectStores.ts"
import { tell, theRun } from "./theRun.ts"

/** `latest` is the run that was removed last. */
const findRemoved = Effect.fnUntraced(function* (stores: ProjectStores, project: Project, wanted: string) {
  if (wanted !== "latest") return yield* findRun(stores, project, wanted)
  const runs = yield* stores.shelf.list({ project: project.name, includeArchived: true, includeDeleted: true })
  const [last] = runs
    .filter(({ deletedAt }) => deletedAt !== null)
    .toSorted((a, b) => (b.deletedAt ?? "").localeCompare(a.deletedAt ?? ""))
  if (last !== undefined) return last.record
  return yield* new CommandError({
    kind: "not_found",
    message: `no run of ${project.name} is removed`,
    suggestion: null
  })
})

/** `arena restore`. */
export const restoreRun = (input: RestoreInput) =>
  Effect.gen(function* () {
    const { run, stores } = yield* theRun(input, findRemoved)
    yield* stores.shelf.restore(run.runId)
    yield* tell(input.json, `restored ${run.runId}`, { action: "restored", run_id: run.runId })
  }).pipe(Effect.scoped, Effect.provide(engine))
