import { unknownUsage } from "@agent-arena/core/domain/Generation"
import * as GenerationError from "@agent-arena/core/domain/GenerationError"
import * as RateLimits from "@agent-arena/core/engine/limits/RateLimits"
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"

const none = { rpm: null, tpm: null, concurrency: null, burst: null }

const limiter = (
  settings: Partial<typeof none> | Readonly<Record<string, number>>,
  options?: RateLimits.LimitOptions
) => Effect.map(Clock.Clock, (clock) => RateLimits.make({ ...none, ...settings }, clock, options))

const used = (prompt: number, completion: number) => ({ usage: { ...unknownUsage, prompt, completion }, error: null })
const answered = { usage: unknownUsage, error: null }
const refused = (retryAfterMs: number | null = null) => ({
  usage: null,
  error: GenerationError.make({ reason: "rate_limited", detail: "slow down", status: 429, retryAfterMs })
})

/** Starts calls that each take a permit and note when, in order; the calls never end. */
const starts = (limits: RateLimits.RateLimiter, count: number, tokens?: number) =>
  Effect.gen(function* () {
    const at: Array<number> = []
    const one = Effect.gen(function* () {
      yield* tokens === undefined ? limits.acquire : limits.acquireFor(tokens)
      at.push(yield* Clock.currentTimeMillis)
    })
    for (let index = 0; index < count; index++) yield* Effect.forkChild(one, { startImmediately: true })
    return at
  })

describe("requests a minute", () => {
  it.effect("come in one burst, then at the configured rate", () =>
    Effect.gen(function* () {
      const limits = yield* limiter({ rpm: 60, burst: 3 })
      const at = yield* starts(limits, 6)
      yield* TestClock.adjust("10 seconds")
      expect(at).toEqual([0, 0, 0, 1000, 2000, 3000])
      expect(limits.snapshot()).toMatchObject({
        waitedMs: 6000,
        waiting: 0,
        inFlight: 6,
        adaptive: false,
        concurrency: null
      })
    })
  )

  it.effect("never exceed a tenth more than the limit in a minute when no burst is given", () =>
    Effect.gen(function* () {
      const limits = yield* limiter({ rpm: 120 })
      const at = yield* starts(limits, 500)
      yield* TestClock.adjust("3 minutes")
      for (const start of at) {
        expect(at.filter((other) => other >= start && other < start + 60_000).length).toBeLessThanOrEqual(133)
      }
      expect(at.length).toBe(12 + 3 * 120)
    })
  )

  it.effect("are counted whether or not the call succeeds", () =>
    Effect.gen(function* () {
      const limits = yield* limiter({ rpm: 60, burst: 1 })
      limits.tryAcquire()?.settle(refused())
      expect(limits.tryAcquire()).toBeUndefined()
      yield* TestClock.adjust("1 second")
      expect(limits.tryAcquire()).toBeDefined()
    })
  )
})

describe("tokens a minute", () => {
  it.effect("are reserved before a call and corrected after it", () =>
    Effect.gen(function* () {
      const limits = yield* limiter({ tpm: 6000 })
      const first = limits.tryAcquire(1000)
      expect(first).toBeDefined()
      expect(limits.tryAcquire(500)).toBeUndefined()
      first?.settle(used(300, 100))
      expect(limits.tryAcquire(500)).toBeDefined()
    })
  )

  it.effect("of a larger call than expected are paid for by waiting", () =>
    Effect.gen(function* () {
      const limits = yield* limiter({ tpm: 6000 })
      limits.tryAcquire(100)?.settle(used(2000, 1000))
      const at = yield* starts(limits, 1, 100)
      yield* TestClock.adjust("20 seconds")
      expect(at).toEqual([])
      yield* TestClock.adjust("1 second")
      expect(at).toEqual([21_000])
    })
  )

  it.effect("are given back when the provider did not take the call, and kept when nobody knows", () =>
    Effect.gen(function* () {
      const limits = yield* limiter({ tpm: 6000 })
      limits.tryAcquire(1000)?.settle(refused())
      const second = limits.tryAcquire(1000)
      expect(second).toBeDefined()
      second?.settle({ usage: null, error: GenerationError.make({ reason: "timeout", detail: "" }) })
      expect(limits.tryAcquire(1000)).toBeUndefined()
    })
  )

  it.effect("are expected to be as many as calls used before", () =>
    Effect.gen(function* () {
      const limits = yield* limiter({ tpm: 600_000 })
      for (let index = 0; index < 40; index++) limits.tryAcquire(10)?.settle(used(8, 2))
      const small = yield* limiter({ tpm: 600_000 })
      const count = (one: RateLimits.RateLimiter) => {
        let granted = 0
        while (one.tryAcquire() !== undefined) granted += 1
        return granted
      }
      expect(count(small)).toBe(100)
      expect(count(limits)).toBeGreaterThan(1000)
    })
  )
})

