import type { CallResult } from "../domain/CallResult.ts"

/**
 * Every cent of a cell that is known, USD: its answer, failed attempts that were counted, and the calls of a judge.
 * An answer from the cache or a recording costs nothing now. Null when nothing is known.
 */
export const knownSpend = (result: CallResult): number | null => {
  if (result.answeredFrom !== undefined) return null
  let total = 0
  let known = false
  const add = (usd: number | null | undefined): void => {
    if (usd === null || usd === undefined) return
    total += usd
    known = true
  }
  add(result.costUsd)
  for (const { costUsd } of result.attempts) add(costUsd)
  for (const { costUsd } of result.scoringSteps ?? []) add(costUsd)
  return known ? total : null
}
