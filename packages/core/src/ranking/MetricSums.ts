import type { ContestantColumns } from "./ContestantColumns.ts"
import { forEachSlot, type MatrixView } from "./MatrixView.ts"
import type { MetricDefinition } from "./MetricDefinition.ts"
import { ofUnsorted } from "./Percentile.ts"

/**
 * A mean metric taken apart by case: the metric is the sum of `totals` over the sum of `counts`. Both carry the weight of
 * the case where the metric does, so resampling whole cases recomputes the metric exactly.
 */
export interface CaseSums {
  readonly totals: Float64Array
  readonly counts: Float64Array
}

export const caseSums = (view: MatrixView, columns: ContestantColumns, metric: MetricDefinition): CaseSums => {
  const totals = new Float64Array(view.cases.length)
  const counts = new Float64Array(view.cases.length)
  const value = metric.values(columns)
  const { firstSlot, trials } = view
  for (let index = 0; index < firstSlot.length; index += 1) {
    const first = firstSlot[index] ?? -1
    let total = 0
    let count = 0
    for (let slot = first; first >= 0 && slot < first + trials; slot += 1) {
      const measured = value(slot)
      if (Number.isNaN(measured)) continue
      total += measured
      count += 1
    }
    const weight = metric.caseWeighted ? (view.cases[index]?.weight ?? 0) : 1
    totals[index] = total * weight
    counts[index] = count * weight
  }
  return { totals, counts }
}

/** The values of a metric in the cells that count, in order of slot. */
export const cellValues = (view: MatrixView, columns: ContestantColumns, metric: MetricDefinition): Float64Array => {
  const found = new Float64Array(view.cases.length * view.trials)
  const value = metric.values(columns)
  let length = 0
  forEachSlot(view, (slot) => {
    const measured = value(slot)
    if (Number.isNaN(measured)) return
    found[length] = measured
    length += 1
  })
  return found.subarray(0, length)
}

const sum = (values: Float64Array): number => {
  let total = 0
  for (const value of values) total += value
  return total
}

/**
 * The metric of one contestant; null when it is unknown. `answered` = number of its answered cells, all of which must have
 * a value for a metric that is `complete`.
 */
export const metricValue = (
  view: MatrixView,
  columns: ContestantColumns,
  metric: MetricDefinition,
  answered: number
): number | null => {
  if (metric.percentile !== null) {
    const values = cellValues(view, columns, metric)
    return values.length === 0 ? null : ofUnsorted(values, metric.percentile / 100)
  }
  const { counts, totals } = caseSums(view, columns, metric)
  const count = sum(counts)
  if (!(count > 0) || (metric.complete && count < answered)) return null
  return sum(totals) / count
}
