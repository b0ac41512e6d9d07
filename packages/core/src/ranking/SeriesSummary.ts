import type { Interval } from "../domain/Leaderboard.ts"
import { epsilon } from "./Figures.ts"
import { ofSorted } from "./Percentile.ts"

/**
 * One statistic under every resample; place 0 holds the data as measured. NaN = it could not be computed there (a resample
 * may miss every case that has it).
 */
export type Series = Float64Array

/** The statistic on the data as measured; null when it could not be computed. */
export const observed = (series: Series): number | null => {
  const point = series[0] ?? Number.NaN
  return Number.isNaN(point) ? null : point
}

const resampled = (series: Series): Float64Array => series.subarray(1).filter((value) => !Number.isNaN(value))

/** Percentile interval (Efron and Tibshirani 1993, chapter 13): the middle `confidence` (0..1) of the resampled values. */
export const intervalOf = (series: Series, confidence: number, point = observed(series)): Interval | null => {
  const values = resampled(series)
  if (point === null || values.length === 0) return null
  const tail = (1 - confidence) / 2
  const sorted = values.sort()
  return { point, low: ofSorted(sorted, tail), high: ofSorted(sorted, 1 - tail), confidence }
}

/**
 * Two-sided p-value of "there is no difference": twice the smaller share of resamples on either side of 0, a difference of
 * nothing counting for both. One is added to count and total, so that no finite number of resamples proves certainty
 * (Davison and Hinkley 1997, section 4.2).
 */
export const pValueOf = (series: Series): number | null => {
  const values = resampled(series)
  if (values.length === 0) return null
  const notAbove = values.filter((value) => value <= epsilon).length
  const notBelow = values.filter((value) => value >= -epsilon).length
  return Math.min(1, (2 * (Math.min(notAbove, notBelow) + 1)) / (values.length + 1))
}

/** Variance of the statistic over the resamples: the square of its standard error. */
export const varianceOf = (series: Series): number | null => {
  const values = resampled(series)
  if (values.length < 2) return null
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)
}
