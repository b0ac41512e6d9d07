/**
 * Finds how many calls at once an account takes, when nobody said. A pure state machine in the manner of congestion
 * control: it doubles until the first 429, then grows in small steps, and cuts by a fifth on each episode of 429s. Only
 * a limit that was really used is raised. Times are ms of any clock that does not go back.
 */

/** Bounds of the limit. */
export interface AdaptiveOptions {
  readonly start: number
  readonly min: number
  readonly max: number
}

export const defaultOptions: AdaptiveOptions = { start: 20, min: 1, max: 100 }

/** Shortest time between two cuts; the 429s of one episode arrive together. */
export const cooldownMs = 15_000
const cutFactor = 0.8
const growthFactor = 0.05
const usedShare = 0.8
const smallestRound = 4
/** Limits above this are kept at multiples of `step`. */
const coarseFrom = 10
const step = 5

export interface AdaptiveState {
  readonly options: AdaptiveOptions
  readonly limit: number
  readonly inFlight: number
  /** Most calls at once in the present round. */
  readonly peak: number
  /** Clean successes of the present round. */
  readonly clean: number
  readonly sawRateLimit: boolean
  /** No cut and no growth before. */
  readonly cooldownUntil: number
}

export const initial = (options: AdaptiveOptions): AdaptiveState => ({
  options,
  limit: Math.min(Math.max(options.start, options.min), options.max),
  inFlight: 0,
  peak: 0,
  clean: 0,
  sawRateLimit: false,
  cooldownUntil: 0
})

/** Whether one more call may start. */
export const hasRoom = (state: AdaptiveState): boolean => state.inFlight < state.limit

/** A call started. */
export const started = (state: AdaptiveState): AdaptiveState => {
  const inFlight = state.inFlight + 1
  return { ...state, inFlight, peak: Math.max(state.peak, inFlight) }
}

/** What came of a call: `clean` = an answer at the first try; `neutral` says nothing about the limit. */
export type AdaptiveOutcome =
  | { readonly _tag: "Clean" }
  | { readonly _tag: "Neutral" }
  | { readonly _tag: "RateLimited"; readonly retryAfterMs: number | null }

const coarseUp = (limit: number): number => (limit > coarseFrom ? Math.ceil(limit / step) * step : limit)
const coarseDown = (limit: number): number => (limit > coarseFrom ? Math.floor(limit / step) * step : Math.floor(limit))

const grown = (state: AdaptiveState): number => {
  const { limit, options } = state
  const next = state.sawRateLimit ? coarseUp(limit + Math.max(1, Math.round(limit * growthFactor))) : limit * 2
  return Math.min(options.max, next)
}

const newRound = (state: AdaptiveState): AdaptiveState => ({ ...state, clean: 0, peak: state.inFlight })

const succeeded = (state: AdaptiveState, now: number): AdaptiveState => {
  if (now < state.cooldownUntil) return state
  const clean = state.clean + 1
  if (clean < Math.max(state.limit, smallestRound)) return { ...state, clean }
  const used = state.peak >= usedShare * state.limit
  return newRound(used ? { ...state, limit: grown(state) } : state)
}

const rateLimited = (state: AdaptiveState, retryAfterMs: number | null, now: number): AdaptiveState => {
  const emptied = newRound({ ...state, sawRateLimit: true })
  if (now < state.cooldownUntil) return emptied
  const limit = Math.max(state.options.min, coarseDown(state.limit * cutFactor))
  return { ...emptied, limit, cooldownUntil: now + Math.max(cooldownMs, retryAfterMs ?? 0) }
}

/** A call ended. */
export const ended = (state: AdaptiveState, outcome: AdaptiveOutcome, now: number): AdaptiveState => {
  const after = { ...state, inFlight: Math.max(0, state.inFlight - 1) }
  switch (outcome._tag) {
    case "Clean":
      return succeeded(after, now)
    case "RateLimited":
      return rateLimited(after, outcome.retryAfterMs, now)
    case "Neutral":
      return after
  }
}
