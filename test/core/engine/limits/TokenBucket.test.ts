import * as TokenBucket from "@agent-arena/core/engine/limits/TokenBucket"
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"

const steps = fc.array(
  fc.record({
    pause: fc.double({ min: 0, max: 5000, noNaN: true }),
    amount: fc.double({ min: 0.5, max: 10, noNaN: true })
  }),
  { minLength: 1, maxLength: 60 }
)

describe("TokenBucket", () => {
  it("gives no more in any span of time than its capacity and what flowed in", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 10, max: 50 }), steps, (rate, capacity, plan) => {
        let bucket = TokenBucket.make(rate, capacity, 0)
        let now = 0
        const taken: Array<{ readonly at: number; readonly amount: number }> = []
        for (const { pause, amount } of plan) {
          now += pause
          now += TokenBucket.waitFor(bucket, amount, now)
          bucket = TokenBucket.take(bucket, amount, now)
          taken.push({ at: now, amount })
        }
        for (const [start, first] of taken.entries()) {
          let total = 0
          for (const one of taken.slice(start)) {
            total += one.amount
            expect(total).toBeLessThanOrEqual(capacity + ((one.at - first.at) * rate) / 60_000 + 1e-6)
          }
        }
      })
    )
  })

  it("never makes anybody wait longer than the missing amount needs", () => {
    const empty = TokenBucket.take(TokenBucket.make(60, 10, 0), 10, 0)
    expect(TokenBucket.waitFor(empty, 3, 0)).toBeCloseTo(3000)
    expect(TokenBucket.waitFor(empty, 3, 2000)).toBeCloseTo(1000)
    expect(TokenBucket.waitFor(empty, 3, 3000)).toBe(0)
  })

  it("lends more than it holds to a request that is larger, and then waits until the debt is paid", () => {
    const full = TokenBucket.make(60, 10, 0)
    expect(TokenBucket.waitFor(full, 25, 0)).toBe(0)
    const indebted = TokenBucket.take(full, 25, 0)
    expect(indebted.level).toBe(-15)
    expect(TokenBucket.waitFor(indebted, 1, 0)).toBeCloseTo(16_000)
  })

  it("takes corrections both ways, and never holds more than its capacity", () => {
    const used = TokenBucket.take(TokenBucket.make(60, 100, 0), 40, 0)
    expect(TokenBucket.correct(used, 30, 0).level).toBe(30)
    expect(TokenBucket.correct(used, -25, 0).level).toBe(85)
    expect(TokenBucket.correct(used, -90, 0).level).toBe(100)
  })

  it("does not lose anything to a clock that goes back", () => {
    const bucket = TokenBucket.take(TokenBucket.make(60, 10, 1000), 4, 1000)
    expect(TokenBucket.refill(bucket, 500)).toEqual(bucket)
  })
})
