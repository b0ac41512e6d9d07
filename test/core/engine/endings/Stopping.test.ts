import * as Target from "@agent-arena/core/connector/Target"
import { CaseId, ContestantKey } from "@agent-arena/core/domain/Ids"
import { InterruptionReason } from "@agent-arena/core/domain/InterruptionReason"
import { Arena } from "@agent-arena/core/engine/Arena"
import * as Plan from "@agent-arena/core/engine/Plan"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { finished, inFlight, settle } from "../observation.ts"
import { loadProject, scripted } from "../projects.ts"
import { projectWith, start, tally } from "./Started.ts"

const hanging = scripted("hangs", [{ hang: true }])

describe("a run that is already stopping", () => {
  it.effect("ends within the drain of TERM when TERM comes into a long drain", () =>
    Effect.gen(function* () {
      const run = { concurrency: 2, drain_s: 30, term_drain_s: 2 }
      const { run: handle, stored } = yield* start(yield* loadProject({ models: [hanging], run }, 4))
      yield* inFlight(handle, 2)
      yield* handle.stop("budget")
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* handle.snapshot).phase, "stopping")
      yield* handle.stop("deadline")
      yield* TestClock.adjust("2 seconds")
      const report = yield* handle.result
      assert.strictEqual(report.run.stopReason, "budget", "the first reason stays")
      assert.deepStrictEqual(tally((yield* stored).results), { run_stopped: 2 })
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("does not end sooner because somebody asks again with more patience", () =>
    Effect.gen(function* () {
      const slow = scripted("slow", [{ delay_ms: 3_000, text: "yes" }])
      const run = { concurrency: 1, drain_s: 10, term_drain_s: 4 }
      const { run: handle } = yield* start(yield* loadProject({ models: [slow], run }, 2))
      yield* inFlight(handle, 1)
      yield* handle.stop("deadline")
      yield* handle.stop("cancelled")
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual((yield* handle.result).run.counts.finished, 1)
    }).pipe(Effect.provide(Arena.layer))
  )
})

describe("a run that is stopped", () => {
  it.effect("before it has begun calls nobody, and tells its story in order", () =>
    Effect.gen(function* () {
      let calls = 0
      const target = Target.make("t", () => {
        calls += 1
        return Effect.succeed("yes")
      })
      const { events, run } = yield* start(yield* projectWith([target], 3))
      yield* run.stop("cancelled")
      const report = yield* run.result
      yield* settle(Effect.sync(() => events.at(-1)?._tag === "RunFinished"))
      assert.strictEqual(calls, 0)
      assert.deepStrictEqual([report.run.status, report.run.counts.notStarted], ["failed", 3])
      assert.deepStrictEqual(
        events.map(({ _tag }) => _tag),
        ["RunStarted", "RunStopping", "RunFinished"]
      )
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("while it is paused ends at once", () =>
    Effect.gen(function* () {
      const slow = scripted("slow", [{ delay_ms: 1_000, text: "yes" }])
      const { run } = yield* start(yield* loadProject({ models: [slow], run: { concurrency: 1 } }, 3))
      yield* inFlight(run, 1)
      yield* run.pause
      yield* TestClock.adjust("1 second")
      yield* finished(run, 1)
      yield* run.stop("cancelled")
      const report = yield* run.result
      assert.deepStrictEqual([report.run.status, report.run.counts.finished], ["partial", 1])
      yield* run.resume
      assert.strictEqual((yield* run.snapshot).phase, "finished")
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("does not begin calls that only wait for the limits of their provider", () =>
    Effect.gen(function* () {
      const profile = { id: "narrow", kind: "mock", rate_limit: { concurrency: 1 } }
      const slow = { ...scripted("slow", [{ delay_ms: 4_000, text: "yes", cost_usd: 1 }]), provider: "narrow" }
      const project = yield* loadProject(
        { providers: [profile], models: [slow], run: { concurrency: 4, drain_s: 30 } },
        4
      )
      const { events, run, stored } = yield* start(project)
      yield* settle(Effect.sync(() => events.filter(({ _tag }) => _tag === "CellStarted").length === 4))
      yield* run.stop("budget")
      const since = yield* Clock.currentTimeMillis
      yield* TestClock.adjust("4 seconds")
      const report = yield* run.result
      assert.strictEqual((yield* Clock.currentTimeMillis) - since, 4_000)
      assert.deepStrictEqual(tally((yield* stored).results), { answered: 1, run_stopped: 3 })
      assert.strictEqual(report.run.totalCostUsd, 1)
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("lets no code that cannot be interrupted make inner calls any more", () =>
    Effect.gen(function* () {
      let inner = 0
      const model = Target.make("inner", () => {
        inner += 1
        return Effect.succeed("yes")
      })
      const stubborn = Target.make("stubborn", (_request, cell) =>
        Effect.uninterruptible(
          Effect.gen(function* () {
            yield* Effect.sleep("10 seconds")
            yield* Effect.exit(cell.generate("inner", { prompt: "after the end" }))
            return "too late"
          })
        )
      )
      const project = yield* projectWith([stubborn, { ...model, enabled: false }], 1)
      const { run, stored } = yield* start(project)
      yield* inFlight(run, 1)
      yield* run.stopNow("deadline")
      yield* run.result
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(inner, 0)
      assert.deepStrictEqual(tally((yield* stored).results), { run_stopped: 1 })
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("while a hook hangs keeps the answer that the hook was told of", () =>
    Effect.gen(function* () {
      const paid = scripted("paid", [{ text: "yes", cost_usd: 0.01 }])
      const project = yield* loadProject(
        { models: [paid], hooks: { on_result: "hooks.mjs:never" }, run: { concurrency: 2, drain_s: 1 } },
        4,
        { "hooks.mjs": "export const never = () => new Promise(() => {})" }
      )
      const { run, stored } = yield* start(project)
      yield* inFlight(run, 2)
      yield* run.stop("cancelled")
      yield* TestClock.adjust("1 second")
      const report = yield* run.result
      assert.deepStrictEqual(tally((yield* stored).results), { answered: 2 })
      assert.approximately(report.run.totalCostUsd ?? 0, 0.02, 1e-12)
    }).pipe(Effect.provide(Arena.layer))
  )
})

describe("a run whose program is interrupted", () => {
  it.effect("stops for the reason that the program knows", () =>
    Effect.gen(function* () {
      const project = yield* loadProject({ models: [hanging], run: { concurrency: 2 } }, 2)
      const { stored } = yield* Effect.scoped(
        Effect.gen(function* () {
          const started = yield* start(project)
          yield* inFlight(started.run, 2)
          return started
        })
      ).pipe(Effect.provideService(InterruptionReason, () => "deadline"))
      const { record, results } = yield* stored
      assert.deepStrictEqual([record?.status, record?.stopReason], ["failed", "deadline"])
      assert.deepStrictEqual(tally(results), { run_stopped: 2 })
    }).pipe(Effect.provide(Arena.layer))
  )
})

describe("cancelling one cell", () => {
  it.effect("that does not exist touches no other", () =>
    Effect.gen(function* () {
      const { run } = yield* start(yield* loadProject({ models: [hanging], run: { trials: 2, concurrency: 4 } }, 2))
      yield* inFlight(run, 4)
      const contestant = ContestantKey.make("hangs")
      for (const trial of [0, 3, -1]) {
        assert.isFalse(yield* run.cancelCell({ contestant, caseId: CaseId.make("t1"), trial }))
      }
      assert.isFalse(yield* run.cancelCell({ contestant, caseId: CaseId.make("t9"), trial: 1 }))
      assert.strictEqual((yield* run.snapshot).inFlight, 4)
    }).pipe(Effect.provide(Arena.layer))
  )
})

describe("a stream of results that is left early", () => {
  it.effect("ends its run at once, although nobody takes what it has", () =>
    Effect.gen(function* () {
      const project = yield* loadProject({ models: [scripted("quick", [{ text: "yes" }])] }, 2_000)
      const taking = yield* Effect.forkChild(
        Plan.make(project).pipe(Arena.execute, Stream.take(3), Stream.runCollect),
        { startImmediately: true }
      )
      assert.lengthOf(yield* Fiber.join(taking), 3)
      assert.strictEqual(yield* Clock.currentTimeMillis, 0)
    }).pipe(Effect.provide(Arena.layer))
  )
})
