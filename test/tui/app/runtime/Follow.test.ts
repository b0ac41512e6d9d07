import { CaseId, ContestantKey } from "@agent-arena/core/domain/Ids"
import * as RunEvents from "@agent-arena/core/engine/RunEvents"
import { Running } from "@agent-arena/tui/src/app/run/CellState.ts"
import { finishedCells } from "@agent-arena/tui/src/app/run/Fold.ts"
import { makeOpenRun } from "@agent-arena/tui/src/app/run/OpenRun.ts"
import { countOf } from "@agent-arena/tui/src/app/run/RunModel.ts"
import { follow } from "@agent-arena/tui/src/app/runtime/Follow.ts"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { snapshotOf } from "../../progress/Snapshots.ts"
import { type ArenaOptions, simulatedArena } from "../simulation/SimulatedArena.ts"
import { simulatedRunId } from "../simulation/SimulatedRun.ts"

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

/** One of the many events that nobody can read one by one. */
const begun = {
  _tag: "CellStarted",
  contestant: ContestantKey.make("nobody"),
  caseId: CaseId.make("none"),
  trial: 1
} as const

/** A run whose events are published by the test. */
const published = Effect.gen(function* () {
  const source = yield* simulatedArena({ ...shape, cases: 3000, perSecond: 1 }).start(choice)
  const hub = RunEvents.make(simulatedRunId)
  const heard = { ...source, events: hub.stream, readOutcomes: () => Effect.void }
  const run = makeOpenRun(heard)
  const fast = (count: number) => {
    for (let made = 0; made < count; made++) hub.publish(begun, made)
  }
  return { hub, run, fast, source: heard }
})

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

  it.effect("says from when on events were not followed one by one, and how many", () =>
    Effect.gen(function* () {
      const { run } = yield* followed({ cases: 3000, perSecond: 30_000 })
      const { entries, missed, missedSince } = run.model.log
      const noted = entries.flatMap((entry) => entry.missed ?? [])
      expect(missed).toBe(run.model.gaps)
      expect(noted.reduce((sum, count) => sum + count, 0)).toBe(missed)
      expect(missedSince).toBe(entries.find((entry) => entry.missed !== null)?.at)
      const exact = yield* followed({ cases: 100 })
      expect(exact.run.model.log).toMatchObject({ missed: 0, missedSince: null })
    })
  )

  it.effect("says so as soon as it stops listening, before anybody can count", () =>
    Effect.gen(function* () {
      const { fast, hub, run } = yield* published
      yield* Effect.forkChild(follow(run, () => undefined))
      for (let gathering = 0; gathering < 4; gathering++) {
        fast(400)
        yield* TestClock.adjust("33 millis")
      }
      expect(run.model.log.entries.at(-1)).toMatchObject({ missed: 0 })
      fast(5000)
      yield* TestClock.adjust("1 second")
      hub.publish({ _tag: "RunPaused" }, 2000)
      yield* TestClock.adjust("1 second")
      expect(run.model.log.missed).toBe(5000)
      expect(run.model.phase).toBe("paused")
    }).pipe(Effect.scoped)
  )

  it.effect("learns from the run as a whole what it did not hear", () =>
    Effect.gen(function* () {
      const { fast, hub, source } = yield* published
      const whole = snapshotOf({ phase: "stopping", stopReason: "interrupted", retries: 17, inFlight: 5 })
      const seen: Array<number> = []
      const run = makeOpenRun({ ...source, snapshot: Effect.succeed(whole) })
      const ears = { seen: () => seen.push(1), heard: () => seen.push(0) }
      yield* Effect.forkChild(follow(run, () => undefined, ears))
      for (let gathering = 0; gathering < 4; gathering++) {
        fast(400)
        yield* TestClock.adjust("33 millis")
      }
      // Nobody listens now, but what is rare is told when listening goes on.
      hub.publish({ _tag: "BudgetWarning", contestant: ContestantKey.make("dear"), spentUsd: 2, limitUsd: 1 }, 3000)
      fast(2000)
      yield* TestClock.adjust("1 second")
      expect(run.model).toMatchObject({ phase: "stopping", retries: 17, inFlight: 5 })
      expect(seen.filter((one) => one === 0)).toHaveLength(1601)
      expect(seen).toContain(1)
      expect(run.model.log.entries.some(({ text }) => text.includes("dear has spent"))).toBe(true)
    }).pipe(Effect.scoped)
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
