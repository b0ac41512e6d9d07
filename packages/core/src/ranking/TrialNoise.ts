import type { Scoring } from "./Composite.ts"
import { type ContestantColumns, Kind } from "./ContestantColumns.ts"
import type { MatrixView } from "./MatrixView.ts"
import type { ProjectMetric } from "./MetricDefinition.ts"
import { caseSums } from "./MetricSums.ts"
import type { Standing } from "./Standing.ts"

/** The share of one cell in the composite, to first order: how far it moves it from where it is. */
type Influence = (slot: number, caseWeight: number) => number

const influenceOf = (
  view: MatrixView,
  columns: ContestantColumns,
  metric: ProjectMetric,
  raw: number,
  perUnit: number
): Influence => {
  const count = caseSums(view, columns, metric).counts.reduce((sum, each) => sum + each, 0)
  const value = metric.values(columns)
  return (slot, caseWeight) => {
    const measured = value(slot)
    if (Number.isNaN(measured)) return 0
    return (perUnit * (measured - raw) * (metric.caseWeighted ? caseWeight : 1)) / count
  }
}

/** One influence for each mean metric that moves the composite. Percentiles are left out: no single cell moves them. */
const influences = (
  view: MatrixView,
  standing: Standing,
  columns: ContestantColumns,
  scoring: Scoring,
  metrics: ReadonlyArray<ProjectMetric>
): ReadonlyArray<Influence> =>
  metrics.flatMap((metric) => {
    const share = scoring.axes.shares.get(metric.name) ?? 0
    const raw = standing.values.get(metric.name) ?? null
    if (share === 0 || raw === null || metric.percentile !== null) return []
    const perUnit = share * (scoring.scales.get(metric.name)?.slope(raw) ?? 0)
    return perUnit === 0 ? [] : [influenceOf(view, columns, metric, raw, perUnit)]
  })

const sampleVariance = (values: ReadonlyArray<number>): number => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)
}

/**
 * The part of the variance of a contestant's composite that comes from trials of one case differing among themselves, which
 * more trials would shrink: the sum over cases of T · s², with s² the sample variance of the influences of its T trials.
 * Cases tried once are taken to be like the others. Null when no case was tried twice.
 */
export const trialVariance = (
  view: MatrixView,
  standing: Standing,
  scoring: Scoring,
  metrics: ReadonlyArray<ProjectMetric>
): number | null => {
  const { columns } = standing
  if (columns === null) return null
  const moved = influences(view, standing, columns, scoring, metrics)
  let variance = 0
  let tried = 0
  let repeated = 0
  view.cases.forEach(({ weight }, index) => {
    const first = view.firstSlot[index] ?? -1
    const values: Array<number> = []
    for (let slot = first; first >= 0 && slot < first + view.trials; slot += 1) {
      const kind = columns.kind[slot] ?? Kind.none
      if (kind === Kind.none || kind === Kind.interrupted) continue
      values.push(moved.reduce((sum, influence) => sum + influence(slot, weight), 0))
    }
    if (values.length > 0) tried += 1
    if (values.length < 2) return
    repeated += 1
    variance += values.length * sampleVariance(values)
  })
  return repeated === 0 ? null : (variance * tried) / repeated
}
