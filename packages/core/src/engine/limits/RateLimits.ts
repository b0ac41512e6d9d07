/** The limits of one provider account, shared by everything that calls it. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { AttemptOutcome, LimitSettings } from "./AccountState.ts"
import * as AccountState from "./AccountState.ts"
import * as Adaptive from "./AdaptiveConcurrency.ts"

/** Bounds of the adaptive limit, which is in force when nothing is configured. */
export interface LimitOptions {
  readonly adaptive?: Partial<Adaptive.AdaptiveOptions>
}

/** Leave to make one attempt. */
export interface LimitPermit {
  /** How long it took to get, ms. */
  readonly waitedMs: number
  /** Gives the place back and corrects the reservation of tokens. Only the first call counts. */
  readonly settle: (outcome: AttemptOutcome) => void
}

/** A change of how many calls at once are allowed. `at` is Unix epoch ms. */
export interface LimitChange {
  readonly at: number
  readonly limit: number
  readonly reason: "start" | "growth" | "rate_limited"
}

/** How the limits stand. */
export interface LimitSnapshot {
  /** Calls at once; null = not limited. */
  readonly concurrency: number | null
  readonly adaptive: boolean
  readonly inFlight: number
  readonly waiting: number
  /** Waiting of all permits so far, ms. */
  readonly waitedMs: number
  /** Distance kept between calls because the account's quota runs low, ms; 0 = none. */
  readonly intervalMs: number
  /** Rest of the pause that a 429 asked for, ms; 0 = none. */
  readonly pausedMs: number
}

/** The limits of one account. Waiting is first come, first served. */
export interface RateLimiter {
  /** A permit if one is free at once and nobody waits; `tokens` = expected size of the call, by default as learnt. */
  readonly tryAcquire: (tokens?: number) => LimitPermit | undefined
  /** Waits for a permit, with the size of the call as learnt from those before. */
  readonly acquire: Effect.Effect<LimitPermit>
  /** Waits for a permit for a call of about `tokens` tokens. */
  readonly acquireFor: (tokens: number) => Effect.Effect<LimitPermit>
  readonly snapshot: () => LimitSnapshot
  /** The path of the adaptive limit, oldest first, at most 200 changes; empty when the limit is configured. */
  readonly history: () => ReadonlyArray<LimitChange>
}

const mostChanges = 200

/** Somebody in the queue; `wake` is there while they sleep. */
interface Waiter {
  wake: (() => void) | null
}

/** Sleeps until the waiter is woken. */
const woken = (waiter: Waiter): Effect.Effect<void> =>
  Effect.callback((resume) => {
    waiter.wake = () => {
      waiter.wake = null
      resume(Effect.void)
    }
    return Effect.sync(() => {
      waiter.wake = null
    })
  })

/** See `make`. */
class AccountLimiter implements RateLimiter {
  readonly #clock: Clock.Clock
  readonly #state: AccountState.AccountState
  readonly #changes: Array<LimitChange> = []
  readonly #waiters: Array<Waiter> = []
  #waitedMs = 0

  constructor(settings: LimitSettings, clock: Clock.Clock, adaptive: Adaptive.AdaptiveOptions) {
    this.#clock = clock
    this.#state = AccountState.make(settings, adaptive, this.#now())
    this.#record("start")
  }

  #now(): number {
    return Number(this.#clock.monotonicTimeNanosUnsafe()) / 1e6
  }

  #record(reason: LimitChange["reason"]): void {
    if (!this.#state.isAdaptive) return
    if (this.#changes.length === mostChanges) this.#changes.shift()
    this.#changes.push({ at: this.#clock.currentTimeMillisUnsafe(), limit: this.#state.concurrency.limit, reason })
  }

  #wakeFirst(): void {
    this.#waiters[0]?.wake?.()
  }

  #settle(reserved: number, outcome: AttemptOutcome): void {
    const before = this.#state.concurrency.limit
    AccountState.end(this.#state, reserved, outcome, this.#now())
    const after = this.#state.concurrency.limit
    if (after !== before) this.#record(after > before ? "growth" : "rate_limited")
    this.#wakeFirst()
  }

  #grant(tokens: number, at: number, waitedMs: number): LimitPermit {
    AccountState.start(this.#state, tokens, at)
    this.#waitedMs += waitedMs
    let open = true
    return {
      waitedMs,
      settle: (outcome) => {
        if (open) this.#settle(tokens, outcome)
        open = false
      }
    }
  }

  readonly tryAcquire = (tokens: number = this.#state.expected): LimitPermit | undefined => {
    const at = this.#now()
    const free = this.#waiters.length === 0 && AccountState.delay(this.#state, tokens, at) === 0
    return free ? this.#grant(tokens, at, 0) : undefined
  }

  readonly #queued = Effect.fnUntraced({ self: this }, function* (tokens: number, waiter: Waiter) {
    const since = this.#now()
    while (true) {
      const at = this.#now()
      const isFirst = this.#waiters[0] === waiter
      const wait = isFirst ? AccountState.delay(this.#state, tokens, at) : Number.POSITIVE_INFINITY
      if (wait === 0) return this.#grant(tokens, at, at - since)
      yield* Number.isFinite(wait) ? Effect.raceFirst(woken(waiter), Effect.sleep(Math.ceil(wait))) : woken(waiter)
    }
  })

  readonly acquireFor = (tokens: number): Effect.Effect<LimitPermit> =>
    Effect.suspend(() => {
      const free = this.tryAcquire(tokens)
      if (free !== undefined) return Effect.succeed(free)
      const waiter: Waiter = { wake: null }
      this.#waiters.push(waiter)
      const leave = Effect.sync(() => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
        this.#wakeFirst()
      })
      return Effect.ensuring(this.#queued(tokens, waiter), leave)
    })

  readonly acquire = Effect.suspend(() => this.acquireFor(this.#state.expected))

  readonly history = (): ReadonlyArray<LimitChange> => [...this.#changes]

  readonly snapshot = (): LimitSnapshot => {
    const { concurrency, isAdaptive, isUnlimited, pace, pausedUntil } = this.#state
    const now = this.#now()
    return {
      concurrency: isUnlimited ? null : concurrency.limit,
      adaptive: isAdaptive,
      inFlight: concurrency.inFlight,
      waiting: this.#waiters.length,
      waitedMs: this.#waitedMs,
      intervalMs: pace === null || now >= pace.until ? 0 : pace.intervalMs,
      pausedMs: Math.max(0, pausedUntil - now)
    }
  }
}

/**
 * Makes the limits of one account. With none configured, the number of calls at once adapts to the account's 429s; what
 * is configured holds as it is. Calls slow down when the provider's headers say that little is left.
 */
export const make = (settings: LimitSettings, clock: Clock.Clock, options: LimitOptions = {}): RateLimiter =>
  new AccountLimiter(settings, clock, { ...Adaptive.defaultOptions, ...options.adaptive })
