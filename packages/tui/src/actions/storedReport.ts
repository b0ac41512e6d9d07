import type { RunRecord } from "@agent-arena/core/domain/Run"
import type { RunReport } from "@agent-arena/core/domain/RunReport"
import type { ResultStore } from "@agent-arena/core/store/ResultStore"
import * as Effect from "effect/Effect"
import { CommandError } from "../process/Failure.ts"

/** A run as it was reported when it ended, from the store alone. */
export const storedReport = Effect.fnUntraced(function* (store: ResultStore["Service"], run: RunRecord) {
  const header = yield* store.header(run.runId)
  const leaderboard = yield* store.leaderboard(run.runId)
  if (header === null || leaderboard === null) {
    return yield* new CommandError({
      kind: "not_found",
      message: `${run.runId} has no leaderboard: it is ${run.status}`,
      suggestion: "arena runs shows how far it came"
    })
  }
  const report: RunReport = { run, leaderboard, ...header, problems: [] }
  return report
})
