import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import type { Connector } from "../connector/Connector.ts"
import type { Attempt, CellError } from "../domain/CallResult.ts"
import type { CellContext, Generation, GenerationRequest, TokenUsage } from "../domain/Generation.ts"
import type { GenerationError } from "../domain/GenerationError.ts"
import * as GenerationErrors from "../domain/GenerationError.ts"
import { attemptLimit, type CellClock } from "./CellClock.ts"
import { withDeadline } from "./Deadline.ts"
import type { LimitPermit } from "./limits/RateLimits.ts"
import * as Pacing from "./Pacing.ts"
import { type RetrySettings, retryAfterTooLong, retryPolicy } from "./RetryPolicy.ts"

/** How a contestant is called; made once per contestant and run. */
export interface CallSettings {
  readonly connector: Connector["Service"]
  readonly pace: Pacing.Pace
  readonly retry: RetrySettings
  readonly policy: Schedule.Schedule<Duration.Duration, GenerationError>
  /** Limit of one attempt, ms; null = off. */
  readonly requestTimeoutMs: number | null
  /** Price of tokens, USD; null = unknown. For attempts that failed but were counted. */
  readonly priceOf: (usage: TokenUsage) => number | null
}

/** What a call needs of the cell in which it is made. */
export interface CallEnvironment {
  readonly clock: Clock.Clock
  readonly cellClock: CellClock
  /** Runs a wait during which the cell's slot serves other cells. */
  readonly lend: <A>(wait: Effect.Effect<A>) => Effect.Effect<A>
  /** Hears of each failed attempt; `retryInMs` is null when it was the last. */
  readonly attemptFailed: (attempt: number, error: GenerationError, retryInMs: number | null) => void
  readonly rateLimited: (pace: Pacing.Pace, waitMs: number) => void
  /** Removes known secrets. */
  readonly scrub: (text: string) => string
}

/** What came of a call: an answer, the last error, or the end of the cell's time. */
export interface CallOutcome {
  readonly answer: Generation | null
  readonly error: GenerationError | null
  readonly cellTimedOut: boolean
  /** Of the successful attempt, as the engine measured it. */
  readonly measuredMs: number
  readonly attempts: ReadonlyArray<Attempt>
  readonly rateLimitWaitMs: number
  readonly retryWaitMs: number
}

export const callSettings = (fields: Omit<CallSettings, "policy">): CallSettings => ({
  ...fields,
  policy: retryPolicy(fields.retry)
})

/** The error of a failed call as it is recorded. */
export const toCellError = (error: GenerationError): CellError => ({
  kind: "generation",
  reason: error.reason,
  status: error.status,
  source: null,
  message: error.message
})

const monotonicMs = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

class CellTimeLimit {
  readonly _tag = "CellTimeLimit"
}

const cellTimeout: CellError = {
  kind: "timeout",
  reason: null,
  status: null,
  source: null,
  message: "the cell's time was over (run.cell_timeout_s)"
}

const requestTimedOut = (ms: number): GenerationError =>
  GenerationErrors.make({ reason: "timeout", detail: `no answer within ${ms / 1000} s (run.request_timeout_s)` })

const scrubbed = (error: GenerationError, scrub: (text: string) => string): GenerationError => {
  const detail = scrub(error.detail)
  return detail === error.detail ? error : GenerationErrors.make({ ...error, detail })
}

const tooLong = (error: GenerationError, settings: RetrySettings): GenerationError =>
  GenerationErrors.make({
    ...error,
    detail: `${error.detail}; the server asks to wait ${Math.ceil((error.retryAfterMs ?? 0) / 1000)} s, more than run.max_retry_after_s (${settings.maxRetryAfterMs / 1000} s) allows`
  })

/** Waits until the provider may be called; returns how long that took (ms) and the permit. */
const permit = Effect.fnUntraced(function* (settings: CallSettings, environment: CallEnvironment) {
  const { clock, cellClock } = environment
  const { limiter } = settings.pace
  const before = monotonicMs(clock)
  const acquire = Effect.flatMap(Pacing.untilOpen(settings.pace), () => limiter?.acquire ?? Effect.succeed(null))
  const granted = yield* environment.lend(acquire)
  const waited = monotonicMs(clock) - before
  cellClock.excuse(waited)
  environment.rateLimited(settings.pace, waited)
  return { granted, waited }
})

const permitNow = (settings: CallSettings, now: number): LimitPermit | null | undefined =>
  settings.pace.pausedUntil() > now
    ? undefined
    : settings.pace.limiter === null
      ? null
      : settings.pace.limiter.tryAcquire()

/** One attempt under the limit that is due first. */
const attemptOnce = (
  settings: CallSettings,
  environment: CallEnvironment,
  request: GenerationRequest,
  cell: CellContext
): Effect.Effect<Exit.Exit<Generation, GenerationError | CellTimeLimit>> => {
  const now = environment.clock.currentTimeMillisUnsafe()
  environment.cellClock.start(now)
  const limit = attemptLimit(settings.requestTimeoutMs, environment.cellClock.remaining(now))
  return Effect.exit(
    withDeadline(settings.connector.generate(request, cell), limit.ms, () =>
      Effect.fail(limit.isCellLimit ? new CellTimeLimit() : requestTimedOut(limit.ms ?? 0))
    )
  )
}

