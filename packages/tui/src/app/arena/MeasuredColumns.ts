/** Reads outcomes off the compact columns that the engine ranks from. */
import type { RankingRules } from "@agent-arena/core/domain/Project"
import { type ContestantColumns, Kind, Passed } from "@agent-arena/core/ranking/ContestantColumns"
import type { Measurements } from "@agent-arena/core/ranking/Measurements"
import {
  type CellState,
  Fail,
  Failed,
  Interrupted,
  Partial,
  Pass,
  Queued,
  TimedOut,
  Unscored
} from "../run/CellState.ts"
import type { TakeOutcome } from "../run/RunSource.ts"

/** `Queued` while the cell has no outcome. */
const stateAt = (columns: ContestantColumns, slot: number): CellState => {
  switch (columns.kind[slot]) {
    case Kind.ok: {
      const score = columns.score[slot] ?? Number.NaN
      if (columns.passed[slot] === Passed.yes) return Pass
      if (Number.isNaN(score) && columns.passed[slot] !== Passed.no) return Unscored
      return score > 0 ? Partial : Fail
    }
    case Kind.error:
      return Failed
    case Kind.timeout:
      return TimedOut
    case Kind.interrupted:
      return Interrupted
    default:
      return Queued
  }
}

/**
 * A reader that hands out what is measured. It remembers up to where each contestant's cells were all handed out, so
 * that reading again costs what is new and not what there is.
 */
export const makeColumnReader = (rules: RankingRules, measurements: Measurements): ((take: TakeOutcome) => void) => {
  const { contestants, trials } = rules
  const slots = rules.cases.length * trials
  const done = new Int32Array(contestants.length)

  const readContestant = (contestant: number, columns: ContestantColumns, take: TakeOutcome): void => {
    let whole = true
    const { score, latencyMs, costUsd, promptTokens, completionTokens } = columns
    for (let slot = done[contestant] ?? 0; slot < slots; slot++) {
      const state = stateAt(columns, slot)
      if (state === Queued) {
        whole = false
        continue
      }
      if (whole) done[contestant] = slot + 1
      take(
        contestant,
        Math.floor(slot / trials),
        (slot % trials) + 1,
        state,
        score[slot] ?? Number.NaN,
        latencyMs[slot] ?? Number.NaN,
        costUsd[slot] ?? Number.NaN,
        promptTokens[slot] ?? Number.NaN,
        completionTokens[slot] ?? Number.NaN
      )
    }
  }
  return (take) => {
    contestants.forEach(({ key }, contestant) => {
      const columns = measurements.columns(key)
      if (columns !== null) readContestant(contestant, columns, take)
    })
  }
}
