import * as QuotaPace from "@agent-arena/core/engine/limits/QuotaPace"
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"

const requests = (limit: number | null, remaining: number | null, resetMs: number | null) =>
  QuotaPace.fromQuota({ requests: { limit, remaining, resetMs }, tokens: null }, 500, 1000)

describe("QuotaPace", () => {
  it("asks for nothing while there is enough, or while nothing is said", () => {
    expect(requests(100, 50, 30_000)).toBeNull()
    expect(requests(100, null, 30_000)).toBeNull()
    expect(requests(100, 1, null)).toBeNull()
    expect(QuotaPace.fromQuota({ requests: null, tokens: null }, 500, 0)).toBeNull()
  })

  it("keeps the pace at which the allowance refills once less than a tenth is left", () => {
    // 95 requests are given back in 57 s: one every 600 ms.
    expect(requests(100, 5, 57_000)).toEqual({ intervalMs: 600, until: 58_000 })
    expect(requests(100, 0, 60_000)).toEqual({ intervalMs: 600, until: 61_000 })
  })

  it("spreads what is left when the size of the allowance is not known", () => {
    expect(requests(null, 4, 20_000)).toEqual({ intervalMs: 5000, until: 21_000 })
    expect(requests(null, 40, 20_000)).toBeNull()
  })

  it("counts tokens in calls of the usual size", () => {
    const tokens = { limit: 100_000, remaining: 5000, resetMs: 57_000 }
    // 95,000 tokens are given back in 57 s, 500 of them in 300 ms.
    expect(QuotaPace.fromQuota({ requests: null, tokens }, 500, 0)?.intervalMs).toBeCloseTo(300)
    const both = { requests: { limit: 100, remaining: 5, resetMs: 57_000 }, tokens }
    expect(QuotaPace.fromQuota(both, 500, 0)?.intervalMs).toBeCloseTo(600)
  })

  it("never stops a run for longer than a minute between two calls", () => {
    const count = fc.option(fc.double({ min: 1, max: 1e9, noNaN: true }), { nil: null })
    fc.assert(
      fc.property(
        count,
        count,
        count,
        fc.double({ min: 1, max: 1e6, noNaN: true }),
        (limit, remaining, resetMs, size) => {
          const allowance = { limit, remaining, resetMs }
          const pace = QuotaPace.fromQuota({ requests: allowance, tokens: allowance }, size, 0)
          if (pace === null) return
          expect(pace.intervalMs).toBeGreaterThan(0)
          expect(pace.intervalMs).toBeLessThanOrEqual(60_000)
          expect(pace.until).toBeLessThanOrEqual(60_000)
        }
      )
    )
  })
})
