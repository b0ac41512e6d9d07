import type { RankingRules } from "@agent-arena/core/domain/Project"
import type { RunRecord } from "@agent-arena/core/domain/Run"
import type { RunReport } from "@agent-arena/core/domain/RunReport"
import { rank } from "@agent-arena/core/ranking/Leaderboard"
import * as Measurements from "@agent-arena/core/ranking/Measurements"
import type { ResultStore } from "@agent-arena/core/store/ResultStore"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { CommandError } from "../process/Failure.ts"

/** The leaderboard of a run that has written none, because it goes on or its process died: from its results. */
const rankResults = Effect.fnUntraced(function* (store: ResultStore["Service"], run: RunRecord, rules: RankingRules) {
  const measurements = Measurements.make(rules)
  yield* Stream.runForEachArray(store.results(run.runId), (results) =>
    Effect.sync(() => results.forEach(measurements.add))
  )
  return rank(rules, measurements, { complete: run.status === "completed" })
})

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
  const leaderboard = stored ?? (yield* rankResults(store, run, header.rules))
  const report: RunReport = { run, leaderboard, ...header, problems: [] }
  return report
})
