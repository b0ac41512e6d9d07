import * as GenerationErrors from "@agent-arena/core/domain/GenerationError"
import { type RetrySettings, retryPolicy } from "@agent-arena/core/engine/RetryPolicy"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"

const settings: RetrySettings = { retries: 10, backoffMs: 2_000, maxRetryAfterMs: 60_000 }

/** Delays that the policy gives to a row of errors; stops at the first that is not repeated. */
const delays = Effect.fnUntraced(function* (
  errors: ReadonlyArray<GenerationErrors.GenerationError>,
  own: Partial<RetrySettings> = {}
) {
  const step = yield* Schedule.toStep(retryPolicy({ ...settings, ...own }))
  const found: Array<number> = []
  for (const error of errors) {
    const delay = yield* Pull.matchEffect(step(0, error), {
      onSuccess: ([, duration]) => Effect.succeed(Duration.toMillis(duration)),
      onFailure: () => Effect.succeed(null),
      onDone: () => Effect.succeed(null)
    })
    if (delay === null) break
    found.push(delay)
  }
  return found
})

const failure = (fields: Partial<Parameters<typeof GenerationErrors.make>[0]>) =>
  GenerationErrors.make({ reason: "server", detail: "x", ...fields })

const repeat = <A>(times: number, value: A): Array<A> => Array.from({ length: times }, () => value)

describe("retryPolicy", () => {
  it.effect("keeps full jitter under a doubling ceiling of at most 60 s", () =>
    Effect.gen(function* () {
      for (const seed of ["a", "b", "c", "d"]) {
        const found = yield* Random.withSeed(delays(repeat(8, failure({}))), seed)
        const ceilings = [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]
        assert.lengthOf(found, 8)
        found.forEach((delay, index) => {
          assert.isAtLeast(delay, 0)
          assert.isAtMost(delay, ceilings[index] ?? 0)
        })
      }
    })
  )

  it.effect("is deterministic under a seed", () =>
    Effect.gen(function* () {
      const errors = repeat(5, failure({}))
      assert.deepStrictEqual(
        yield* Random.withSeed(delays(errors), "seed"),
        yield* Random.withSeed(delays(errors), "seed")
      )
    })
  )

  it.effect("waits as long as Retry-After asks, plus at most a second", () =>
    Effect.gen(function* () {
      const [delay] = yield* delays([failure({ reason: "rate_limited", status: 429, retryAfterMs: 30_000 })])
      assert.isTrue(delay !== undefined && delay >= 30_000 && delay <= 31_000)
    })
  )

  it.effect("gives up at once when Retry-After is longer than the run allows", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* delays([failure({ status: 429, retryAfterMs: 3_600_000 })]), [])
    })
  )

  it.effect("repeats `retries` times", () =>
    Effect.gen(function* () {
      assert.lengthOf(yield* delays(repeat(9, failure({ status: 503 })), { retries: 2 }), 2)
      assert.lengthOf(yield* delays(repeat(9, failure({ status: 503 })), { retries: 0 }), 0)
    })
  )

  it.effect("does not sleep without backoff", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* delays([failure({}), failure({})], { backoffMs: 0 }), [0, 0])
    })
  )
})

describe("GenerationError.isRetryable", () => {
  const terminal = [400, 401, 402, 403, 404, 405, 410, 413, 422, 451]
  const retryable = [408, 409, 425, 429, 500, 502, 503, 504, 529, 599]
  for (const status of terminal) it(`${status} is terminal`, () => assert.isFalse(failure({ status }).isRetryable))
  for (const status of retryable) it(`${status} is retried`, () => assert.isTrue(failure({ status }).isRetryable))

  it("is decided by the reason where no status decides", () => {
    assert.isTrue(failure({ reason: "connection" }).isRetryable)
    assert.isTrue(failure({ reason: "truncated" }).isRetryable)
    assert.isTrue(failure({ reason: "unknown", status: 301 }).isRetryable)
    assert.isFalse(failure({ reason: "authentication" }).isRetryable)
    assert.isFalse(failure({ reason: "aborted" }).isRetryable)
  })

  it("does not repeat a quota error that will not heal, whatever its status", () => {
    assert.isFalse(failure({ reason: "quota_exhausted", status: 429 }).isRetryable)
  })
})
