import type { RankedCase } from "../domain/Project.ts"
import type { ContestantColumns } from "./ContestantColumns.ts"
import { forEachSlot, type MatrixView } from "./MatrixView.ts"
import type { MetricDefinition } from "./MetricDefinition.ts"
import { type CaseSums, caseSums } from "./MetricSums.ts"
import type { Resampler, Resamples } from "./Resampler.ts"
import type { Series } from "./SeriesSummary.ts"

/** A statistic that is known once the resamples are drawn. */
export type Pending = (resamples: Resamples) => Series

/** One metric of one contestant, by case of the pool, and as a statistic over all its cases. */
export interface MetricCases {
  readonly metric: MetricDefinition
  readonly sums: CaseSums
  readonly columns: ContestantColumns
  readonly series: Pending
}

/** The cases that are resampled: those on which anything was tried. `places` leads from case to place; -1 = left out. */
export interface Pool {
  readonly view: MatrixView
  readonly cases: ReadonlyArray<RankedCase>
  readonly places: Int32Array
  readonly resampler: Resampler
}

/** Computes a statistic at most once. */
export const once = (pending: Pending): Pending => {
  let known: Series | undefined
  return (resamples) => {
    known ??= pending(resamples)
    return known
  }
}

/** Numbers by case, brought to the places of the pool. */
export const pooled = (pool: Pool, byCase: Float64Array): Float64Array => {
  if (pool.cases.length === byCase.length) return byCase
  const found = new Float64Array(pool.cases.length)
  byCase.forEach((value, index) => {
    const place = pool.places[index] ?? -1
    if (place >= 0) found[place] = value
  })
  return found
}

/** Whether a case of the pool counts. */
export type Mask = (place: number) => boolean

/** A sum over the cases a mask lets through: the whole column less the (usually few) cases it holds back. */
const maskedSum = (resampler: Resampler, values: Float64Array, mask: Mask | null): Pending => {
  const whole = resampler.column(values)
  if (mask === null) return (resamples) => resamples.sums(whole)
  const heldBack = resampler.column(values.map((value, place) => (mask(place) ? 0 : value)))
  return (resamples) => {
    const less = resamples.sums(heldBack)
    return resamples.sums(whole).map((sum, index) => sum - (less[index] ?? 0))
  }
}

/** Below this a sum of counts or weights is the rounding noise of 0. */
const noCount = 1e-12

/** The sum of totals over the sum of counts, in every resample. */
export const ratioOf = (resampler: Resampler, sums: CaseSums, mask: Mask | null): Pending => {
  const totals = maskedSum(resampler, sums.totals, mask)
  const counts = maskedSum(resampler, sums.counts, mask)
  return (resamples) => {
    const divisors = counts(resamples)
    return totals(resamples).map((total, index) => {
      const divisor = divisors[index] ?? 0
      return divisor > noCount ? total / divisor : Number.NaN
    })
  }
}

/** The measured cells of a metric, greatest first, with their places in the pool. */
const descending = (pool: Pool, columns: ContestantColumns, metric: MetricDefinition, mask: Mask | null) => {
  const value = metric.values(columns)
  const slots: Array<number> = []
  const places: Array<number> = []
  forEachSlot(pool.view, (slot, caseIndex) => {
    const place = pool.places[caseIndex] ?? -1
    if (Number.isNaN(value(slot)) || place < 0 || (mask !== null && !mask(place))) return
    slots.push(slot)
    places.push(place)
  })
  const order = Int32Array.from(slots.keys()).sort((a, b) => value(slots[b] ?? -1) - value(slots[a] ?? -1))
  return {
    values: Float64Array.from(order, (index) => value(slots[index] ?? -1)),
    cases: order.map((index) => places[index] ?? -1)
  }
}

const percentile = (pool: Pool, cases: Omit<MetricCases, "series">, share: number, mask: Mask | null): Pending => {
  const counts = mask === null ? cases.sums.counts : cases.sums.counts.map((count, place) => (mask(place) ? count : 0))
  const tail = pool.resampler.tail({
    ...descending(pool, cases.columns, cases.metric, mask),
    count: pool.resampler.column(counts),
    share
  })
  return (resamples) => resamples.percentiles(tail)
}

const seriesOver = (pool: Pool, cases: Omit<MetricCases, "series">, mask: Mask | null): Pending =>
  once(
    cases.metric.percentile === null
      ? ratioOf(pool.resampler, cases.sums, mask)
      : percentile(pool, cases, cases.metric.percentile / 100, mask)
  )

/** Prepares a metric of a contestant for resampling. */
export const metricCases = (pool: Pool, columns: ContestantColumns, metric: MetricDefinition): MetricCases => {
  const { counts, totals } = caseSums(pool.view, columns, metric)
  const cases = { metric, columns, sums: { totals: pooled(pool, totals), counts: pooled(pool, counts) } }
  return { ...cases, series: seriesOver(pool, cases, null) }
}

/** The same metric over the cases of a mask. */
export const masked = (pool: Pool, cases: MetricCases, mask: Mask): Pending => seriesOver(pool, cases, mask)

/** Lets through the cases that both contestants have; null when neither has any that the other lacks. */
export const sharedMask = (one: MetricCases, other: MetricCases): Mask | null => {
  const mine = one.sums.counts
  const theirs = other.sums.counts
  const same = mine.every((count, place) => count > 0 === (theirs[place] ?? 0) > 0)
  return same ? null : (place) => (mine[place] ?? 0) > 0 && (theirs[place] ?? 0) > 0
}
