import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { RateLimiter } from "./limits/RateLimits.ts"

/**
 * The pace of one provider account, shared by everything that calls it. After a 429 nobody calls it until the wait is
 * over: the provider meant the account, not the one call that it answered.
 */
export interface Pace {
  readonly name: string
  /** Unix epoch ms until which no attempt may start; 0 = not paused. */
  readonly pausedUntil: () => number
  readonly pauseUntil: (until: number) => void
  /** Calls the listener with each new end of a pause. */
  readonly onPause: (listener: (until: number) => void) => void
  /** Rate limits and adaptive concurrency; null = none (a simulated model, a target). */
  readonly limiter: RateLimiter | null
}

/** A pace with an optional limiter. */
export const make = (name: string, limiter: RateLimiter | null): Pace => {
  const listeners: Array<(until: number) => void> = []
  let pausedUntil = 0
  return {
    name,
    limiter,
    pausedUntil: () => pausedUntil,
    onPause: (listener) => {
      listeners.push(listener)
    },
    pauseUntil: (until) => {
      if (until <= pausedUntil) return
      pausedUntil = until
      for (const listener of listeners) listener(until)
    }
  }
}

/** Sleeps until the account is not paused (a pause may be prolonged meanwhile). */
export const untilOpen = (pace: Pace): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const wait = pace.pausedUntil() - now
    return wait <= 0 ? Effect.void : Effect.flatMap(Effect.sleep(wait), () => untilOpen(pace))
  })
