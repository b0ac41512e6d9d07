import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Leaderboard } from "../domain/Leaderboard.ts"
import type { RankingRules } from "../domain/Project.ts"
import type { MeasuredCell } from "./ContestantColumns.ts"
import * as Measurements from "./Measurements.ts"
import { rank } from "./Rank.ts"

export { rank, rankLive } from "./Rank.ts"

/** Whether every contestant that was not skipped has an outcome of its own in every cell. */
export const isComplete = (measurements: Measurements.Measurements): boolean =>
  measurements.rules.contestants.every(({ key, skipped }) => {
    const { errors, ok, planned, timedOut } = measurements.tally(key)
    return skipped !== null || ok + errors + timedOut === planned
  })

/**
 * A leaderboard from any stream of results: a run going on, a store, a file. Memory holds numbers only, never the results
 * themselves. When cells are missing at the end, the board says so and declares no winner.
 */
export const collect =
  (rules: RankingRules) =>
  <E, R>(results: Stream.Stream<MeasuredCell, E, R>): Effect.Effect<Leaderboard, E, R> =>
    Effect.suspend(() => {
      const measurements = Measurements.make(rules)
      const take = (cells: ReadonlyArray<MeasuredCell>) => Effect.sync(() => cells.forEach(measurements.add))
      return Effect.map(Stream.runForEachArray(results, take), () =>
        rank(rules, measurements, { complete: isComplete(measurements) })
      )
    })
