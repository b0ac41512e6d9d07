/** What results have cost, counted once each. */
import type { CallResult } from "./CallResult.ts"
import type { Step } from "./Generation.ts"

const live = (steps: ReadonlyArray<Step>): ReadonlyArray<Step> =>
  steps.filter(({ answeredFrom, inside }) => answeredFrom === undefined && inside !== true)

/** What the answer itself cost now: nothing when it was not asked for; without the inner calls that were not. */
const answerSpend = ({ answeredFrom, costSource, costUsd, steps }: CallResult): ReadonlyArray<number | null> => {
  if (answeredFrom !== undefined) return []
  if (costSource === "provider" || steps.length === 0) return [costUsd]
  const asked = live(steps)
  const own = steps.filter(({ inside }) => inside !== true)
  // One step of unknown cost makes the cost of the cell unknown; what the others cost was paid all the same.
  return costUsd !== null && asked.length === own.length ? [costUsd] : asked.map((step) => step.costUsd)
}

/**
 * Every cent of a cell that was spent now and is known, USD: its answer, failed attempts that were counted, and the
 * calls of a judge. What comes from the cache or a recording costs nothing. Null when nothing is known.
 */
export const knownSpend = (result: CallResult): number | null => {
  const parts = [
    ...answerSpend(result),
    ...result.attempts.map(({ costUsd }) => costUsd ?? null),
    ...live(result.scoringSteps ?? []).map(({ costUsd }) => costUsd)
  ].filter((usd) => usd !== null)
  return parts.length === 0 ? null : parts.reduce((sum, usd) => sum + usd, 0)
}

/** What scoring a stored answer again has cost, USD: the calls of a judge, not the answer. Null when nothing is known. */
export const scoringSpend = (result: CallResult): number | null => {
  const known = live(result.scoringSteps ?? []).flatMap(({ costUsd }) => (costUsd === null ? [] : [costUsd]))
  return known.length === 0 ? null : known.reduce((sum, usd) => sum + usd, 0)
}
