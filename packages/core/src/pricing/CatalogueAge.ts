/** A catalogue older than this, in days, is warned about. */
export const staleAfterDays = 90

const dayMs = 86_400_000

/** Whole days from an ISO date (its first ten characters, UTC) to `nowMs` (Unix epoch); null when it is no date. */
export const ageInDays = (asOf: string | undefined, nowMs: number): number | null => {
  const date = asOf?.slice(0, 10) ?? ""
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return null
  const then = Date.parse(`${date}T00:00:00Z`)
  // a day that does not exist is either refused or moved to the next month, depending on the engine
  if (Number.isNaN(then) || new Date(then).toISOString().slice(0, 10) !== date) return null
  return Math.floor((nowMs - then) / dayMs)
}

/** Whether facts of this date should be checked again. An unknown date is not called stale. */
export const isStale = (asOf: string | undefined, nowMs: number): boolean => {
  const age = ageInDays(asOf, nowMs)
  return age !== null && age > staleAfterDays
}