describe("calls at once", () => {
  it.effect("are at most as many as configured; a call that ends lets the next one in, in order", () =>
    Effect.gen(function* () {
      const limits = yield* limiter({ concurrency: 2 })
      const order: Array<string> = []
      const first = limits.tryAcquire()
      const second = limits.tryAcquire()
      for (const name of ["a", "b", "c"]) {
        yield* Effect.forkChild(
          Effect.map(limits.acquire, () => order.push(name)),
          { startImmediately: true }
        )
      }
      expect(limits.snapshot()).toMatchObject({ concurrency: 2, inFlight: 2, waiting: 3 })
      first?.settle(answered)
      yield* TestClock.adjust(0)
      expect(order).toEqual(["a"])
      second?.settle(answered)
      yield* TestClock.adjust(0)
      expect(order).toEqual(["a", "b"])
    })
  )

  it.effect("newcomers do not overtake those who wait", () =>
    Effect.gen(function* () {
      const limits = yield* limiter({ concurrency: 1 })
      const first = limits.tryAcquire()
      const waiting = yield* Effect.forkChild(limits.acquire, { startImmediately: true })
      first?.settle(answered)
      expect(limits.tryAcquire()).toBeUndefined()
      const permit = yield* Fiber.join(waiting)
      permit.settle(answered)
      expect(limits.tryAcquire()).toBeDefined()
    })
  )

  it.effect("one who gives up waiting leaves the queue", () =>
    Effect.gen(function* () {
      const limits = yield* limiter({ concurrency: 1 })
      const first = limits.tryAcquire()
      const impatient = yield* Effect.forkChild(limits.acquire, { startImmediately: true })
      const patient = yield* Effect.forkChild(limits.acquire, { startImmediately: true })
      yield* Fiber.interrupt(impatient)
      expect(limits.snapshot().waiting).toBe(1)
      first?.settle(answered)
      yield* Fiber.join(patient)
      expect(limits.snapshot()).toMatchObject({ waiting: 0, inFlight: 1 })
    })
  )

  it.effect("a permit that is settled twice counts once", () =>
    Effect.gen(function* () {
      const limits = yield* limiter({ concurrency: 2 })
      const first = limits.tryAcquire()
      limits.tryAcquire()
      first?.settle(answered)
      first?.settle(answered)
      expect(limits.snapshot().inFlight).toBe(1)
    })
  )

  it.effect("waiting is measured", () =>
    Effect.gen(function* () {
      const limits = yield* limiter({ concurrency: 1 })
      const first = limits.tryAcquire()
      const waiting = yield* Effect.forkChild(limits.acquire, { startImmediately: true })
      yield* TestClock.adjust("3 seconds")
      first?.settle(answered)
      expect((yield* Fiber.join(waiting)).waitedMs).toBe(3000)
    })
  )
})

