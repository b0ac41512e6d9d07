import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { RunId } from "../domain/Ids.ts"
import type { RankingRules } from "../domain/Project.ts"
import type { RunRecord } from "../domain/Run.ts"
import { rank } from "../ranking/Leaderboard.ts"
import * as Measurements from "../ranking/Measurements.ts"
import type { ResultStore } from "../store/ResultStore.ts"

type Store = Pick<ResultStore["Service"], "results">

/** What the store holds of a run, as ranking reads it. */
export const measureStored = Effect.fnUntraced(function* (store: Store, id: RunId, rules: RankingRules) {
  const measurements = Measurements.make(rules)
  yield* Stream.runForEachArray(store.results(id), (results) => Effect.sync(() => results.forEach(measurements.add)))
  return measurements
})

/** The leaderboard of a run by its stored results as they are now; `extraNotes` = what the run itself has to say. */
export const rankStored = (
  store: Store,
  { runId, status }: RunRecord,
  rules: RankingRules,
  extraNotes: ReadonlyArray<string> = []
) =>
  Effect.map(measureStored(store, runId, rules), (measurements) =>
    rank(rules, measurements, { complete: status === "completed", extraNotes })
  )
