/** Distributions as bars of block characters. */

const blocks = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

export interface Histogram {
  readonly counts: ReadonlyArray<number>
  readonly low: number
  readonly high: number
}

/** Linear interpolation between the two nearest ranks; null without values. `sorted` ascending, `share` 0..1. */
export const quantile = (sorted: ArrayLike<number>, share: number): number | null => {
  if (sorted.length === 0) return null
  const position = share * (sorted.length - 1)
  const below = sorted[Math.floor(position)] ?? 0
  const above = sorted[Math.ceil(position)] ?? below
  return below + (above - below) * (position - Math.floor(position))
}

/** Counts of sorted values in `bins` equal steps from the least to the 99th percentile; what is above is in the last. */
export const histogram = (sorted: Float64Array, bins: number): Histogram | null => {
  const low = sorted[0]
  const high = quantile(sorted, 0.99)
  if (low === undefined || high === null || bins < 1) return null
  const counts = new Array<number>(bins).fill(0)
  const step = (high - low) / bins
  for (const value of sorted) {
    const bin = step === 0 ? 0 : Math.min(bins - 1, Math.floor((value - low) / step))
    counts[bin] = (counts[bin] ?? 0) + 1
  }
  return { counts, low, high }
}

/** The bars as `height` rows of text, top first. A bin that holds anything shows at least a sliver. */
export const bars = (counts: ReadonlyArray<number>, height: number): ReadonlyArray<string> => {
  const most = Math.max(1, ...counts)
  const levels = counts.map((count) => (count === 0 ? 0 : Math.max(1, Math.round((count / most) * height * 8))))
  return Array.from({ length: height }, (_, row) => {
    const floor = (height - 1 - row) * 8
    return levels.map((level) => blocks[Math.max(0, Math.min(8, level - floor))] ?? " ").join("")
  })
}
