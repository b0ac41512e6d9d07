/**
 * Holm's step-down correction (1979): the smallest of m p-values is multiplied by m, the next by m - 1, and so on, never
 * falling below the one before. Keeps the chance of any false claim among all of them below the level.
 */
export const holm = (pValues: ReadonlyArray<number>): ReadonlyArray<number> => {
  const order = pValues.map((_, index) => index).toSorted((a, b) => (pValues[a] ?? 1) - (pValues[b] ?? 1))
  const corrected = pValues.map(() => 1)
  let floor = 0
  order.forEach((index, rank) => {
    floor = Math.max(floor, Math.min(1, (pValues[index] ?? 1) * (pValues.length - rank)))
    corrected[index] = floor
  })
  return corrected
}
