import type { RunRecord } from "@agent-arena/core/domain/Run"
import type { RunReport } from "@agent-arena/core/domain/RunReport"
import { rankStored } from "@agent-arena/core/engine/RankStored"
import type { ResultStore } from "@agent-arena/core/store/ResultStore"
import * as Effect from "effect/Effect"
import { CommandError } from "../process/Failure.ts"

/** A run as it was reported when it ended, from the store alone. */
export const storedReport = Effect.fnUntraced(function* (store: ResultStore["Service"], run: RunRecord) {
  const header = yield* store.header(run.runId)
  if (header === null) {
    return yield* new CommandError({
      kind: "not_found",
      message: `the store has nothing of ${run.runId} but its name`,
      suggestion: "arena runs shows how far it came"
    })
  }
  const stored = yield* store.leaderboard(run.runId)
  // A run that goes on, or whose process died, has written none.
  const leaderboard = stored ?? (yield* rankStored(store, run, header.rules))
  const report: RunReport = { run, leaderboard, ...header, problems: [] }
  return report
})
