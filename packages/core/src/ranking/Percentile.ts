/** Percentiles with linear interpolation between the two nearest ranks (position = (n - 1) · p). */

const valueAt = (values: Float64Array, index: number): number => values[index] ?? Number.NaN

/** Percentile of sorted values; `share` is 0..1. NaN for no values. */
export const ofSorted = (sorted: Float64Array, share: number): number => {
  const position = (sorted.length - 1) * share
  const below = Math.floor(position)
  const low = valueAt(sorted, below)
  return position === below ? low : low + (valueAt(sorted, below + 1) - low) * (position - below)
}

const swap = (values: Float64Array, a: number, b: number): void => {
  const kept = valueAt(values, a)
  values[a] = valueAt(values, b)
  values[b] = kept
}

/** Puts a pivot (the median of first, middle and last) between the smaller and the greater ones; returns the two ends. */
const partition = (values: Float64Array, low: number, high: number): readonly [number, number] => {
  const a = valueAt(values, low)
  const b = valueAt(values, (low + high) >> 1)
  const c = valueAt(values, high)
  const pivot = Math.max(Math.min(a, b), Math.min(Math.max(a, b), c))
  let left = low
  let right = high
  while (left <= right) {
    while (valueAt(values, left) < pivot) left += 1
    while (valueAt(values, right) > pivot) right -= 1
    if (left > right) break
    swap(values, left, right)
    left += 1
    right -= 1
  }
  return [right, left]
}

/** Reorders `values` so that the one of this rank stands at its place (quickselect); none of them may be NaN. */
const select = (values: Float64Array, rank: number): number => {
  let low = 0
  let high = values.length - 1
  while (low < high) {
    const [right, left] = partition(values, low, high)
    if (rank <= right) high = right
    else if (rank >= left) low = left
    else break
  }
  return valueAt(values, rank)
}

/** Percentile of unsorted values, which are reordered; `share` is 0..1. NaN for no values. */
export const ofUnsorted = (values: Float64Array, share: number): number => {
  const position = (values.length - 1) * share
  const below = Math.floor(position)
  const low = select(values, below)
  if (position === below) return low
  let next = Number.POSITIVE_INFINITY
  for (let index = below + 1; index < values.length; index += 1) next = Math.min(next, valueAt(values, index))
  return low + (next - low) * (position - below)
}
