import * as GenerationErrors from "@agent-arena/core/domain/GenerationError"
import { BatchTimeout, type Combo, ComboError } from "@agent-arena/core/scenario/executor/Combo"
import { extendBatch } from "@agent-arena/core/scenario/executor/ExtendBatch"
import {
  type ExecutorOptions,
  runBatch,
  type WorkerResources
} from "@agent-arena/core/scenario/executor/ScenarioExecutor"
import type { Respond } from "@agent-arena/core/scenario/play/PlayContext"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { answer, compiledOf, verdicts } from "./plays.ts"

const two = (name: string) =>
  compiledOf(`
scenario: ${name}
entry: a
nodes: { a: { prompt: "First?", verify: { contains: ok } }, b: { prompt: "Second?", verify: { contains: ok } } }
edges: [{ from: a, to: b }, { from: b, to: END }]
`)

const one = (name: string) =>
  compiledOf(`
scenario: ${name}
entry: a
nodes: { a: { prompt: "Name?", verify: { contains: ok } } }
`)

const combo = (compiled: Combo["compiled"], fields: Partial<Combo> = {}): Combo => ({
  compiled,
  contestant: "ans",
  judge: null,
  replicate: null,
  ...fields
})

const opened = (respond: Respond): ExecutorOptions["open"] => Effect.succeed<WorkerResources>({ respond })

/** Answers `ok N`, N counting the calls. */
const counting = () => {
  let calls = 0
  const respond: Respond = () => Effect.sync(() => answer(`ok ${++calls}`))
  return { respond, calls: () => calls }
}

/** Answers after a time that the scenario's name decides. */
const timed: Respond = ({ scenario }) => {
  if (scenario.startsWith("fail")) return Effect.fail(GenerationErrors.make({ reason: "unknown", detail: "broken" }))
  const done = Effect.succeed(answer("ok"))
  if (scenario.startsWith("late")) return Effect.delay(done, 600)
  return scenario.startsWith("slow") ? Effect.delay(done, 600) : done
}

