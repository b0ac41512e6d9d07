import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import type * as Semaphore from "effect/Semaphore"
import type { Connector } from "../connector/Connector.ts"
import type { Attempt, CellError } from "../domain/CallResult.ts"
import type { CellContext, Generation, GenerationRequest, TokenUsage } from "../domain/Generation.ts"
import type { GenerationError } from "../domain/GenerationError.ts"
import * as GenerationErrors from "../domain/GenerationError.ts"
import { RequestCap, underCap } from "../scenario/executor/RequestCap.ts"
import { attemptLimit, type CellClock } from "./CellClock.ts"
import { exitOf, withDeadline } from "./Deadline.ts"
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
  /** The same for inner calls. */
  readonly lendInner: <A>(wait: Effect.Effect<A>) => Effect.Effect<A>
  /** Hears that a request goes out. */
  readonly sent: () => void
  /** Whether the cell has ended: code that cannot be interrupted may go on in it, but it calls nobody any more. */
  readonly isOver: () => boolean
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

/** The cell's time is over. */
export const cellTimeout: CellError = {
  kind: "timeout",
  reason: null,
  status: null,
  source: null,
  message: "the cell's time was over (run.cell_timeout_s)"
}

const requestTimedOut = (ms: number): GenerationError =>
  GenerationErrors.make({ reason: "timeout", detail: `no answer within ${ms / 1000} s (run.request_timeout_s)` })

const cellIsOver = GenerationErrors.make({ reason: "aborted", detail: "the cell of this call is over" })

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
  const held: { permit: LimitPermit | null } = { permit: null }
  const acquire = Effect.flatMap(Pacing.untilOpen(settings.pace), () =>
    limiter === null
      ? Effect.void
      : Effect.map(limiter.acquire, (leave) => {
          held.permit = leave
        })
  )
  yield* Effect.onInterrupt(environment.lend(acquire), () => Effect.sync(() => giveBack(held.permit)))
  const waited = monotonicMs(clock) - before
  cellClock.excuse(waited)
  environment.rateLimited(settings.pace, waited)
  return { granted: held.permit, waited }
})

const giveBack = (permit: LimitPermit | null): void => permit?.settle({ usage: null, error: null })

const permitNow = (settings: CallSettings, clock: Clock.Clock): LimitPermit | null | undefined =>
  Pacing.isPaused(settings.pace, clock)
    ? undefined
    : settings.pace.limiter === null
      ? null
      : settings.pace.limiter.tryAcquire()

/** An attempt that has begun: its permit, when it began (epoch ms and monotonic ms), and what will come of it. */
interface Begun {
  readonly granted: LimitPermit | null
  startedAt: number
  monotonicStart: number
  readonly effect: Effect.Effect<Generation, GenerationError | CellTimeLimit>
}

const isAnswer = (value: Generation): boolean => typeof value === "object" && typeof value?.text === "string"

const noAnswer: Exit.Exit<never> = Exit.die(new TypeError("the connector returned something that is no answer"))

/** A connector that throws instead of failing is a bug of its own, not of the run. */
const generate = (settings: CallSettings, request: GenerationRequest, cell: CellContext) => {
  try {
    return settings.connector.generate(request, cell)
  } catch (cause) {
    return Exit.die(cause)
  }
}

/** Begins an attempt under the limit that is due first. */
const begin = (
  settings: CallSettings,
  { cellClock, clock, sent }: CallEnvironment,
  request: GenerationRequest,
  cell: CellContext,
  granted: LimitPermit | null
): Begun => {
  const startedAt = clock.currentTimeMillisUnsafe()
  const monotonicStart = monotonicMs(clock)
  sent()
  cellClock.start(monotonicStart)
  const limit = attemptLimit(settings.requestTimeoutMs, cellClock.remaining(monotonicStart))
  const effect = withDeadline(generate(settings, request, cell), limit.ms, () =>
    Effect.fail(limit.isCellLimit ? new CellTimeLimit() : requestTimedOut(limit.ms ?? 0))
  )
  return { granted, startedAt, monotonicStart, effect }
}

/** Functions of the project are no requests; what they call through the arena is. */
const isRequest = ({ connector }: CallSettings): boolean =>
  connector.provider !== "callable" && connector.provider !== "inline"

