import * as Adaptive from "@agent-arena/core/engine/limits/AdaptiveConcurrency"
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"

const clean: Adaptive.AdaptiveOutcome = { _tag: "Clean" }
const neutral: Adaptive.AdaptiveOutcome = { _tag: "Neutral" }
const limited = (retryAfterMs: number | null = null): Adaptive.AdaptiveOutcome => ({
  _tag: "RateLimited",
  retryAfterMs
})

/** A round in which `used` calls run at once and all end in the same way. */
const round = (
  state: Adaptive.AdaptiveState,
  used: number,
  outcome: Adaptive.AdaptiveOutcome,
  now: number,
  ends = used
) => {
  let next = state
  for (let index = 0; index < used; index++) next = Adaptive.started(next)
  for (let index = 0; index < ends; index++) next = Adaptive.ended(next, outcome, now)
  return next
}

const start = Adaptive.initial(Adaptive.defaultOptions)
const after429 = Adaptive.ended(Adaptive.started(start), limited(), 0)

describe("AdaptiveConcurrency", () => {
  it("doubles as long as nobody was refused, up to its maximum", () => {
    const path = [start.limit]
    let state = start
    for (let index = 0; index < 4; index++) {
      state = round(state, state.limit, clean, index)
      path.push(state.limit)
    }
    expect(path).toEqual([20, 40, 80, 100, 100])
  })

  it("does not raise a limit that was not used", () => {
    expect(round(start, 5, clean, 0).limit).toBe(20)
    let state = start
    for (let index = 0; index < 20; index++) state = round(state, 5, clean, index)
    expect(state.limit).toBe(20)
  })

  it("cuts by a fifth on a 429, to a multiple of five", () => {
    expect(after429.limit).toBe(15)
    const hundred = { ...start, limit: 100 }
    expect(Adaptive.ended(Adaptive.started(hundred), limited(), 0).limit).toBe(80)
    expect(Adaptive.ended(Adaptive.started({ ...start, limit: 7 }), limited(), 0).limit).toBe(5)
    expect(Adaptive.ended(Adaptive.started({ ...start, limit: 1 }), limited(), 0).limit).toBe(1)
  })

  it("cuts once an episode, however many calls it refuses", () => {
    const state = round({ ...start, limit: 40 }, 40, limited(), 1000)
    expect(state.limit).toBe(30)
    const later = Adaptive.ended(Adaptive.started(state), limited(), 1000 + Adaptive.cooldownMs)
    expect(later.limit).toBe(20)
  })

  it("waits for a Retry-After that is longer than its own cooldown", () => {
    const state = Adaptive.ended(Adaptive.started(start), limited(60_000), 0)
    expect(Adaptive.ended(Adaptive.started(state), limited(), 59_000).limit).toBe(15)
    expect(Adaptive.ended(Adaptive.started(state), limited(), 60_000).limit).toBe(10)
  })

  it("grows in small steps after a 429, and not before the cooldown is over", () => {
    expect(round(after429, 15, clean, Adaptive.cooldownMs - 1).limit).toBe(15)
    expect(round(after429, 15, clean, Adaptive.cooldownMs).limit).toBe(20)
  })

  it("learns nothing from calls that failed for other reasons", () => {
    const state = round(start, 20, neutral, 0)
    expect(state).toEqual({ ...start, peak: 20 })
  })

  it("a 429 empties the running round", () => {
    const nearly = round({ ...after429, cooldownUntil: 0 }, 15, clean, 1, 14)
    const refused = Adaptive.ended({ ...nearly, cooldownUntil: 10 }, limited(), 2)
    expect(refused.limit).toBe(15)
    expect(Adaptive.ended(Adaptive.started(refused), clean, 11).limit).toBe(15)
  })

  it("stays within its bounds, whatever happens", () => {
    const event = fc.oneof(
      fc.constant("start" as const),
      fc.constant("clean" as const),
      fc.constant("neutral" as const),
      fc.constant("limited" as const)
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(event, fc.integer({ min: 0, max: 20_000 })), { maxLength: 400 }), (events) => {
        let state = start
        let now = 0
        for (const [what, pause] of events) {
          now += pause
          const before = state
          if (what === "start") state = Adaptive.started(state)
          else if (what === "clean") state = Adaptive.ended(state, clean, now)
          else if (what === "neutral") state = Adaptive.ended(state, neutral, now)
          else state = Adaptive.ended(state, limited(), now)
          expect(Number.isInteger(state.limit)).toBe(true)
          expect(state.limit).toBeGreaterThanOrEqual(1)
          expect(state.limit).toBeLessThanOrEqual(100)
          expect(state.inFlight).toBeGreaterThanOrEqual(0)
          if (state.limit < before.limit) expect(what).toBe("limited")
          if (state.limit > before.limit) expect(what).toBe("clean")
        }
      })
    )
  })

  it("finds the capacity of an account and stays near it", () => {
    // Each round of one second starts as many calls as allowed; the account refuses those beyond its capacity.
    const capacity = 37
    let state = start
    let refused = 0
    let served = 0
    for (let second = 0; second < 600; second++) {
      const now = second * 1000
      const calls = state.limit
      for (let index = 0; index < calls; index++) state = Adaptive.started(state)
      for (let index = 0; index < calls; index++) {
        const fits = index < capacity
        if (second >= 60) {
          if (fits) served += 1
          else refused += 1
        }
        state = Adaptive.ended(state, fits ? clean : limited(), now)
      }
    }
    expect(refused / (refused + served)).toBeLessThan(0.03)
    expect(served / (540 * capacity)).toBeGreaterThan(0.8)
  })
})