describe("a batch of scenarios", () => {
  it.effect("shares answers among judges, not among replicates or contestants", () =>
    Effect.gen(function* () {
      const compiled = two("shared")
      const combos = [
        combo(compiled, { judge: "p1" }),
        combo(compiled, { judge: "p2" }),
        combo(compiled, { judge: "p1", replicate: 1 }),
        combo(compiled, { contestant: "ans2", judge: "p1" })
      ]
      const { calls, respond } = counting()
      const { results } = yield* runBatch(combos, { open: opened(respond), parallel: false })
      assert.strictEqual(calls(), 6)
      const outputs = results.map(({ turns }) => turns.map(({ output }) => output).join())
      assert.strictEqual(outputs[0], outputs[1])
      assert.strictEqual(new Set(outputs).size, 3)
    })
  )

  it.effect("asks each combo anew without a cache", () =>
    Effect.gen(function* () {
      const compiled = two("alone")
      const { calls, respond } = counting()
      const combos = ["p1", "p2"].map((judge) => combo(compiled, { judge }))
      yield* runBatch(combos, { open: opened(respond), enableCache: false, parallel: false })
      assert.strictEqual(calls(), 4)
    })
  )

  it.effect("a failed turn does not answer for another combo", () =>
    Effect.gen(function* () {
      const compiled = two("poison")
      let calls = 0
      const respond: Respond = () =>
        Effect.suspend(() => {
          calls += 1
          return calls === 1
            ? Effect.fail(GenerationErrors.make({ reason: "unknown", detail: "down" }))
            : Effect.succeed(answer("ok"))
        })
      const combos = ["p1", "p2"].map((judge) => combo(compiled, { judge }))
      const { errors, results } = yield* runBatch(combos, { open: opened(respond), parallel: false })
      assert.deepStrictEqual(
        results.map(({ status, turns }) => [status, verdicts(turns)]),
        [
          ["error", "-"],
          ["completed", "T T"]
        ]
      )
      assert.strictEqual(calls, 3)
      assert.deepStrictEqual(
        errors.map((error) => (error instanceof ComboError ? [error.kind, error.failure?.node] : [])),
        [["scenario", "a"]]
      )
    })
  )

  it.effect("a node that is visited again is asked again", () =>
    Effect.gen(function* () {
      const compiled = compiledOf(`
scenario: c6
entry: a
turn_limit: 4
nodes: { a: { prompt: "A?" }, b: { prompt: "B?" } }
edges:
  - { from: a, to: b, handover: transcript_prepend }
  - { from: b, to: b, handover: transcript_prepend }
`)
      let calls = 0
      const respond: Respond = () => Effect.sync(() => answer(`A${++calls}`))
      const { results } = yield* runBatch([combo(compiled)], { open: opened(respond) })
      assert.deepStrictEqual(
        results[0]?.turns.map(({ output }) => output),
        ["A1", "A2", "A3", "A4"]
      )
    })
  )

  it.effect("interrupts what is in flight when its time is over, and counts right", () =>
    Effect.gen(function* () {
      const names = ["fast1", "slow1", "slow2", "slow3", "fast2"]
      const batch = yield* Effect.forkChild(
        runBatch(
          names.map((name) => combo(one(name))),
          { open: opened(timed), timeoutSeconds: 0.3 }
        )
      )
      yield* Effect.yieldNow
      yield* TestClock.adjust(300)
      const { errors, results } = yield* Fiber.join(batch)
      assert.deepStrictEqual(
        results.map(({ scenario }) => scenario),
        ["fast1"]
      )
      const kinds = errors.map((error) => (error instanceof ComboError ? error.kind : "timeout"))
      assert.deepStrictEqual(kinds, ["interrupted", "interrupted", "not_started", "not_started", "timeout"])
      const total = errors.find((error) => error instanceof BatchTimeout)
      assert.deepStrictEqual(
        [total?.completed, total?.failed, total?.inFlight, total?.notStarted, total?.total],
        [1, 0, 2, 2, 5]
      )
      const first = errors[0]
      assert.strictEqual(first instanceof ComboError ? first.partial?.status : null, "run_stopped")
    })
  )

  it.effect("tells failed ones from those in flight", () =>
    Effect.gen(function* () {
      const names = ["fast1", "fail1", "late1"]
      const batch = yield* Effect.forkChild(
        runBatch(
          names.map((name) => combo(one(name))),
          { open: opened(timed), maxWorkers: 3, timeoutSeconds: 0.3 }
        )
      )
      yield* Effect.yieldNow
      yield* TestClock.adjust(300)
      const { errors } = yield* Fiber.join(batch)
      const total = errors.find((error) => error instanceof BatchTimeout)
      assert.deepStrictEqual([total?.completed, total?.failed, total?.inFlight, total?.notStarted], [1, 1, 1, 0])
    })
  )

  for (const parallel of [false, true]) {
    it.effect(
      `tells of every combo as it ends, ${parallel ? "in parallel" : "one by one"}, whatever the display does`,
      () =>
        Effect.gen(function* () {
          const told: Array<readonly [number, number, string | null]> = []
          const { results } = yield* runBatch(
            ["fast1", "fail1", "fast2"].map((name) => combo(one(name))),
            {
              open: opened(timed),
              parallel,
              onProgress: (ended, total, result) => {
                told.push([ended, total, result?.scenario ?? null])
                throw new Error("the display is broken")
              }
            }
          )
          assert.deepStrictEqual(told, [
            [1, 3, "fast1"],
            [2, 3, "fail1"],
            [3, 3, "fast2"]
          ])
          assert.strictEqual(results.length, 3)
        })
    )
  }

  it.effect("results stand in the order of the combos", () =>
    Effect.gen(function* () {
      const batch = yield* Effect.forkChild(
        runBatch(
          ["slow1", "fast1", "fast2"].map((name) => combo(one(name))),
          { open: opened(timed) }
        )
      )
      yield* Effect.yieldNow
      yield* TestClock.adjust(600)
      const { results } = yield* Fiber.join(batch)
      assert.deepStrictEqual(
        results.map(({ scenario }) => scenario),
        ["slow1", "fast1", "fast2"]
      )
    })
  )
})

