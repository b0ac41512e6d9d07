import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import type { GenerationError } from "../domain/GenerationError.ts"

/** How failed attempts are repeated. `retries` = attempts - 1; times in ms. */
export interface RetrySettings {
  readonly retries: number
  readonly backoffMs: number
  readonly maxRetryAfterMs: number
  /** Spread added to a Retry-After, so that calls do not come back all at once; 1 s unless given. */
  readonly retryAfterJitterMs?: number
}

const maxBackoffMs = 60_000
const usualJitterMs = 1_000

/** Whether the server asks for a longer wait than the run allows; then the call fails at once instead of calling too early. */
export const retryAfterTooLong = (error: GenerationError, settings: RetrySettings): boolean =>
  error.retryAfterMs !== null && error.retryAfterMs > settings.maxRetryAfterMs

/**
 * Full jitter: `U(0, min(60 s, backoff * 2^n))` before attempt `n + 2` (Brooker, "Exponential Backoff And Jitter", AWS
 * Architecture Blog, 2015). A Retry-After wins: its wait plus up to 1 s. Ends on a terminal error, after `retries`
 * repeats, and when Retry-After is too long.
 */
export const retryPolicy = (settings: RetrySettings): Schedule.Schedule<Duration.Duration, GenerationError> =>
  Schedule.fromStepWithMetadata(
    Effect.succeed((meta: Schedule.InputMetadata<GenerationError>) => {
      const error = meta.input
      const over = meta.attempt > settings.retries || !error.isRetryable || retryAfterTooLong(error, settings)
      if (over) return Cause.done(Duration.zero)
      return Effect.map(Random.next, (draw): [Duration.Duration, Duration.Duration] => {
        const ceiling = Math.min(maxBackoffMs, settings.backoffMs * 2 ** Math.min(meta.attempt - 1, 32))
        const delay = Duration.millis(
          error.retryAfterMs === null
            ? draw * ceiling
            : error.retryAfterMs + draw * (settings.retryAfterJitterMs ?? usualJitterMs)
        )
        return [delay, delay]
      })
    })
  )
