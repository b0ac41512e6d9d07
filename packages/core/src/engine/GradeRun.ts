/** Ranks a run anew after a person has graded answers of it. */
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { RunId } from "../domain/Ids.ts"
import type { Leaderboard } from "../domain/Leaderboard.ts"
import type { RankingRules } from "../domain/Project.ts"
import type { RunRecord } from "../domain/Run.ts"
import { rank } from "../ranking/Leaderboard.ts"
import * as Measurements from "../ranking/Measurements.ts"
import { isWaiting } from "../scoring/ManualGrades.ts"
import { appendRows, leaderboardRows } from "../store/LeaderboardLog.ts"
import type { ResultStore } from "../store/ResultStore.ts"
import type { RunShelf } from "../store/RunShelf.ts"
import { refuse } from "../store/StoreFailure.ts"

/** Where the run is. */
export interface GradedStores {
  readonly store: ResultStore["Service"]
  readonly shelf: RunShelf["Service"]
}

const rankAnew = Effect.fnUntraced(function* (
  store: ResultStore["Service"],
  run: RunRecord,
  rules: RankingRules,
  extraNotes: ReadonlyArray<string>
) {
  const measurements = Measurements.make(rules)
  yield* Stream.runForEachArray(store.results(run.runId), (results) =>
    Effect.sync(() => results.forEach(measurements.add))
  )
  return rank(rules, measurements, { complete: run.status === "completed", extraNotes })
})

const rulesOf = Effect.fnUntraced(function* (store: ResultStore["Service"], id: RunId) {
  const header = yield* store.header(id)
  return header === null
    ? yield* refuse("grade", store.path, "not_found", `the store has nothing of ${id} but its name`)
    : header.rules
})

const sameEntries = (one: Leaderboard, other: Leaderboard): boolean =>
  JSON.stringify(one.entries) === JSON.stringify(other.entries)

/**
 * What the run itself has to say on its leaderboard, beyond what follows from the results. To be asked before grades are
 * written; a board that does not follow from the results is no source of notes.
 */
export const ownNotes = Effect.fnUntraced(function* ({ store }: GradedStores, run: RunRecord) {
  const stored = yield* store.leaderboard(run.runId)
  if (stored === null) return []
  const ranked = yield* rankAnew(store, run, yield* rulesOf(store, run.runId), [])
  if (!sameEntries(stored, ranked)) return []
  const derived = new Set(ranked.notes)
  return stored.notes.filter((note) => !derived.has(note))
})

/** Ranks the run by its results as they are now, writes that down, and appends it to the log beside the database. */
export const rankGraded = Effect.fnUntraced(function* (
  { shelf, store }: GradedStores,
  run: RunRecord,
  notes: ReadonlyArray<string>
) {
  const leaderboard = yield* rankAnew(store, run, yield* rulesOf(store, run.runId), notes)
  yield* shelf.rerank(run.runId, leaderboard)
  const { verdict } = leaderboard
  const graded: RunRecord = { ...run, winner: verdict._tag === "Winner" ? verdict.winner : null }
  yield* appendRows(join(dirname(store.path), "leaderboard.jsonl"), leaderboardRows(graded, leaderboard))
  return { run: graded, leaderboard }
})

/** How many answers of a run wait for a person's grade. */
export const countWaiting = (store: ResultStore["Service"], id: RunId) =>
  Stream.runFold(
    store.results(id),
    () => 0,
    (count, result) => (isWaiting(result) ? count + 1 : count)
  )
