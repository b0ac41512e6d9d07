/** Which limit of a call is due first, and when. Times in monotonic ms: the wall clock may be set meanwhile. */
export interface CellClock {
  /** Starts the cell's time; later calls change nothing. */
  readonly start: (now: number) => void
  /** Waiting that is not the cell's own doing (slots, rate limits) does not count against it. */
  readonly excuse: (ms: number) => void
  /** What is left; null = no limit. */
  readonly remaining: (now: number) => number | null
}

/** The clock of one cell with a limit of `limitMs` (null = off). */
export const make = (limitMs: number | null): CellClock => {
  let deadline: number | null = null
  return {
    start: (now) => {
      if (limitMs !== null && deadline === null) deadline = now + limitMs
    },
    excuse: (ms) => {
      if (deadline !== null) deadline += ms
    },
    remaining: (now) => (deadline === null ? null : Math.max(0, deadline - now))
  }
}

/** The limit of one attempt: the cell's when it is due first or at the same time, else the request's. */
export const attemptLimit = (
  requestMs: number | null,
  remainingMs: number | null
): { readonly ms: number | null; readonly isCellLimit: boolean } => {
  if (remainingMs !== null && (requestMs === null || remainingMs <= requestMs)) {
    return { ms: remainingMs, isCellLimit: true }
  }
  return { ms: requestMs, isCellLimit: false }
}
