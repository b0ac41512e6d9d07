/** Ranks a run anew after a person has graded answers of it. */
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { CallResult } from "../domain/CallResult.ts"
import type { RunId } from "../domain/Ids.ts"
import type { Leaderboard } from "../domain/Leaderboard.ts"
import type { RunRecord } from "../domain/Run.ts"
import { type Grade, gradeOf, isWaiting, withGrade } from "../scoring/ManualGrades.ts"
import * as LeaderboardLog from "../store/LeaderboardLog.ts"
import type { NewScore } from "../store/Regrade.ts"
import type { ResultStore } from "../store/ResultStore.ts"
import type { RunShelf } from "../store/RunShelf.ts"
import { refuse } from "../store/StoreFailure.ts"
import { rankStored } from "./RankStored.ts"

/** Where the run is. */
export interface GradedStores {
  readonly store: ResultStore["Service"]
  readonly shelf: RunShelf["Service"]
}

const rulesOf = Effect.fnUntraced(function* (store: ResultStore["Service"], id: RunId) {
  const header = yield* store.header(id)
  return header === null
    ? yield* refuse("grade", store.path, "not_found", `the store has nothing of ${id} but its name`)
    : header.rules
})

const sameEntries = (one: Leaderboard, other: Leaderboard): boolean =>
  JSON.stringify(one.entries) === JSON.stringify(other.entries)

/** How the stored leaderboard of a run stands to its results. */
export interface StoredBoard {
  /** Whether it follows from the results; not after grading was killed before its end. */
  readonly isCurrent: boolean
  /** What the run itself has to say on it, beyond what follows from the results. Empty when it is not current. */
  readonly notes: ReadonlyArray<string>
}

/** Holds the stored leaderboard against the results; to be asked before grades are written. */
export const storedBoard = Effect.fnUntraced(function* ({ store }: GradedStores, run: RunRecord) {
  const stored = yield* store.leaderboard(run.runId)
  if (stored === null) return { isCurrent: false, notes: [] } satisfies StoredBoard
  const ranked = yield* rankStored(store, run, yield* rulesOf(store, run.runId))
  if (!sameEntries(stored, ranked)) return { isCurrent: false, notes: [] } satisfies StoredBoard
  const derived = new Set(ranked.notes)
  const board: StoredBoard = { isCurrent: true, notes: stored.notes.filter((note) => !derived.has(note)) }
  return board
})

const nameOf = ({ caseId, contestant, output, trial }: CallResult): string =>
  createHash("sha256")
    .update(JSON.stringify([contestant, caseId, trial, output]))
    .digest("base64")

/**
 * Gives answers that were asked for again the grade of the answer before, where they say the same. Returns how many.
 */
export const restoreGrades = Effect.fnUntraced(function* ({ shelf, store }: GradedStores, id: RunId) {
  const earlier = new Map<string, Grade>()
  const remember = (result: CallResult): void => {
    const grade = gradeOf(result)
    if (grade !== null) earlier.set(nameOf(result), grade)
  }
  yield* Stream.runForEachArray(shelf.superseded(id), (results) => Effect.sync(() => results.forEach(remember)))
  if (earlier.size === 0) return 0
  const scores: Array<NewScore> = []
  const restore = (before: CallResult): void => {
    const grade = isWaiting(before) ? earlier.get(nameOf(before)) : undefined
    if (grade !== undefined) scores.push({ before, after: withGrade(before, grade), keep: false })
  }
  yield* Stream.runForEachArray(store.results(id), (results) => Effect.sync(() => results.forEach(restore)))
  if (scores.length > 0) yield* shelf.regrade(id, scores)
  return scores.length
})

/**
 * Ranks the run by its results as they are now, writes that down, and appends it to the log beside the database. Looks
 * again after writing: what another person has graded meanwhile is in it, whoever writes last.
 */
export const rankGraded = Effect.fnUntraced(function* (
  { shelf, store }: GradedStores,
  run: RunRecord,
  notes: ReadonlyArray<string>
) {
  const ranked = Effect.flatMap(rulesOf(store, run.runId), (rules) => rankStored(store, run, rules, notes))
  let leaderboard = yield* ranked
  for (let isCurrent = false; !isCurrent; ) {
    yield* shelf.rerank(run.runId, leaderboard)
    const now = yield* ranked
    isCurrent = sameEntries(leaderboard, now)
    leaderboard = now
  }
  const { verdict } = leaderboard
  const graded: RunRecord = { ...run, winner: verdict._tag === "Winner" ? verdict.winner : null }
  yield* LeaderboardLog.append(store.path, graded, leaderboard)
  return { run: graded, leaderboard }
})

/** How many answers of a run wait for a person's grade. */
export const countWaiting = (store: ResultStore["Service"], id: RunId) =>
  Stream.runFold(
    store.results(id),
    () => 0,
    (count, result) => (isWaiting(result) ? count + 1 : count)
  )
