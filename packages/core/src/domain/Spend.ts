/** What results have cost, counted once each. */
import type { CallResult } from "./CallResult.ts"

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

/** What scoring a stored answer again has cost, USD: the calls of a judge, not the answer. Null when nothing is known. */
export const scoringSpend = (result: CallResult): number | null => {
  const known = (result.scoringSteps ?? []).flatMap(({ costUsd }) => (costUsd === null ? [] : [costUsd]))
  return known.length === 0 ? null : known.reduce((sum, usd) => sum + usd, 0)
}
