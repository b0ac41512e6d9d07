import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { CallResult } from "@agent-arena/core/domain/CallResult"
import { CaseId, ContestantKey } from "@agent-arena/core/domain/Ids"
import type { RunEvent } from "@agent-arena/core/domain/RunEvent"
import { Arena } from "@agent-arena/core/engine/Arena"
import type { RunHandle } from "@agent-arena/core/engine/RunHandle"
import type * as Project from "@agent-arena/core/project/Project"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { finished, inFlight } from "./observation.ts"
import { loadProject, scripted } from "./projects.ts"

/** Starts a run whose database can be read afterwards. */
const start = Effect.fnUntraced(function* (project: Project.Project) {
  const run = yield* Arena.start(project)
  const stored = Effect.scoped(
    Effect.gen(function* () {
      const store = Context.get(yield* Layer.build(ResultStore.layer(project.output.db)), ResultStore)
      const results = yield* Stream.runCollect(store.results(run.id))
      const record = yield* store.run(run.id)
      return { results: [...results], record }
    })
  )
  return { run, stored }
})

/** Follows the events of a run until it ends. */
const follow = (run: RunHandle) =>
  Effect.forkScoped(
    Stream.runFold(
      run.events,
      (): Array<RunEvent> => [],
      (events, event) => [...events, event]
    ),
    { startImmediately: true }
  )

const tally = (results: ReadonlyArray<CallResult>) => {
  const counts: Record<string, number> = {}
  for (const { stopReason } of results) counts[stopReason] = (counts[stopReason] ?? 0) + 1
  return counts
}

const hanging = scripted("hangs", [{ hang: true }])
const quick = scripted("quick", [{ text: "yes", cost_usd: 0.006 }])

