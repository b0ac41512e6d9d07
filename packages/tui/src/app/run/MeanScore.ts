import { baseState, isFinished, Unscored } from "./CellState.ts"
import { cellIndex, type RunModel, stateOf } from "./RunModel.ts"

/**
 * Mean score of a contestant on a case over its trials, 0..1: an error counts as 0, what waits for its grade not at all.
 * NaN while nothing is known.
 */
export const meanScore = (model: RunModel, row: number, column: number): number => {
  const start = cellIndex(model, row, column, 1)
  let sum = 0
  let known = 0
  for (let index = start; index < start + model.trials; index++) {
    const value = model.scores[index] ?? Number.NaN
    const state = stateOf(model, index)
    if (!Number.isNaN(value)) sum += value
    else if (!isFinished(state) || baseState(state) === Unscored) continue
    known += 1
  }
  return known === 0 ? Number.NaN : sum / known
}
