import { readdirSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Target from "@agent-arena/core/connector/Target"
import { Arena } from "@agent-arena/core/engine/Arena"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { settle } from "../observation.ts"
import { projectWith, start, tally } from "./Started.ts"

/** Locks the database of a project for everybody else. */
const lock = (path: string) =>
  Effect.sync(() => {
    const db = new DatabaseSync(path)
    db.exec("BEGIN IMMEDIATE")
    return Effect.sync(() => {
      db.exec("ROLLBACK")
      db.close()
    })
  })

const spills = (path: string) => readdirSync(dirname(path)).filter((name) => name.endsWith(".spill.jsonl"))

/** A run whose calls have all been answered and none of whose results can be written. */
const answeredIntoALock = Effect.gen(function* () {
  let answered = 0
  const target = Target.make("t", () =>
    Effect.andThen(
      Effect.sleep("1 second"),
      Effect.sync(() => {
        answered += 1
        return { output: "yes", costUsd: 0.01 }
      })
    )
  )
  const project = yield* projectWith([target], 3, { run: { concurrency: 3 } })
  const started = yield* start(project)
  yield* settle(Effect.map(started.run.snapshot, ({ inFlight }) => inFlight === 3))
  const unlock = yield* lock(project.output.db)
  yield* TestClock.adjust("1 second")
  yield* settle(Effect.sync(() => answered === 3))
  return { ...started, path: project.output.db, unlock }
})

/** Lets time pass until the run is over; returns how long that took, ms. */
const waitForEnd = Effect.fnUntraced(function* (result: Effect.Effect<unknown>) {
  const from = yield* Clock.currentTimeMillis
  const waiting = yield* Effect.forkChild(result, { startImmediately: true })
  while (waiting.pollUnsafe() === undefined) yield* TestClock.adjust(250)
  yield* Fiber.join(waiting)
  return (yield* Clock.currentTimeMillis) - from
})

describe("a database that is locked for good", () => {
  it.effect("is waited for, then the side file takes what was measured and how it ended", () =>
    Effect.gen(function* () {
      const { path, run, stored, unlock } = yield* answeredIntoALock
      const waited = yield* waitForEnd(run.result)
      assert.isAtLeast(waited, 25_000)
      const report = yield* run.result
      assert.match(report.problems.join("\n"), /locked[\s\S]*spill\.jsonl/)
      assert.match(report.run.stopReason ?? "", /^error: .*locked/)
      assert.approximately(report.run.totalCostUsd ?? 0, 0.03, 1e-12)
      assert.lengthOf(spills(path), 1)
      yield* unlock
      const { record, results } = yield* stored
      assert.deepStrictEqual(tally(results), { answered: 3 })
      assert.deepInclude(record?.counts, { finished: 3, interrupted: 0, notStarted: 0 })
      assert.strictEqual(record?.status, "aborted")
      assert.approximately(record?.totalCostUsd ?? 0, 0.03, 1e-12)
      assert.deepStrictEqual(spills(path), [])
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("does not hold up a run that is told to end", () =>
    Effect.gen(function* () {
      const { run, stored, unlock } = yield* answeredIntoALock
      yield* run.stopNow("deadline")
      assert.isAtMost(yield* waitForEnd(run.result), 5_000)
      yield* unlock
      const { record, results } = yield* stored
      assert.deepStrictEqual(tally(results), { answered: 3 })
      assert.deepInclude(record?.counts, { planned: 3, finished: 3 })
    }).pipe(Effect.provide(Arena.layer))
  )
})

describe("a run that another process has taken over", () => {
  it.effect("stops, because it would pay for the same calls again, and does not touch the other's row", () =>
    Effect.gen(function* () {
      const target = Target.make("t", (_request, cell) =>
        cell.caseId === "t1" ? Effect.succeed("yes") : Effect.as(Effect.sleep("1 hour"), "yes")
      )
      const project = yield* projectWith([target], 5, { run: { concurrency: 2 } })
      const { run, stored } = yield* start(project)
      yield* settle(Effect.map(run.snapshot, ({ counts, inFlight }) => counts.finished === 1 && inFlight === 2))
      // What resuming does to the row, in a process that this one cannot see.
      const other = new DatabaseSync(project.output.db)
      other.exec("UPDATE runs SET segment = segment + 1")
      other.close()
      yield* TestClock.adjust("10 seconds")
      const report = yield* run.result
      assert.match(report.run.stopReason ?? "", /^error: .*taken over by another process/)
      assert.match(report.problems.join("\n"), /taken over/)
      const { record } = yield* stored
      assert.strictEqual(record?.status, "running")
    }).pipe(Effect.provide(Arena.layer))
  )
})