/** An attempt that takes its permit of the cap first, and begins with it. */
const capped = (cap: Semaphore.Semaphore, environment: CallEnvironment, begun: Begun): Begun["effect"] => {
  const { cellClock, clock } = environment
  const attempt = Effect.suspend((): Begun["effect"] => {
    if (environment.isOver()) return Effect.fail(cellIsOver)
    const now = monotonicMs(clock)
    cellClock.excuse(now - begun.monotonicStart)
    begun.startedAt = clock.currentTimeMillisUnsafe()
    begun.monotonicStart = now
    return begun.effect
  })
  return underCap(cap, attempt, environment.lend)
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

/** Sleeps before the next attempt, at most until the cell's time is over; false when it is. */
const backOff = Effect.fnUntraced(function* (environment: CallEnvironment, progress: Progress, delayMs: number) {
  const { cellClock, clock } = environment
  const remaining = cellClock.remaining(monotonicMs(clock))
  const inTime = remaining === null || remaining > delayMs
  const ms = inTime ? delayMs : remaining
  const asleep = monotonicMs(clock)
  yield* environment.lend(Effect.sleep(ms))
  // Waiting for a slot afterwards is not the cell's own doing.
  cellClock.excuse(Math.max(0, monotonicMs(clock) - asleep - ms))
  progress.retryWaitMs += ms
  return inTime
})

/** What a call has come to so far. */
interface Progress {
  readonly attempts: Array<Attempt>
  rateLimitWaitMs: number
  retryWaitMs: number
}

const ended = (
  progress: Progress,
  measuredMs: number,
  fields: Partial<Pick<CallOutcome, "answer" | "error" | "cellTimedOut">>
): CallOutcome => ({
  answer: fields.answer ?? null,
  error: fields.error ?? null,
  cellTimedOut: fields.cellTimedOut ?? false,
  measuredMs,
  attempts: progress.attempts,
  rateLimitWaitMs: progress.rateLimitWaitMs,
  retryWaitMs: progress.retryWaitMs
})

const answered = (progress: Progress, begun: Begun, durationMs: number, answer: Generation): CallOutcome => {
  const retried = progress.attempts.length > 0
  begun.granted?.settle({ usage: answer.usage, error: null, quota: answer.quota, retried })
  progress.attempts.push({ startedAt: begun.startedAt, durationMs, error: null, waitMs: 0 })
  return ended(progress, durationMs, { answer })
}

const ranOut = (progress: Progress, begun: Begun, durationMs: number): CallOutcome => {
  giveBack(begun.granted)
  progress.attempts.push({ startedAt: begun.startedAt, durationMs, error: cellTimeout, waitMs: 0 })
  return ended(progress, durationMs, { cellTimedOut: true })
}

/** After a 429 the whole account is left alone until the wait is over. */
const pauseAccount = (settings: CallSettings, error: GenerationError, clock: Clock.Clock, delay: number | null) => {
  if (error.reason !== "rate_limited") return
  const asked = Math.min(error.retryAfterMs ?? 0, settings.retry.maxRetryAfterMs)
  settings.pace.pauseUntil(monotonicMs(clock) + Math.max(delay ?? 0, asked))
}

const failedAttempt = (
  settings: CallSettings,
  { startedAt }: Begun,
  durationMs: number,
  error: GenerationError,
  delay: number | null
): Attempt => {
  const billed = error.usage === undefined ? {} : { usage: error.usage, costUsd: settings.priceOf(error.usage) }
  return { startedAt, durationMs, error: toCellError(error), ...billed, waitMs: delay ?? 0 }
}

/** Attempts until one is answered or none is left; `first` has begun already. */
const repeat = Effect.fnUntraced(function* (
  settings: CallSettings,
  environment: CallEnvironment,
  request: GenerationRequest,
  cellOfAttempt: (attempt: number) => CellContext,
  progress: Progress,
  first: Begun | null
) {
  const { clock, scrub } = environment
  const inForce = yield* RequestCap
  const cap = inForce !== null && isRequest(settings) ? inForce : null
  let step: Step | undefined
  let begun = first
  for (let number = 1; ; number++) {
    if (begun === null) {
      let granted = permitNow(settings, clock)
      if (granted === undefined) {
        const waited = yield* permit(settings, environment)
        granted = waited.granted
        progress.rateLimitWaitMs += waited.waited
      }
      if (environment.isOver()) {
        giveBack(granted)
        return ended(progress, 0, { error: cellIsOver })
      }
      begun = begin(settings, environment, request, cellOfAttempt(number), granted)
    }
    const { granted } = begun
    const attempt = cap === null ? begun.effect : capped(cap, environment, begun)
    const over = yield* Effect.onInterrupt(Effect.exit(attempt), () => Effect.sync(() => giveBack(granted)))
    const exit = over._tag === "Success" && !isAnswer(over.value) ? noAnswer : over
    const durationMs = monotonicMs(clock) - begun.monotonicStart
    if (exit._tag === "Success") return answered(progress, begun, durationMs, exit.value)
    const failure = errorOf(exit)
    if (failure instanceof CellTimeLimit) return ranOut(progress, begun, durationMs)

    const error = scrubbed(
      retryAfterTooLong(failure, settings.retry) ? tooLong(failure, settings.retry) : failure,
      scrub
    )
    granted?.settle({ usage: null, error })
    step ??= yield* Schedule.toStep(settings.policy)
    const now = clock.currentTimeMillisUnsafe()
    const delay = yield* nextDelay(step, now, error)
    pauseAccount(settings, error, clock, delay)
    environment.attemptFailed(number, error, delay)
    progress.attempts.push(failedAttempt(settings, begun, durationMs, error, delay))
    if (delay === null) return ended(progress, durationMs, { error })
    const inTime = yield* backOff(environment, progress, delay)
    if (!inTime) return ended(progress, durationMs, { error, cellTimedOut: true })
    begun = null
  }
})

/**
 * One request through the arena: permits, attempts under their limits, retries. Never fails; the outcome says what
 * happened. Interrupting it abandons the attempt in flight at once. An answer that is there at once is returned as it
 * is, without an Effect.
 */
export const call = (
  settings: CallSettings,
  environment: CallEnvironment,
  request: GenerationRequest,
  cellOfAttempt: (attempt: number) => CellContext
): CallOutcome | Effect.Effect<CallOutcome> => {
  const progress: Progress = { attempts: [], rateLimitWaitMs: 0, retryWaitMs: 0 }
  if (environment.isOver()) return ended(progress, 0, { error: cellIsOver })
  const granted = permitNow(settings, environment.clock)
  if (granted === undefined) return repeat(settings, environment, request, cellOfAttempt, progress, null)
  const begun = begin(settings, environment, request, cellOfAttempt(1), granted)
  const { effect } = begun
  const exit = exitOf(effect)
  return exit !== null && Exit.isSuccess(exit) && isAnswer(exit.value)
    ? answered(progress, begun, monotonicMs(environment.clock) - begun.monotonicStart, exit.value)
    : repeat(settings, environment, request, cellOfAttempt, progress, begun)
}