describe("without a configured limit", () => {
  it.effect("the number of calls at once follows the account's 429s, and its path is kept", () =>
    Effect.gen(function* () {
      const limits = yield* limiter({}, { adaptive: { start: 4 } })
      const permits = Array.from({ length: 4 }, () => limits.tryAcquire())
      expect(limits.tryAcquire()).toBeUndefined()
      for (const permit of permits) permit?.settle(answered)
      expect(limits.snapshot()).toMatchObject({ concurrency: 8, adaptive: true })
      yield* TestClock.adjust("5 seconds")
      limits.tryAcquire()?.settle(refused())
      expect(limits.history()).toEqual([
        { at: 0, limit: 4, reason: "start" },
        { at: 0, limit: 8, reason: "growth" },
        { at: 5000, limit: 6, reason: "rate_limited" }
      ])
    })
  )

  it.effect("an attempt that was given up, or a second try, proves nothing", () =>
    Effect.gen(function* () {
      const limits = yield* limiter({}, { adaptive: { start: 4 } })
      const given = Array.from({ length: 4 }, () => limits.tryAcquire())
      for (const permit of given) permit?.settle({ usage: null, error: null })
      const retried = Array.from({ length: 4 }, () => limits.tryAcquire())
      for (const permit of retried) permit?.settle({ ...answered, retried: true })
      expect(limits.snapshot().concurrency).toBe(4)
    })
  )

  it.effect("keeps the last 200 changes only", () =>
    Effect.gen(function* () {
      const limits = yield* limiter({}, { adaptive: { start: 100 } })
      for (let index = 0; index < 300; index++) {
        yield* TestClock.adjust("15 seconds")
        const permits = Array.from({ length: 6 }, () => limits.tryAcquire())
        for (const permit of permits) permit?.settle(index % 2 === 0 ? refused() : answered)
      }
      expect(limits.history().length).toBeLessThanOrEqual(200)
      expect(limits.history().length).toBeGreaterThan(20)
    })
  )
})

describe("a refusal that says when to come back", () => {
  it.effect("stops everybody until then", () =>
    Effect.gen(function* () {
      const limits = yield* limiter({ concurrency: 10 })
      limits.tryAcquire()?.settle(refused(4000))
      expect(limits.tryAcquire()).toBeUndefined()
      expect(limits.snapshot().pausedMs).toBe(4000)
      const at = yield* starts(limits, 3)
      yield* TestClock.adjust("5 seconds")
      expect(at).toEqual([4000, 4000, 4000])
    })
  )
})

describe("a quota that runs low", () => {
  it.effect("spaces calls before the account refuses any, and stops when there is enough again", () =>
    Effect.gen(function* () {
      const limits = yield* limiter({ concurrency: 50 })
      const low = { requests: { limit: 100, remaining: 5, resetMs: 47_500 }, tokens: null }
      limits.tryAcquire()?.settle({ ...answered, quota: low })
      expect(limits.snapshot().intervalMs).toBe(500)
      const at = yield* starts(limits, 4)
      yield* TestClock.adjust("5 seconds")
      expect(at).toEqual([500, 1000, 1500, 2000])
      const plenty = { requests: { limit: 100, remaining: 90, resetMs: 1000 }, tokens: null }
      yield* TestClock.adjust("1 second")
      limits.tryAcquire()?.settle({ ...answered, quota: plenty })
      expect(limits.snapshot().intervalMs).toBe(0)
      expect(limits.tryAcquire()).toBeDefined()
      expect(limits.tryAcquire()).toBeDefined()
    })
  )
})

it.effect("under pressure, an account of ten calls a second serves all of a run without failing it", () =>
  Effect.gen(function* () {
    const limits = yield* limiter({})
    const clock = yield* Clock.Clock
    let second = -1
    let inSecond = 0
    let refusals = 0
    /** Answers after 200 ms; refuses what is beyond ten calls in a second. */
    const call = Effect.gen(function* () {
      const now = Math.floor(clock.currentTimeMillisUnsafe() / 1000)
      if (now !== second) inSecond = 0
      second = now
      inSecond += 1
      const fits = inSecond <= 10
      yield* Effect.sleep("200 millis")
      if (!fits) refusals += 1
      return fits
    })
    const cell = Effect.gen(function* () {
      for (let attempt = 1; ; attempt++) {
        const permit = yield* limits.acquire
        const fits = yield* call
        permit.settle(fits ? { ...answered, retried: attempt > 1 } : refused(1000))
        if (fits) return attempt
        yield* Effect.sleep("1 second")
      }
    })
    const run = yield* Effect.forkChild(
      Effect.forEach(Array.from({ length: 1000 }), () => cell, { concurrency: "unbounded" }),
      { startImmediately: true }
    )
    yield* TestClock.adjust("10 minutes")
    const attempts = yield* Fiber.join(run)
    expect(attempts.length).toBe(1000)
    expect(limits.snapshot()).toMatchObject({ inFlight: 0, waiting: 0 })
    expect(limits.snapshot().concurrency).toBeLessThan(10)
    expect(refusals).toBeLessThan(1000)
  })
)
