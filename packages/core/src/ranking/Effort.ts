/** How much more data would tell two contestants apart, if the gap stays what it is. */

/** A measured gap of the composite and what it is known to. */
export interface Precision {
  /** 0..1 scale; how far the leader is ahead. */
  readonly gap: number
  /** Square of the gap's standard error. */
  readonly variance: number
  /** The part of it that trials of the same case cause by differing; null = no case was tried twice. */
  readonly trialVariance: number | null
  readonly cases: number
  readonly trials: number
  /** Standard errors that the gap must span. */
  readonly z: number
}

const mostCases = 10_000
const mostTimes = 100
const mostTrials = 100

/**
 * Total number of cases at which the gap would span `z` standard errors: the variance shrinks with the number of cases.
 * Null when there is no gap, or when it would take over a hundred times the cases or over 10,000.
 */
export const casesNeeded = ({ cases, gap, variance, z }: Precision): number | null => {
  if (gap <= 1e-9) return null
  const needed = Math.floor((z * z * variance * cases) / (gap * gap)) + 1
  return needed > mostTimes * cases || needed > mostCases ? null : Math.max(needed, cases + 1)
}

/**
 * Trials of each case at which the gap would span `z` standard errors: more trials shrink only the trials' own part of the
 * variance, never the difference between cases. Null when that part is unknown, or too small to matter.
 */
export const trialsNeeded = ({ gap, trialVariance, trials, variance, z }: Precision): number | null => {
  if (gap <= 1e-9 || trialVariance === null) return null
  const betweenCases = Math.max(0, variance - trialVariance)
  const allowed = (gap / z) ** 2 - betweenCases
  if (allowed <= 0) return null
  const needed = Math.floor((Math.min(trialVariance, variance) * trials) / allowed) + 1
  return needed > mostTrials ? null : Math.max(needed, trials + 1)
}
