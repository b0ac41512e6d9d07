import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Target from "@agent-arena/core/connector/Target"
import * as GenerationErrors from "@agent-arena/core/domain/GenerationError"
import { Arena } from "@agent-arena/core/engine/Arena"
import * as Projects from "@agent-arena/core/project/Project"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as TestClock from "effect/testing/TestClock"
import { finished, inFlight, settle } from "../observation.ts"
import { loadProject, scripted } from "../projects.ts"
import { projectWith, start, tally } from "./Started.ts"

const yes = { text: "yes" }
const hang = { hang: true }

describe("limits", () => {
  it.effect("of a request end a hung call as an error, and the next cell runs", () =>
    Effect.gen(function* () {
      const model = scripted("m", [yes], { script_by_case: { t1: [hang] } })
      const project = yield* loadProject(
        { models: [model], run: { concurrency: 1, retries: 0, request_timeout_s: 1 } },
        2
      )
      const { run, stored } = yield* start(project)
      yield* inFlight(run, 1)
      yield* TestClock.adjust("1 second")
      const report = yield* run.result
      const { record, results } = yield* stored
      assert.deepStrictEqual([record?.status, record?.stopReason], ["completed", "completed"])
      assert.deepInclude(record?.counts, { planned: 2, finished: 2, errored: 1, timedOut: 0, interrupted: 0 })
      assert.deepStrictEqual(
        results.map(({ error, stopReason }) => [stopReason, error?.reason ?? null]),
        [
          ["error", "timeout"],
          ["answered", null]
        ]
      )
      assert.isBelow(results[0]?.durationMs ?? Number.POSITIVE_INFINITY, 1_500)
      assert.strictEqual(report.run.limits.requestTimeoutS, 1)
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("that are off leave a very slow answer alone, and are null in the row", () =>
    Effect.gen(function* () {
      const model = scripted("m", [{ delay_ms: 10_000_000, text: "yes" }])
      const off = { request_timeout_s: 0, cell_timeout_s: 0, max_wall_s: 0 }
      const { run, stored } = yield* start(yield* loadProject({ models: [model], run: off }, 1))
      yield* inFlight(run, 1)
      yield* TestClock.adjust("10000 seconds")
      yield* run.result
      const { record, results } = yield* stored
      assert.deepStrictEqual(tally(results), { answered: 1 })
      assert.strictEqual(results[0]?.latencyMs, 10_000_000)
      const { cellTimeoutS, maxWallS, requestTimeoutS } = record?.limits ?? {}
      assert.deepStrictEqual([requestTimeoutS, cellTimeoutS, maxWallS], [null, null, null])
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("and the ways in which calls end do not make a run partial", () =>
    Effect.gen(function* () {
      const script_by_case = { t2: [hang], t3: [{ status: 401 }], t4: [{ text: "no" }] }
      const project = yield* loadProject(
        { models: [scripted("m", [yes], { script_by_case })], run: { request_timeout_s: 0, cell_timeout_s: 5 } },
        4
      )
      const { run, stored } = yield* start(project)
      yield* finished(run, 3)
      yield* TestClock.adjust("5 seconds")
      const { leaderboard } = yield* run.result
      const { record, results } = yield* stored
      assert.strictEqual(record?.status, "completed")
      assert.isTrue(leaderboard.complete)
      assert.deepStrictEqual(record?.counts, {
        planned: 4,
        finished: 4,
        interrupted: 0,
        notStarted: 0,
        errored: 1,
        timedOut: 1
      })
      assert.deepStrictEqual(tally(results), { answered: 2, timeout: 1, error: 1 })
      // Time-outs and errors are outcomes of the contestant.
      assert.deepInclude(leaderboard.entries[0]?.stats, { attempted: 4, completed: 2, errors: 1, timedOut: 1 })
    }).pipe(Effect.provide(Arena.layer))
  )
})

describe("a stop", () => {
  it.effect("in the second of fifteen cells keeps the first and counts the rest", () =>
    Effect.gen(function* () {
      const model = scripted("m", [hang], { script_by_case: { t1: [yes] } })
      const { run, stored } = yield* start(yield* loadProject({ models: [model], run: { concurrency: 1 } }, 15))
      yield* finished(run, 1)
      yield* inFlight(run, 1)
      yield* run.stopNow("deadline")
      const { leaderboard } = yield* run.result
      const { record, results } = yield* stored
      assert.deepStrictEqual(
        results.map(({ caseId, stopReason }) => `${caseId} ${stopReason}`),
        ["t1 answered", "t2 run_stopped"]
      )
      assert.deepStrictEqual([record?.status, record?.stopReason], ["aborted", "deadline"])
      assert.deepInclude(record?.counts, { planned: 15, finished: 1, interrupted: 1, notStarted: 13 })
      const [entry] = leaderboard.entries
      assert.deepInclude(entry?.stats, { attempted: 1, interrupted: 1 })
      assert.strictEqual(entry?.metrics["accuracy"]?.raw, 1)
      assert.isNull(results[1]?.score)
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("of parallel cells records all of them, also one that ignores cancellation, and does not wait for it", () =>
    Effect.gen(function* () {
      let late = 0
      const target = Target.make("t", (_request, cell) => {
        if (["t1", "t2", "t3"].includes(cell.caseId)) return Effect.succeed("yes")
        if (cell.caseId !== "t4") return Effect.never
        return Effect.uninterruptible(
          Effect.andThen(
            Effect.sleep("1 hour"),
            Effect.sync(() => {
              late += 1
              return "too late"
            })
          )
        )
      })
      const { events, run, stored } = yield* start(yield* projectWith([target], 10, { run: { concurrency: 4 } }))
      yield* finished(run, 3)
      yield* inFlight(run, 4)
      yield* run.stopNow("deadline")
      yield* run.result
      const before = yield* stored
      assert.deepInclude(before.record?.counts, { planned: 10, finished: 3, interrupted: 4, notStarted: 3 })
      assert.deepStrictEqual(tally(before.results), { answered: 3, run_stopped: 4 })
      yield* settle(Effect.sync(() => events.at(-1)?._tag === "RunFinished"))
      const told = events.length
      yield* TestClock.adjust("2 hours")
      assert.strictEqual(late, 1)
      assert.deepStrictEqual(yield* stored, before)
      assert.strictEqual(events.length, told)
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("is swallowed by nothing that catches errors", () =>
    Effect.gen(function* () {
      const wraps: ReadonlyArray<<A>(self: Effect.Effect<A>) => Effect.Effect<unknown>> = [
        (self) => Effect.catch(self, () => Effect.succeed("swallowed")),
        (self) => Effect.catchCause(self, () => Effect.succeed("swallowed")),
        (self) => Effect.catchDefect(self, () => Effect.succeed("swallowed")),
        (self) => Effect.exit(self),
        (self) => Effect.result(self),
        (self) => Effect.option(self),
        (self) => Effect.ignore(self),
        (self) => Effect.orElseSucceed(self, () => "swallowed"),
        (self) => Effect.matchCauseEffect(self, { onFailure: () => Effect.void, onSuccess: () => Effect.void }),
        (self) => Effect.retry(self, Schedule.forever),
        (self) => Effect.repeat(self, Schedule.forever),
        (self) => Effect.ensuring(self, Effect.void),
        (self) => Effect.uninterruptible(Effect.exit(Effect.interruptible(self))),
        (self) => Effect.timeoutOrElse(self, { duration: "1 day", orElse: () => Effect.succeed("swallowed") })
      ]
      const target = Target.make("t", (_request, cell) => {
        const wrap = wraps[Number(cell.caseId.slice(1)) - 1] ?? wraps[0]
        return Effect.as(wrap?.(Effect.never) ?? Effect.never, "swallowed")
      })
      const limits = { concurrency: wraps.length, request_timeout_s: 0, cell_timeout_s: 0 }
      const { run, stored } = yield* start(yield* projectWith([target], wraps.length, { run: limits }))
      yield* inFlight(run, wraps.length)
      yield* run.stopNow("deadline")
      yield* run.result
      const { results } = yield* stored
      assert.deepStrictEqual(tally(results), { run_stopped: wraps.length })
      assert.isTrue(results.every(({ output }) => output === null))
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("comes before the time-out of a cell that is due at the same time", () =>
    Effect.gen(function* () {
      const project = yield* loadProject({
        models: [scripted("m", [hang])],
        run: { request_timeout_s: 0, cell_timeout_s: 5, drain_s: 5 }
      })
      const { run, stored } = yield* start(project)
      yield* inFlight(run, 1)
      yield* TestClock.adjust("4 seconds")
      yield* run.stopNow("deadline")
      yield* TestClock.adjust("1 second")
      yield* run.result
      assert.deepStrictEqual(tally((yield* stored).results), { run_stopped: 1 })
    }).pipe(Effect.provide(Arena.layer))
  )
})

describe("runs that did not complete", () => {
  it.effect("are never ranked beside completed ones, and say what they did not measure", () =>
    Effect.gen(function* () {
      const model = scripted("m", [{ text: "no" }], { script_by_case: { t1: [yes] } })
      const base = yield* loadProject({ models: [model], run: { concurrency: 1, retries: 0 } }, 5)
      const whole = yield* Arena.start(base)
      const completed = yield* whole.result

      const slow = yield* loadProject({ models: [scripted("m", [hang], { script_by_case: { t1: [yes] } })] }, 5)
      const partial = yield* Arena.start(Projects.withSettings(slow, { output: base.output }))
      yield* finished(partial, 1)
      yield* partial.stopNow("cancelled")
      const stopped = yield* partial.result

      const none = yield* loadProject({ models: [scripted("m", [hang])], run: { concurrency: 5 } }, 5)
      const failed = yield* Arena.start(Projects.withSettings(none, { output: base.output }))
      yield* inFlight(failed, 5)
      yield* failed.stopNow("cancelled")
      const nothing = yield* failed.result

      assert.deepStrictEqual(
        [completed, stopped, nothing].map(({ leaderboard, run }) => [run.status, leaderboard.complete]),
        [
          ["completed", true],
          ["partial", false],
          ["failed", false]
        ]
      )
      // Better figures on fewer cases prove nothing.
      assert.strictEqual(stopped.leaderboard.entries[0]?.metrics["accuracy"]?.raw, 1)
      assert.notStrictEqual(stopped.leaderboard.verdict._tag, "Winner")
      const log = readFileSync(join(dirname(base.output.db), "leaderboard.jsonl"), "utf8")
      const rows = log
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
      assert.deepStrictEqual(
        rows.map(({ completed_tests, planned_tests, rank, run_status, run_stop_reason }) => [
          run_status,
          run_stop_reason,
          rank,
          completed_tests,
          planned_tests
        ]),
        [
          ["completed", "completed", 1, 5, 5],
          ["partial", "cancelled", null, 1, 5],
          ["failed", "cancelled", null, 0, 5]
        ]
      )
      const [, , empty] = rows
      for (const name of ["composite", "total_prompt_tokens", "total_completion_tokens", "total_cost_usd"]) {
        assert.isTrue(name in empty)
        assert.isNull(empty[name], name)
      }
      assert.isNull(empty.metrics.accuracy)
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("keep what interrupted calls have cost", () =>
    Effect.gen(function* () {
      const paid = scripted("inner", [{ text: "half", cost_usd: 0.01, input_tokens: 7, output_tokens: 2 }])
      const target = Target.make("pipeline", (_request, cell) =>
        Effect.andThen(cell.generate("inner", { prompt: "first" }), Effect.never)
      )
      const base = yield* loadProject(
        {
          models: [
            { ...paid, enabled: false },
            { model: "mock:x", enabled: false }
          ]
        },
        1
      )
      const { run, stored } = yield* start(Projects.withContestants(base, [target]))
      yield* inFlight(run, 1)
      yield* TestClock.adjust("1 second")
      yield* run.stopNow("interrupted")
      const report = yield* run.result
      const { results } = yield* stored
      assert.deepStrictEqual(tally(results), { run_stopped: 1 })
      assert.strictEqual(results[0]?.costUsd, 0.01)
      assert.strictEqual(report.run.totalCostUsd, 0.01)
      assert.lengthOf(results[0]?.steps ?? [], 1)
    }).pipe(Effect.provide(Arena.layer))
  )
})

describe("an error of a target", () => {
  it.effect("is never taken for a stop, whatever it says", () =>
    Effect.gen(function* () {
      const target = Target.make("t", (_request, cell) =>
        cell.caseId === "t1"
          ? Effect.interrupt
          : Effect.fail(GenerationErrors.make({ reason: "aborted", detail: "SIGTERM deadline run_stopped" }))
      )
      const { run, stored } = yield* start(yield* projectWith([target], 2, { run: { retries: 0 } }))
      const report = yield* run.result
      assert.strictEqual(report.run.status, "completed")
      assert.deepStrictEqual(tally((yield* stored).results), { error: 2 })
    }).pipe(Effect.provide(Arena.layer))
  )
})
