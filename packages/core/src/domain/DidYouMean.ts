/** Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`; stops counting above `limit`. */
const editDistance = (a: string, b: string, limit: number): number => {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let beforeLast: Array<number> = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1)
      }
      row.push(best)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? limit + 1
}

const plain = (word: string): string => word.toLowerCase().replace(/[-_ ]/g, "")

/**
 * The known word that was probably meant: at most a third of its letters differ; case, hyphens and underscores do not
 * count. Null when nothing is near.
 */
export const closest = (word: string, known: Iterable<string>): string | null => {
  const wanted = plain(word)
  let best: string | null = null
  let bestDistance = Number.POSITIVE_INFINITY
  for (const candidate of known) {
    const other = plain(candidate)
    const limit = Math.max(1, Math.floor(Math.max(wanted.length, other.length) / 3))
    const distance = editDistance(wanted, other, limit)
    if (distance <= limit && distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** `did you mean "x"?`, or null when nothing is near. */
export const didYouMean = (word: string, known: Iterable<string>): string | null => {
  const found = closest(word, known)
  return found === null ? null : `did you mean "${found}"?`
}