const errorOf = (exit: Exit.Failure<Generation, GenerationError | CellTimeLimit>): GenerationError | CellTimeLimit => {
  const failure = Cause.findErrorOption(exit.cause)
  if (Option.isSome(failure)) return failure.value
  return Cause.hasInterruptsOnly(exit.cause)
    ? GenerationErrors.make({ reason: "aborted", detail: "the call interrupted itself" })
    : GenerationErrors.make({ reason: "unknown", detail: Cause.pretty(exit.cause).split("\n", 1)[0] ?? "defect" })
}

type Step = (
  now: number,
  error: GenerationError
) => Pull.Pull<[Duration.Duration, Duration.Duration], never, Duration.Duration>

/** Delay before the next attempt, ms; null = there is none. */
const nextDelay = (step: Step, now: number, error: GenerationError): Effect.Effect<number | null> =>
  Pull.matchEffect(step(now, error), {
    onSuccess: ([, delay]) => Effect.succeed<number | null>(Duration.toMillis(delay)),
    onFailure: () => Effect.succeed(null),
    onDone: () => Effect.succeed(null)
  })

/** How long to sleep before the next attempt: the whole delay, or what is left of the cell's time. */
const sleepFor = (environment: CallEnvironment, delayMs: number): { readonly ms: number; readonly inTime: boolean } => {
  const remaining = environment.cellClock.remaining(environment.clock.currentTimeMillisUnsafe())
  return remaining !== null && remaining <= delayMs ? { ms: remaining, inTime: false } : { ms: delayMs, inTime: true }
}

/**
 * One request through the arena: permits, attempts under their limits, retries. Never fails; the outcome says what
 * happened. Interrupting it abandons the attempt in flight at once.
 */
export const call = Effect.fnUntraced(function* (
  settings: CallSettings,
  environment: CallEnvironment,
  request: GenerationRequest,
  cellOfAttempt: (attempt: number) => CellContext
) {
  const { clock } = environment
  const attempts: Array<Attempt> = []
  let rateLimitWaitMs = 0
  let retryWaitMs = 0
  let step: Step | undefined
  const ended = (fields: Pick<CallOutcome, "answer" | "error" | "cellTimedOut" | "measuredMs">): CallOutcome => ({
    ...fields,
    attempts,
    rateLimitWaitMs,
    retryWaitMs
  })

  for (let number = 1; ; number++) {
    let granted = permitNow(settings, clock.currentTimeMillisUnsafe())
    if (granted === undefined) {
      const waited = yield* permit(settings, environment)
      granted = waited.granted
      rateLimitWaitMs += waited.waited
    }
    const startedAt = clock.currentTimeMillisUnsafe()
    const before = monotonicMs(clock)
    const exit = yield* Effect.onInterrupt(attemptOnce(settings, environment, request, cellOfAttempt(number)), () =>
      Effect.sync(() => granted?.settle({ usage: null, error: null }))
    )
    const durationMs = monotonicMs(clock) - before
    if (exit._tag === "Success") {
      granted?.settle({ usage: exit.value.usage, error: null, quota: exit.value.quota, retried: number > 1 })
      attempts.push({ startedAt, durationMs, error: null, waitMs: 0 })
      return ended({ answer: exit.value, error: null, cellTimedOut: false, measuredMs: durationMs })
    }

    const failure = errorOf(exit)
    if (failure instanceof CellTimeLimit) {
      granted?.settle({ usage: null, error: null })
      attempts.push({ startedAt, durationMs, error: cellTimeout, waitMs: 0 })
      return ended({ answer: null, error: null, cellTimedOut: true, measuredMs: durationMs })
    }
    const error = scrubbed(
      retryAfterTooLong(failure, settings.retry) ? tooLong(failure, settings.retry) : failure,
      environment.scrub
    )
    granted?.settle({ usage: null, error })
    step ??= yield* Schedule.toStep(settings.policy)
    const now = clock.currentTimeMillisUnsafe()
    const delay = yield* nextDelay(step, now, error)
    if (error.reason === "rate_limited") {
      const pauseMs = Math.min(error.retryAfterMs ?? 0, settings.retry.maxRetryAfterMs)
      settings.pace.pauseUntil(now + Math.max(delay ?? 0, pauseMs))
    }
    environment.attemptFailed(number, error, delay)
    const billed = error.usage === undefined ? {} : { usage: error.usage, costUsd: settings.priceOf(error.usage) }
    attempts.push({ startedAt, durationMs, error: toCellError(error), ...billed, waitMs: delay ?? 0 })
    if (delay === null) return ended({ answer: null, error, cellTimedOut: false, measuredMs: durationMs })
    const sleep = sleepFor(environment, delay)
    const asleep = monotonicMs(clock)
    yield* environment.lend(Effect.sleep(sleep.ms))
    environment.cellClock.excuse(Math.max(0, monotonicMs(clock) - asleep - sleep.ms))
    retryWaitMs += sleep.ms
    if (!sleep.inTime) return ended({ answer: null, error, cellTimedOut: true, measuredMs: durationMs })
  }
})