describe("a run", () => {
  it.effect("completes its plan, stores every cell and tells of each after it is stored", () =>
    Effect.gen(function* () {
      const project = yield* loadProject(
        { models: [quick, scripted("wrong", [{ text: "no" }])], run: { trials: 2, concurrency: 3 } },
        3
      )
      const { run, stored } = yield* start(project)
      const watching = yield* follow(run)
      const report = yield* run.result
      const events = yield* Fiber.join(watching)
      const { record, results } = yield* stored

      assert.strictEqual(report.run.status, "completed")
      assert.strictEqual(report.run.stopReason, "completed")
      assert.deepStrictEqual(report.problems, [])
      assert.lengthOf(results, 12)
      assert.deepStrictEqual(record?.counts, report.run.counts)
      assert.deepStrictEqual(
        events.map(({ seq }) => seq),
        events.map((_, index) => index + 1)
      )
      assert.strictEqual(events[0]?._tag, "RunStarted")
      assert.strictEqual(events.at(-1)?._tag, "RunFinished")
      assert.strictEqual(events.filter(({ _tag }) => _tag === "CellFinished").length, 12)
      assert.strictEqual(report.leaderboard.entries[0]?.key, "quick")
      const log = readFileSync(join(dirname(project.output.db), "leaderboard.jsonl"), "utf8")
        .trim()
        .split("\n")
      assert.deepStrictEqual(
        log.map((line) => JSON.parse(line).run_status),
        ["completed", "completed"]
      )
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("schedules round-robin over contestants", () =>
    Effect.gen(function* () {
      const project = yield* loadProject({ models: [quick, { ...quick, key: "other" }], run: { concurrency: 1 } }, 2)
      const { run } = yield* start(project)
      const watching = yield* follow(run)
      yield* run.result
      const started = (yield* Fiber.join(watching)).flatMap((event) =>
        event._tag === "CellStarted" ? [`${event.contestant} ${event.caseId}`] : []
      )
      assert.deepStrictEqual(started, ["quick t1", "other t1", "quick t2", "other t2"])
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("records a time-out and goes on with the next cell", () =>
    Effect.gen(function* () {
      const project = yield* loadProject(
        {
          models: [scripted("m", [{ text: "yes" }], { script_by_case: { t1: [{ hang: true }] } })],
          run: { concurrency: 1, request_timeout_s: 0, cell_timeout_s: 300 }
        },
        2
      )
      const { run, stored } = yield* start(project)
      yield* inFlight(run, 1)
      yield* TestClock.adjust("300 seconds")
      const report = yield* run.result
      const { results } = yield* stored
      assert.strictEqual(report.run.status, "completed")
      assert.strictEqual(report.run.counts.timedOut, 1)
      assert.deepStrictEqual(tally(results), { timeout: 1, answered: 1 })
      const slow = results.find(({ caseId }) => caseId === "t1")
      assert.strictEqual(slow?.error?.kind, "timeout")
      assert.include(slow?.error?.message, "cell_timeout_s")
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("drains on a graceful stop, keeps what was drained and counts it", () =>
    Effect.gen(function* () {
      const slow = scripted("slow", [{ delay_ms: 5_000, text: "yes" }])
      const project = yield* loadProject({ models: [slow, hanging], run: { concurrency: 2, drain_s: 10 } }, 5)
      const { run, stored } = yield* start(project)
      yield* inFlight(run, 2)
      yield* run.stop("cancelled")
      yield* run.stop("budget")
      yield* TestClock.adjust("5 seconds")
      yield* finished(run, 1)
      assert.strictEqual((yield* run.snapshot).phase, "stopping")
      yield* TestClock.adjust("5 seconds")
      const report = yield* run.result
      const { record, results } = yield* stored
      assert.strictEqual(report.run.status, "partial")
      assert.strictEqual(report.run.stopReason, "cancelled")
      assert.deepStrictEqual(tally(results), { answered: 1, run_stopped: 1 })
      assert.deepStrictEqual(report.run.counts, {
        planned: 10,
        finished: 1,
        interrupted: 1,
        notStarted: 8,
        errored: 0,
        timedOut: 0
      })
      assert.strictEqual(record?.status, "partial")
      assert.strictEqual(report.leaderboard.verdict._tag === "Winner", false)
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("interrupts what is in flight at once on a hard stop; nothing measured is `failed`", () =>
    Effect.gen(function* () {
      const { run, stored } = yield* start(yield* loadProject({ models: [hanging], run: { concurrency: 3 } }, 5))
      yield* inFlight(run, 3)
      yield* run.stopNow("deadline")
      const report = yield* run.result
      assert.strictEqual(report.run.status, "failed")
      assert.strictEqual(report.run.stopReason, "deadline")
      assert.strictEqual(report.run.counts.interrupted, 3)
      assert.deepStrictEqual(tally((yield* stored).results), { run_stopped: 3 })
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("ends when its scope closes, and its row says so", () =>
    Effect.gen(function* () {
      const project = yield* loadProject({ models: [quick, hanging], run: { concurrency: 4 } }, 3)
      const { stored } = yield* Effect.scoped(
        Effect.gen(function* () {
          const started = yield* start(project)
          yield* finished(started.run, 3)
          return started
        })
      )
      const { record, results } = yield* stored
      assert.strictEqual(record?.status, "aborted")
      assert.strictEqual(record?.stopReason, "interrupted")
      assert.deepStrictEqual(tally(results), { answered: 3, run_stopped: 3 })
      assert.strictEqual(record?.counts.planned, 6)
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("stops at its wall clock", () =>
    Effect.gen(function* () {
      const project = yield* loadProject(
        { models: [quick, hanging], run: { concurrency: 2, max_wall_s: 60, drain_s: 1 } },
        2
      )
      const { run } = yield* start(project)
      yield* finished(run, 2)
      yield* TestClock.adjust("61 seconds")
      const report = yield* run.result
      assert.deepStrictEqual([report.run.status, report.run.stopReason], ["partial", "time_limit"])
      assert.strictEqual(report.run.limits.maxWallS, 60)
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("stops after the first failed cell with fail_fast, and does not spend the queue", () =>
    Effect.gen(function* () {
      const broken = scripted("broken", [{ text: "yes" }], { script_by_case: { t3: [{ status: 401 }] } })
      const project = yield* loadProject({ models: [broken], run: { concurrency: 1, fail_fast: true } }, 20)
      const { run, stored } = yield* start(project)
      const report = yield* run.result
      assert.deepStrictEqual([report.run.status, report.run.stopReason], ["aborted", "fail_fast"])
      assert.lengthOf((yield* stored).results, 3)
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("starts nothing while paused", () =>
    Effect.gen(function* () {
      const slow = scripted("slow", [{ delay_ms: 1_000, text: "yes" }])
      const { run } = yield* start(yield* loadProject({ models: [slow], run: { concurrency: 1 } }, 3))
      yield* inFlight(run, 1)
      yield* run.pause
      yield* TestClock.adjust("1 second")
      yield* finished(run, 1)
      yield* TestClock.adjust("1 hour")
      const paused = yield* run.snapshot
      assert.deepStrictEqual([paused.phase, paused.inFlight, paused.counts.finished], ["paused", 0, 1])
      yield* run.resume
      yield* inFlight(run, 1)
      yield* TestClock.adjust("1 second")
      yield* finished(run, 2)
      yield* inFlight(run, 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* run.result).run.status, "completed")
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("cancels one cell, which is an outcome of its own", () =>
    Effect.gen(function* () {
      const { run, stored } = yield* start(yield* loadProject({ models: [hanging, quick], run: { concurrency: 2 } }, 1))
      yield* finished(run, 1)
      const cell = { contestant: ContestantKey.make("hangs"), caseId: CaseId.make("t1"), trial: 1 }
      assert.isFalse(yield* run.cancelCell({ ...cell, trial: 2 }))
      assert.isTrue(yield* run.cancelCell(cell))
      const report = yield* run.result
      assert.strictEqual(report.run.status, "completed")
      const { results } = yield* stored
      assert.strictEqual(results.find(({ contestant }) => contestant === "hangs")?.error?.kind, "cancelled")
    }).pipe(Effect.provide(Arena.layer))
  )
})

describe("budgets", () => {
  const budgeted = (budgets: Readonly<Record<string, unknown>>, models: ReadonlyArray<unknown> = [quick]) =>
    loadProject({ models, budgets: { allow_unpriced: true, ...budgets }, run: { concurrency: 1 } }, 60)

  it.effect("stop the run once the cap is passed, not when it is met", () =>
    Effect.gen(function* () {
      const four = yield* Arena.start(yield* budgeted({ max_run_usd: 0.02 }))
      const report = yield* four.result
      assert.strictEqual(report.run.counts.finished, 4)
      assert.deepStrictEqual([report.run.status, report.run.stopReason], ["partial", "budget"])
      assert.approximately(report.run.totalCostUsd ?? 0, 0.024, 1e-12)
      const five = yield* Arena.start(yield* budgeted({ max_run_usd: 0.024 }))
      assert.strictEqual((yield* five.result).run.counts.finished, 5)
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("of a model stop that contestant only", () =>
    Effect.gen(function* () {
      const dear = scripted("dear", [{ text: "yes", cost_usd: 1 }])
      const run = yield* Arena.start(yield* budgeted({ max_model_usd: 2 }, [quick, dear]))
      const report = yield* run.result
      const counts = Object.fromEntries(report.leaderboard.entries.map(({ key, stats }) => [key, stats.completed]))
      assert.deepStrictEqual(counts, { quick: 60, dear: 3 })
      assert.deepStrictEqual([report.run.status, report.run.stopReason], ["partial", "budget"])
      assert.isTrue(report.leaderboard.notes.some((note) => note.includes("dear")))
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("only warn when told so", () =>
    Effect.gen(function* () {
      const run = yield* Arena.start(yield* budgeted({ max_run_usd: 0.02, on_exceed: "warn" }))
      const watching = yield* follow(run)
      const report = yield* run.result
      assert.strictEqual(report.run.status, "completed")
      const warnings = (yield* Fiber.join(watching)).filter(({ _tag }) => _tag === "BudgetWarning")
      assert.lengthOf(warnings, 1)
      assert.isTrue(report.leaderboard.notes.some((note) => note.includes("budget")))
    }).pipe(Effect.provide(Arena.layer))
  )
})

describe("preflight", () => {
  it.effect("skips who cannot run, keeps them on the board, and plans the rest", () =>
    Effect.gen(function* () {
      const unready = { key: "unready", model: "mock:x", params: { mode: "nonsense" } }
      const project = yield* loadProject({ models: [quick, unready], run: { trials: 3 } }, 12)
      const readiness = yield* Arena.check(project)
      assert.strictEqual(readiness.planned, 36)
      const run = yield* Arena.start(project)
      const report = yield* run.result
      const entry = report.leaderboard.entries.find(({ key }) => key === "unready")
      assert.strictEqual(entry?.status, "no_data")
      assert.include(entry?.failures.join(), "params.mode of a mock must be one of oracle")
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("is an error when nobody can run", () =>
    Effect.gen(function* () {
      const project = yield* loadProject({ models: [{ key: "a", model: "mock:x", params: { mode: "nonsense" } }] })
      const error = yield* Effect.flip(Arena.check(project))
      assert.include(error.message, "no contestant can run")
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("finds the data errors of all cases at once", () =>
    Effect.gen(function* () {
      const project = yield* loadProject({ models: [quick] }, [
        { id: "bad_regex", input: "x", expected: "(", scorer: "regex" },
        { id: "no_number", input: "x", expected: "many", scorer: "numeric" },
        { id: "no_scorer", input: "x", expected: "y", scorer: "exact_mach" }
      ])
      const error = yield* Effect.flip(Arena.check(project))
      assert.lengthOf(error.issues, 3)
      for (const { position } of error.issues) assert.isNumber(position.line)
      assert.include(error.message, "exact_match")
    }).pipe(Effect.provide(Arena.layer))
  )
})
