import * as Target from "@agent-arena/core/connector/Target"
import { Arena } from "@agent-arena/core/engine/Arena"
import * as CellLeases from "@agent-arena/core/engine/CellLease"
import type { SlotLease } from "@agent-arena/core/engine/Scheduler"
import * as Projects from "@agent-arena/core/project/Project"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { settle } from "../observation.ts"
import { loadProject, scripted } from "../projects.ts"
import { start, tally } from "./Started.ts"

/** Slots of which `free` are not taken; grants go to whoever asked first. */
const slots = (free: number) => {
  const asking: Array<() => void> = []
  const state = { free }
  const grant = () => {
    while (state.free > 0) {
      const next = asking.shift()
      if (next === undefined) return
      state.free -= 1
      next()
    }
  }
  const lease: SlotLease = {
    yieldSlot: () => {
      state.free += 1
      grant()
    },
    reclaim: (resume) => {
      asking.push(resume)
      grant()
      return () => {
        const index = asking.indexOf(resume)
        if (index >= 0) asking.splice(index, 1)
      }
    }
  }
  return { lease, state }
}

describe("the slot of a cell", () => {
  it.effect("is taken back after a wait that was cut short", () =>
    Effect.gen(function* () {
      const { lease, state } = slots(0)
      const cell = CellLeases.make(lease)
      const waiting = yield* Effect.forkChild(cell.lendInner(Effect.never), { startImmediately: true })
      assert.strictEqual(state.free, 1)
      yield* Fiber.interrupt(waiting)
      assert.strictEqual(state.free, 0)
      assert.isTrue(cell.close())
    })
  )

  it.effect("is one, also when two of its calls ask for it at the same time", () =>
    Effect.gen(function* () {
      const { lease, state } = slots(0)
      const cell = CellLeases.make(lease)
      const gate = Deferred.makeUnsafe<void>()
      const first = yield* Effect.forkChild(cell.lend(Deferred.await(gate)), { startImmediately: true })
      // Somebody else has the slot meanwhile.
      state.free = 0
      yield* Deferred.succeed(gate, undefined)
      const second = yield* Effect.forkChild(cell.lend(Effect.void), { startImmediately: true })
      yield* settle(Effect.succeed(true))
      state.free = 1
      lease.yieldSlot()
      yield* Fiber.join(first)
      yield* Fiber.join(second)
      assert.strictEqual(state.free, 1)
      assert.isTrue(cell.close())
    })
  )

  it.effect("is not asked for any more once the cell is over", () =>
    Effect.gen(function* () {
      const { lease, state } = slots(0)
      const cell = CellLeases.make(lease)
      const gate = Deferred.makeUnsafe<void>()
      const left = yield* Effect.forkChild(cell.lend(Deferred.await(gate)), { startImmediately: true })
      assert.isFalse(cell.close())
      assert.isTrue(cell.isOver())
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(left)
      assert.strictEqual(state.free, 1)
    })
  )

  it.effect("holds up nobody who gives up an inner call after the cell is over", () =>
    Effect.gen(function* () {
      const { lease, state } = slots(0)
      const cell = CellLeases.make(lease)
      const waiting = yield* Effect.forkChild(cell.lendInner(Effect.never), { startImmediately: true })
      // Somebody else has the slot, and keeps it.
      state.free = 0
      const giving = yield* Effect.forkChild(Fiber.interrupt(waiting), { startImmediately: true })
      yield* Effect.yieldNow
      assert.isUndefined(giving.pollUnsafe())
      assert.isFalse(cell.close())
      yield* Fiber.join(giving)
      assert.strictEqual(state.free, 0)
    })
  )

  it.effect("is not exceeded by targets that give up inner calls while these wait", () =>
    Effect.gen(function* () {
      let active = 0
      let peak = 0
      const working = <A, E>(effect: Effect.Effect<A, E>) =>
        Effect.suspend(() => {
          active += 1
          peak = Math.max(peak, active)
          return Effect.ensuring(
            effect,
            Effect.sync(() => {
              active -= 1
            })
          )
        })
      const busy = scripted("busy", [{ status: 503, retry_after_s: 30 }, { text: "yes" }])
      const hedged = (key: string) =>
        Target.make(key, (_request, cell) =>
          cell
            .generate("busy", { prompt: "quick" })
            .pipe(
              Effect.timeoutOrElse({ duration: "1 second", orElse: () => Effect.succeed(null) }),
              Effect.andThen(Effect.yieldNow),
              Effect.andThen(working(Effect.as(Effect.sleep("10 seconds"), "yes")))
            )
        )
      const limits = { concurrency: 2, retries: 1, request_timeout_s: 0, cell_timeout_s: 0 }
      const base = yield* loadProject({ models: [{ ...busy, enabled: false }], run: limits }, 2)
      const { run, stored } = yield* start(Projects.withContestants(base, ["h1", "h2", "h3"].map(hedged)))
      for (let second = 0; second < 120; second++) yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* run.result).run.status, "completed")
      assert.deepStrictEqual(tally((yield* stored).results), { answered: 6 })
      assert.strictEqual(peak, 2)
    }).pipe(Effect.provide(Arena.layer))
  )
})
