/** Reads outcomes off the compact columns that the engine ranks from. */
import type { RankingRules } from "@agent-arena/core/domain/Project"
import { type ContestantColumns, Kind, Passed } from "@agent-arena/core/ranking/ContestantColumns"
import type { Measurements } from "@agent-arena/core/ranking/Measurements"
import { type CellState, Failed, Interrupted, outcomeState, TimedOut } from "../run/CellState.ts"
import type { MeasuredOutcome, RunSource } from "../run/RunSource.ts"

const known = (column: Float64Array, slot: number): number | null => {
  const value = column[slot] ?? Number.NaN
  return Number.isNaN(value) ? null : value
}

/** Null while the cell has no outcome. */
const stateAt = (columns: ContestantColumns, slot: number): CellState | null => {
  switch (columns.kind[slot]) {
    case Kind.ok: {
      const passed = columns.passed[slot]
      return outcomeState({
        status: "ok",
        stopReason: "answered",
        score: known(columns.score, slot),
        passed: passed === Passed.yes ? true : passed === Passed.no ? false : null
      })
    }
    case Kind.error:
      return Failed
    case Kind.timeout:
      return TimedOut
    case Kind.interrupted:
      return Interrupted
    default:
      return null
  }
}

/** Hands out everything that is measured and not known yet. */
export const readColumns = (
  rules: RankingRules,
  measurements: Measurements,
  take: (outcome: MeasuredOutcome) => void,
  isKnown: Parameters<RunSource["readOutcomes"]>[1]
): void => {
  rules.contestants.forEach(({ key }, contestant) => {
    const columns = measurements.columns(key)
    if (columns === null) return
    for (let slot = 0; slot < rules.cases.length * rules.trials; slot++) {
      const state = stateAt(columns, slot)
      if (state === null) continue
      const caseIndex = Math.floor(slot / rules.trials)
      const trial = (slot % rules.trials) + 1
      if (isKnown(contestant, caseIndex, trial)) continue
      take({
        contestant,
        caseIndex,
        trial,
        state,
        score: known(columns.score, slot),
        latencyMs: known(columns.latencyMs, slot),
        costUsd: known(columns.costUsd, slot),
        promptTokens: known(columns.promptTokens, slot),
        completionTokens: known(columns.completionTokens, slot)
      })
    }
  })
}
