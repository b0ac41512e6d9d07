import type { ProjectMetric } from "./MetricDefinition.ts"
import { type Bounds, type Scale, scaleOf } from "./Normalise.ts"
import type { Standing } from "./Standing.ts"
import type { Axes } from "./Weights.ts"

/** How raw values become a composite in this ranking. */
export interface Scoring {
  readonly axes: Axes
  readonly scales: ReadonlyMap<string, Scale>
}

const boundsOf = (ranked: ReadonlyArray<Standing>, metric: string): Bounds | null => {
  const values = ranked.map(({ values }) => values.get(metric) ?? null).filter((value) => value !== null)
  return values.length === 0 ? null : { low: Math.min(...values), high: Math.max(...values) }
}

/** Scales are laid over the ranked contestants only: who is disqualified or has no data stretches nothing. */
export const scoringOf = (
  metrics: ReadonlyArray<ProjectMetric>,
  axes: Axes,
  ranked: ReadonlyArray<Standing>
): Scoring => ({
  axes,
  scales: new Map(metrics.map((metric) => [metric.name, scaleOf(metric, boundsOf(ranked, metric.name))]))
})

/** Raw to 0..1; null when the raw value is unknown. */
export const normalised = (scoring: Scoring, metric: string, raw: number | null): number | null =>
  raw === null ? null : (scoring.scales.get(metric)?.normalise(raw) ?? null)

/** Weighted mean of the normalised metrics; null when one that counts is unknown, or none counts. */
export const compositeOf = (scoring: Scoring, values: ReadonlyMap<string, number | null>): number | null => {
  if (scoring.axes.shares.size === 0) return null
  let composite = 0
  for (const [metric, share] of scoring.axes.shares) {
    const value = normalised(scoring, metric, values.get(metric) ?? null)
    if (value === null) return null
    composite += share * value
  }
  return composite
}

/** A ranked contestant with its place. */
export interface Placed {
  readonly standing: Standing
  readonly composite: number | null
}

/** Composites are compared in steps of 1e-9, so that noise of the last digits never overrules the tie-breaker. */
const steps = (value: number): number => Math.round(value * 1e9)

/** Higher first, unknown last. */
const descending = (a: number | null, b: number | null): number => {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
  return b - a
}

const byKey = (a: Standing, b: Standing): number => (a.contestant.key < b.contestant.key ? -1 : 1)

/** Best composite first, then the better value of the tie-breaker in its own direction, then the key. */
export const place = (
  ranked: ReadonlyArray<Standing>,
  scoring: Scoring,
  tieBreaker: ProjectMetric
): ReadonlyArray<Placed> => {
  const merit = ({ values }: Standing): number | null => {
    const value = values.get(tieBreaker.name) ?? null
    return value === null || tieBreaker.direction === "max" ? value : -value
  }
  return ranked
    .map((standing) => ({ standing, composite: compositeOf(scoring, standing.values) }))
    .toSorted(
      (a, b) =>
        descending(
          a.composite === null ? null : steps(a.composite),
          b.composite === null ? null : steps(b.composite)
        ) ||
        descending(merit(a.standing), merit(b.standing)) ||
        byKey(a.standing, b.standing)
    )
}

/** The rest of the board: disqualified by key, then those without data by key. */
export const unranked = (standings: ReadonlyArray<Standing>): ReadonlyArray<Standing> => [
  ...standings.filter(({ status }) => status === "disqualified").toSorted(byKey),
  ...standings.filter(({ status }) => status === "no_data").toSorted(byKey)
]
