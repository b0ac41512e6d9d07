import * as Effect from "effect/Effect"
import type { ArchiveInput } from "../commands/archive.ts"
import { engine } from "./engine.ts"
import { tell, theRun } from "./theRun.ts"

/** `arena archive`. */
export const archiveRun = (input: ArchiveInput) =>
  Effect.gen(function* () {
    const { command, run, stores } = yield* theRun(input)
    const { shelf } = stores
    yield* input.undo ? shelf.unarchive(run.runId) : shelf.archive(run.runId)
    const text = input.undo
      ? `${run.runId} is listed again`
      : `archived ${run.runId}; it is listed with arena runs --all. Undo: ${command("archive")} --undo`
    yield* tell(input.json, text, { run_id: run.runId, archived: !input.undo })
  }).pipe(Effect.scoped, Effect.provide(engine))