describe("extending a batch", () => {
  it.effect("asks only for what is new: a replicate, a contestant; a new judge asks for no answer", () =>
    Effect.gen(function* () {
      const compiled = two("extended")
      const first = counting()
      const prior = yield* runBatch([combo(compiled, { judge: "p1" })], { open: opened(first.respond) })
      const combos = [
        combo(compiled, { judge: "p1" }),
        combo(compiled, { judge: "p2" }),
        combo(compiled, { judge: "p1", replicate: 1 }),
        combo(compiled, { contestant: "ans2", judge: "p1" })
      ]
      const more = counting()
      const { results, reused } = yield* extendBatch(prior.results, combos, { open: opened(more.respond) })
      assert.deepStrictEqual([results.length, reused], [4, 1])
      assert.strictEqual(more.calls(), 4)
      assert.strictEqual(results[0], prior.results[0])
    })
  )

  it.effect("a failed play goes on at the turn that failed", () =>
    Effect.gen(function* () {
      const compiled = two("mended")
      const broken: Respond = ({ node }) =>
        node === "b"
          ? Effect.fail(GenerationErrors.make({ reason: "server", detail: "down" }))
          : Effect.succeed(answer("ok"))
      const prior = yield* runBatch([combo(compiled)], { open: opened(broken) })
      const more = counting()
      const { results } = yield* extendBatch(prior.results, [combo(compiled)], { open: opened(more.respond) })
      assert.deepStrictEqual([more.calls(), results[0]?.status], [1, "completed"])
    })
  )
})

describe("an interrupted batch", () => {
  it.effect("closes what its workers hold", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const open = Effect.acquireRelease(
        Effect.sync((): WorkerResources => {
          log.push("open")
          return { respond: () => Effect.never }
        }),
        () => Effect.sync(() => log.push("close"))
      )
      const batch = yield* Effect.forkChild(runBatch([combo(one("s1")), combo(one("s2"))], { open }))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(batch)
      assert.deepStrictEqual(log, ["open", "open", "close", "close"])
    })
  )
})

describe("the resources of workers", () => {
  it.effect("are opened once a worker, outlive its combos, and are closed after the last", () =>
    Effect.gen(function* () {
      const log: Array<string> = []
      const open = Effect.acquireRelease(
        Effect.sync(() => {
          log.push("open")
          const respond: Respond = ({ scenario }) => {
            log.push(scenario)
            return Effect.succeed(answer("ok"))
          }
          return { respond }
        }),
        () => Effect.sync(() => log.push("close"))
      )
      yield* runBatch([combo(one("s1")), combo(one("s2"))], { open, parallel: false })
      assert.deepStrictEqual(log, ["open", "s1", "s2", "close"])
    })
  )

  it.effect("one that hangs while closing holds up nothing for longer than its limit", () =>
    Effect.gen(function* () {
      const closed: Array<string> = []
      const open = Effect.gen(function* () {
        yield* Effect.addFinalizer(() => Effect.sync(() => closed.push("first")))
        yield* Effect.addFinalizer(() => Effect.never)
        return { respond: timed }
      })
      const batch = yield* Effect.forkChild(runBatch([combo(one("fast1"))], { open }))
      yield* Effect.yieldNow
      yield* TestClock.adjust(5_000)
      const { results } = yield* Fiber.join(batch)
      assert.strictEqual(results.length, 1)
      assert.deepStrictEqual(closed, ["first"])
    })
  )

  it.effect("a worker that cannot be opened costs one combo, and is opened again for the next", () =>
    Effect.gen(function* () {
      let tries = 0
      const open = Effect.suspend(() => {
        tries += 1
        return tries === 1 ? Effect.fail("no socket") : Effect.succeed<WorkerResources>({ respond: timed })
      })
      const combos = [combo(one("fast1")), combo(one("fast2"))]
      const { errors, results } = yield* runBatch(combos, { open, parallel: false })
      assert.deepStrictEqual(
        results.map(({ scenario }) => scenario),
        ["fast2"]
      )
      assert.strictEqual(errors[0]?._tag, "ComboError")
    })
  )

  it.effect("requests in flight stay under the cap", () =>
    Effect.gen(function* () {
      let inFlight = 0
      let most = 0
      const respond: Respond = () =>
        Effect.gen(function* () {
          inFlight += 1
          most = Math.max(most, inFlight)
          yield* Effect.sleep(10)
          inFlight -= 1
          return answer("ok")
        })
      const combos = Array.from({ length: 8 }, (_, index) => combo(one(`s${index}`)))
      const batch = yield* Effect.forkChild(
        runBatch(combos, { open: opened(respond), maxWorkers: 8, maxConcurrentRequests: 3 })
      )
      yield* Effect.yieldNow
      yield* TestClock.adjust(1_000)
      yield* Fiber.join(batch)
      assert.strictEqual(most, 3)
    })
  )
})
