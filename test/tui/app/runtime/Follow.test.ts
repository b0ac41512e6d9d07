import { Running } from "@agent-arena/tui/src/app/run/CellState.ts"
import { finishedCells } from "@agent-arena/tui/src/app/run/Fold.ts"
import { makeOpenRun } from "@agent-arena/tui/src/app/run/OpenRun.ts"
import { countOf } from "@agent-arena/tui/src/app/run/RunModel.ts"
import { follow } from "@agent-arena/tui/src/app/runtime/Follow.ts"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { type ArenaOptions, simulatedArena } from "../simulation/SimulatedArena.ts"

const shape: ArenaOptions = {
  contestants: 4,
  cases: 1000,
  trials: 2,
  seed: 9,
  concurrency: 32,
  stepMs: 1,
  startedAt: 0,
  perSecond: 1000
}

const choice = { contestants: [], tags: [], trials: 1, concurrency: 1 }

/** Follows a simulated run to its end; how often the screen was told that something changed. */
const followed = (options: Partial<ArenaOptions>) =>
  Effect.gen(function* () {
    const source = yield* simulatedArena({ ...shape, ...options }).start(choice)
    const run = makeOpenRun(source)
    let changes = 0
    const fiber = yield* Effect.forkChild(
      follow(run, () => {
        changes += 1
      })
    )
    yield* TestClock.adjust("1 minute")
    yield* Fiber.join(fiber)
    return { run, changes }
  }).pipe(Effect.scoped)

describe("following a run", () => {
  it.effect("takes in every event of a run that goes slowly", () =>
    Effect.gen(function* () {
      const { run } = yield* followed({ cases: 100 })
      expect(run.model.gaps).toBe(0)
      expect(finishedCells(run.model.total)).toBe(800)
      expect(run.model.retries).toBeGreaterThan(0)
      expect(run.final).toBe(true)
    })
  )

  it.effect("hears a fast run by samples, and still knows every outcome of it", () =>
    Effect.gen(function* () {
      const { run, changes } = yield* followed({ cases: 3000, perSecond: 30_000 })
      const exact = yield* followed({ cases: 3000, perSecond: 4000 })
      expect(run.model.gaps).toBeGreaterThan(0)
      expect(finishedCells(run.model.total)).toBe(24_000)
      expect(countOf(run.model.total, Running)).toBe(0)
      expect([...run.model.states]).toEqual([...exact.run.model.states])
      expect(run.model.total.scored).toBe(exact.run.model.total.scored)
      expect(changes).toBeLessThan(exact.changes)
    })
  )

  it.effect("ranks while it goes on, about once a second", () =>
    Effect.gen(function* () {
      const source = yield* simulatedArena({ ...shape, cases: 100 }).start(choice)
      const run = makeOpenRun(source)
      yield* Effect.forkChild(follow(run, () => undefined))
      yield* TestClock.adjust("1100 millis")
      expect(run.leaderboard?.entries).toHaveLength(4)
      expect(run.final).toBe(false)
    }).pipe(Effect.scoped)
  )
})
