import { withDeadline } from "@agent-arena/core/engine/Deadline"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"

const late = () => Effect.fail("late" as const)

describe("withDeadline", () => {
  it.effect("passes results and failures on", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* withDeadline(Effect.succeed(1), 10, late), 1)
      assert.deepStrictEqual(yield* Effect.exit(withDeadline(Effect.fail("own"), 10, late)), Exit.fail("own"))
    })
  )

  it.effect("ends an asynchronous effect that is in time", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(withDeadline(Effect.as(Effect.sleep(5), "done"), 10, late))
      yield* TestClock.adjust(5)
      assert.strictEqual(yield* Fiber.join(fiber), "done")
    })
  )

  it.effect("interrupts what is late and reports it", () =>
    Effect.gen(function* () {
      let interrupted = false
      const hanging = Effect.onInterrupt(Effect.never, () => Effect.sync(() => (interrupted = true)))
      const fiber = yield* Effect.forkChild(Effect.exit(withDeadline(hanging, 10, late)))
      yield* TestClock.adjust(10)
      assert.deepStrictEqual(yield* Fiber.join(fiber), Exit.fail("late" as const))
      assert.isTrue(interrupted)
    })
  )

  it.effect("does not wait for an effect that refuses to be interrupted", () =>
    Effect.gen(function* () {
      let finished = false
      const stubborn = Effect.uninterruptible(
        Effect.andThen(
          Effect.sleep(1_000),
          Effect.sync(() => (finished = true))
        )
      )
      const fiber = yield* Effect.forkChild(Effect.exit(withDeadline(stubborn, 10, late)))
      yield* TestClock.adjust(10)
      assert.deepStrictEqual(yield* Fiber.join(fiber), Exit.fail("late" as const))
      assert.isFalse(finished)
      yield* TestClock.adjust(1_000)
    })
  )

  it.effect("abandons the effect when the caller is interrupted", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(withDeadline(Effect.uninterruptible(Effect.sleep(1_000)), null, late), {
        startImmediately: true
      })
      yield* Fiber.interrupt(fiber)
      assert.isTrue(Exit.isFailure(yield* Fiber.await(fiber)))
    })
  )
})
