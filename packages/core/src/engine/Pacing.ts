import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { RateLimiter } from "./limits/RateLimits.ts"

/**
 * The pace of one provider account, shared by everything that calls it. After a 429 nobody calls it until the wait is
 * over: the provider meant the account, not the one call that it answered.
 */
export interface Pace {
  readonly name: string
  /** Monotonic ms (a clock that is set back must not prolong a pause) until which no attempt may start; 0 = never was. */
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

const monotonicMs = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

/** What is left of the pause of an account, ms; 0 = none. Most accounts never are paused: then no clock is read. */
export const pauseLeft = (pace: Pace, clock: Clock.Clock): number => {
  const until = pace.pausedUntil()
  return until === 0 ? 0 : Math.max(0, until - monotonicMs(clock))
}

export const isPaused = (pace: Pace, clock: Clock.Clock): boolean => pauseLeft(pace, clock) > 0

/** Sleeps until the account is not paused (a pause may be prolonged meanwhile). */
export const untilOpen = (pace: Pace): Effect.Effect<void> =>
  Clock.clockWith((clock) => {
    const wait = pauseLeft(pace, clock)
    return wait <= 0 ? Effect.void : Effect.flatMap(Effect.sleep(Math.ceil(wait)), () => untilOpen(pace))
  })
