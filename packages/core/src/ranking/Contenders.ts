import type { RankedCase } from "../domain/Project.ts"
import type { Placed, Scoring } from "./Composite.ts"
import type { MatrixView } from "./MatrixView.ts"
import { builtIn, isQuality, type ProjectMetric } from "./MetricDefinition.ts"
import { type MetricCases, masked, metricCases, once, type Pending, type Pool, sharedMask } from "./MetricSeries.ts"
import { caseSums } from "./MetricSums.ts"
import { make as makeResampler } from "./Resampler.ts"
import type { Standing } from "./Standing.ts"

/** A contestant prepared for resampling: its accuracy, and each metric that counts in the composite. */
export interface Contender {
  readonly standing: Standing
  readonly accuracy: MetricCases
  readonly axes: ReadonlyMap<string, MetricCases>
  /** Its composite over its own cases; null when it has none. */
  readonly composite: Pending | null
}

/** The weighted sum of normalised metrics in every resample; the scales stay those of the data as measured. */
const weigh =
  (scoring: Scoring, axes: ReadonlyMap<string, Pending>): Pending =>
  (resamples) => {
    let composite: Float64Array | undefined
    for (const [name, share] of scoring.axes.shares) {
      const scale = scoring.scales.get(name)
      const values = axes.get(name)?.(resamples)
      if (scale === undefined || values === undefined) return new Float64Array(0)
      const part = values.map((value) => (Number.isNaN(value) ? Number.NaN : share * scale.normalise(value)))
      composite = composite === undefined ? part : composite.map((sum, index) => sum + (part[index] ?? 0))
    }
    return composite ?? new Float64Array(0)
  }

/** The pool of cases on which any of these contestants tried anything. */
export const poolOf = (view: MatrixView, standings: ReadonlyArray<Standing>): Pool => {
  const tried = new Uint8Array(view.cases.length)
  for (const { columns } of standings) {
    if (columns === null) continue
    caseSums(view, columns, builtIn("reliability")).counts.forEach((count, index) => {
      if (count > 0) tried[index] = 1
    })
  }
  const cases: Array<RankedCase> = []
  const places = Int32Array.from(view.cases, (ranked, index) => (tried[index] === 1 ? cases.push(ranked) - 1 : -1))
  return { view, cases, places, resampler: makeResampler(cases.length) }
}

export const contenderOf = (
  pool: Pool,
  scoring: Scoring,
  metrics: ReadonlyArray<ProjectMetric>,
  { composite, standing }: Placed
): Contender | null => {
  const { columns } = standing
  if (columns === null) return null
  const accuracy = metricCases(pool, columns, builtIn("accuracy"))
  if (composite === null) return { standing, accuracy, axes: new Map(), composite: null }
  const axes = new Map(
    metrics
      .filter(({ name }) => scoring.axes.shares.has(name))
      .map((metric) => [metric.name, metric.name === "accuracy" ? accuracy : metricCases(pool, columns, metric)])
  )
  const own = new Map([...axes].map(([name, cases]) => [name, cases.series]))
  return { standing, accuracy, axes, composite: once(weigh(scoring, own)) }
}

/** One contender's composite over the cases that, metric by metric, the other one has as well. */
const shared = (pool: Pool, scoring: Scoring, one: Contender, other: Contender): Pending | null => {
  let restricted = false
  const axes = new Map<string, Pending>()
  for (const [name, mine] of one.axes) {
    const theirs = other.axes.get(name)
    const mask = theirs === undefined ? null : sharedMask(mine, theirs)
    restricted ||= mask !== null
    axes.set(name, mask === null ? mine.series : masked(pool, mine, mask))
  }
  return restricted ? weigh(scoring, axes) : one.composite
}

/** Difference of two composites under the same draws, over the cases that both have. Null when one has no composite. */
export const compositeGap = (pool: Pool, scoring: Scoring, leader: Contender, other: Contender): Pending | null => {
  if (leader.composite === null || other.composite === null) return null
  const mine = shared(pool, scoring, leader, other)
  const theirs = shared(pool, scoring, other, leader)
  if (mine === null || theirs === null) return null
  return (resamples) => {
    const others = theirs(resamples)
    return mine(resamples).map((composite, index) => composite - (others[index] ?? Number.NaN))
  }
}

/** The metrics whose cases count as evidence: those of quality where they weigh, else any that weighs. */
const speaking = (scoring: Scoring, { accuracy, axes }: Contender): ReadonlyMap<string, MetricCases> =>
  [...scoring.axes.shares.keys()].some(isQuality) ? new Map([["accuracy", accuracy]]) : axes

/** On how many cases there is evidence about this contestant. */
export const evidenceCases = (scoring: Scoring, contender: Contender): number =>
  sharedEvidence(scoring, contender, contender)

/** On how many cases there is evidence about both: graded answers, or measurements where quality has no weight. */
export const sharedEvidence = (scoring: Scoring, one: Contender, other: Contender): number => {
  const theirs = speaking(scoring, other)
  const places = new Uint8Array(one.accuracy.sums.counts.length)
  for (const [name, mine] of speaking(scoring, one)) {
    const counts = theirs.get(name)?.sums.counts
    mine.sums.counts.forEach((count, place) => {
      if (count > 0 && (counts?.[place] ?? 0) > 0) places[place] = 1
    })
  }
  return places.reduce((shared, place) => shared + place, 0)
}
