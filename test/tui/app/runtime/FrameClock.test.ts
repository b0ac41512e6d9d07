import { makeFrameClock } from "@agent-arena/tui/src/app/runtime/FrameClock.ts"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"

describe("the frame clock", () => {
  it.effect("draws ten frames a second however much happens", () =>
    Effect.gen(function* () {
      let drawn = 0
      const clock = yield* makeFrameClock(() => {
        drawn += 1
      })
      for (let step = 0; step < 1000; step++) {
        clock.changed()
        yield* TestClock.adjust(1)
      }
      expect(drawn).toBeGreaterThanOrEqual(9)
      expect(drawn).toBeLessThanOrEqual(11)
    }).pipe(Effect.scoped)
  )

  it.effect("draws nothing when nothing happens", () =>
    Effect.gen(function* () {
      let drawn = 0
      yield* makeFrameClock(() => {
        drawn += 1
      })
      yield* TestClock.adjust("1 minute")
      expect(drawn).toBe(0)
    }).pipe(Effect.scoped)
  )

  it.effect("rests the longer, the more a frame costs", () =>
    Effect.gen(function* () {
      let drawn = 0
      let onItsWay = false
      const clock = yield* makeFrameClock(() => {
        drawn += 1
        onItsWay = true
      })
      for (let step = 0; step < 300; step++) {
        clock.changed()
        const before = onItsWay
        yield* TestClock.adjust(10)
        // Every frame takes 10 ms until it stands on the screen: one in 300 ms is a thirtieth of the time.
        if (before) clock.painted()
        if (before) onItsWay = false
      }
      expect(drawn).toBeLessThanOrEqual(12)
      expect(drawn).toBeGreaterThanOrEqual(8)
    }).pipe(Effect.scoped)
  )

  it.effect("answers a key at once, and a burst of keys with one frame", () =>
    Effect.gen(function* () {
      let drawn = 0
      const clock = yield* makeFrameClock(() => {
        drawn += 1
      })
      clock.changed()
      yield* TestClock.adjust(1)
      expect(drawn).toBe(1)
      for (let key = 0; key < 10; key++) clock.acted()
      yield* Effect.promise(() => Promise.resolve())
      expect(drawn).toBe(2)
    }).pipe(Effect.scoped)
  )
})
