import * as Target from "@agent-arena/core/connector/Target"
import * as GenerationErrors from "@agent-arena/core/domain/GenerationError"
import { Arena } from "@agent-arena/core/engine/Arena"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { finished, inFlight } from "../observation.ts"
import { projectWith, start, tally } from "./Started.ts"

/** The clock of the test with a wall clock that somebody sets; what only ever moves forward is not touched. */
const settableClock = Effect.map(Clock.Clock, (clock) => {
  const wall = { offsetMs: 0 }
  const currentTimeMillisUnsafe = () => clock.currentTimeMillisUnsafe() + wall.offsetMs
  const settable: Clock.Clock = {
    ...clock,
    currentTimeMillisUnsafe,
    currentTimeMillis: Effect.sync(currentTimeMillisUnsafe),
    currentTimeNanosUnsafe: () => BigInt(currentTimeMillisUnsafe()) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(currentTimeMillisUnsafe()) * 1_000_000n)
  }
  return { wall, settable }
})

const day = 24 * 60 * 60 * 1_000

describe("a wall clock that is set while a run goes on", () => {
  it.effect("forward does not end cells before their time", () =>
    Effect.gen(function* () {
      const { settable, wall } = yield* settableClock
      const target = Target.make("t", (_request, cell) =>
        cell.attempt === 1
          ? Effect.andThen(
              Effect.sync(() => {
                wall.offsetMs = day
              }),
              Effect.fail(GenerationErrors.make({ reason: "overloaded", detail: "busy", status: 503 }))
            )
          : Effect.as(Effect.sleep("1 second"), "yes")
      )
      const project = yield* projectWith([target], 1, { run: { cell_timeout_s: 60, retries: 1, retry_backoff_s: 0 } })
      const { run, stored } = yield* Effect.provideService(start(project), Clock.Clock, settable)
      yield* inFlight(run, 1)
      yield* TestClock.adjust("2 seconds")
      const report = yield* run.result
      assert.deepStrictEqual(tally((yield* stored).results), { answered: 1 })
      assert.isBelow(report.run.durationMs ?? day, 10_000)
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("back prolongs neither the pause of a provider nor the time of a cell", () =>
    Effect.gen(function* () {
      const { settable, wall } = yield* settableClock
      const limited = GenerationErrors.make({
        reason: "rate_limited",
        detail: "slow down",
        status: 429,
        retryAfterMs: 5_000
      })
      const target = Target.make("t", (_request, cell) =>
        cell.caseId === "t1" && cell.attempt === 1 ? Effect.fail(limited) : Effect.succeed("yes")
      )
      const project = yield* projectWith([target], 4, { run: { concurrency: 1, retries: 1, cell_timeout_s: 60 } })
      const { run, stored } = yield* Effect.provideService(start(project), Clock.Clock, settable)
      yield* inFlight(run, 1)
      wall.offsetMs = -day
      yield* TestClock.adjust("7 seconds")
      yield* finished(run, 4)
      assert.strictEqual((yield* run.result).run.status, "completed")
      const { record, results } = yield* stored
      assert.deepStrictEqual(tally(results), { answered: 4 })
      assert.isAtLeast(record?.durationMs ?? -1, 0)
    }).pipe(Effect.provide(Arena.layer))
  )
})
