import * as Target from "@agent-arena/core/connector/Target"
import type { Project } from "@agent-arena/core/domain/Project"
import { Arena, type StartOptions } from "@agent-arena/core/engine/Arena"
import * as Projects from "@agent-arena/core/project/Project"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { finished, inFlight } from "../observation.ts"
import { loadProject, scripted } from "../projects.ts"
import { projectWith, start } from "./Started.ts"

const verdict = (score: number) => JSON.stringify({ reason: "read", score, passed: score > 0.5 })
const judge = (script: ReadonlyArray<unknown>) => ({ model: "mock:judge", params: { mode: "script", script } })
const paid = scripted("paid", [{ text: "yes", cost_usd: 0.01 }])

/** Plays a run, or a part of one, to its end; its totals by three accounts. */
const totals = Effect.fnUntraced(function* (project: Project, options: StartOptions = {}) {
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const { run, stored } = yield* start(project, options)
      const report = yield* run.result
      const { record, spent } = yield* stored
      const byContestant = [...spent.values()].reduce((sum, { usd }) => sum + (usd ?? 0), 0)
      const told = (yield* run.snapshot).spentUsd
      return { report: report.run.totalCostUsd, row: record?.totalCostUsd, told, byContestant, report_: report }
    })
  )
})

const same = (all: Effect.Success<ReturnType<typeof totals>>, usd: number): void => {
  for (const total of [all.report, all.row, all.told, all.byContestant]) {
    assert.approximately(total ?? Number.NaN, usd, 1e-9, `${all.report} ${all.row} ${all.told} ${all.byContestant}`)
  }
}

const judged = (cases: ReadonlyArray<unknown>, reply: unknown) =>
  loadProject({ models: [paid], judge: judge([reply]), run: { concurrency: 1 } }, cases)

describe("what a run has spent", () => {
  it.effect("is the same by every account, judges included, also after it was resumed", () =>
    Effect.gen(function* () {
      const cases = ["a", "b", "c"].map((id) => ({ id, input: "say yes", scorer: "llm_judge" }))
      const project = yield* judged(cases, { text: verdict(1), cost_usd: 0.003 })
      const { run } = yield* start(project)
      yield* run.result
      same(yield* totals(project, { resume: run.id }), 3 * 0.013)
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("counts an answer that is scored again once, and each judgement", () =>
    Effect.gen(function* () {
      const first = yield* judged([{ id: "a", input: "say yes", scorer: "llm_judge" }], {
        text: verdict(1),
        cost_usd: 0.003
      })
      const { run } = yield* start(first)
      yield* run.result
      const changed = yield* judged([{ id: "a", input: "say yes", scorer: "llm_judge", expected: "yes" }], {
        text: verdict(0),
        cost_usd: 0.005
      })
      const project = Projects.withSettings(changed, { output: first.output })
      same(yield* totals(project, { resume: run.id }), 0.01 + 0.003 + 0.005)
      same(yield* totals(project, { resume: run.id }), 0.01 + 0.003 + 0.005)
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("leaves out what another run has paid, also when its answers are scored again", () =>
    Effect.gen(function* () {
      const first = yield* judged([{ id: "a", input: "say yes", scorer: "llm_judge" }], {
        text: verdict(1),
        cost_usd: 0.003
      })
      const { run } = yield* start(first)
      yield* run.result
      const changed = yield* judged([{ id: "a", input: "say yes", scorer: "llm_judge", expected: "yes" }], {
        text: verdict(0),
        cost_usd: 0.005
      })
      same(yield* totals(Projects.withSettings(changed, { output: first.output }), { reuse: run.id }), 0.005)
    }).pipe(Effect.provide(Arena.layer))
  )
})

describe("a run that is resumed without a contestant", () => {
  it.effect("still counts what that one has spent", () =>
    Effect.gen(function* () {
      const target = (key: string) => Target.make(key, () => Effect.succeed({ output: "yes", costUsd: 0.01 }))
      const both = yield* projectWith([target("a"), target("b")], 3)
      const { run } = yield* start(both)
      yield* run.result
      const one = Projects.withContestants({ ...both, contestants: [] }, [target("a")])
      same(yield* totals(one, { resume: run.id }), 0.06)
      const tight = Projects.withSettings(one, { budgets: { maxModelUsd: 0.04, maxRunUsd: 0.07 } })
      same(yield* totals(tight, { resume: run.id }), 0.06)
    }).pipe(Effect.provide(Arena.layer))
  )
})

describe("a run whose budget is spent", () => {
  it.effect("calls nobody when it is resumed", () =>
    Effect.gen(function* () {
      let calls = 0
      const target = Target.make("t", () => {
        calls += 1
        return Effect.succeed({ output: "yes", costUsd: 0.01 })
      })
      const budgets = { max_run_usd: 0.015, allow_unpriced: true }
      const project = yield* projectWith([target], 20, { budgets, run: { concurrency: 4 } })
      const { run } = yield* start(project)
      yield* run.result
      const before = calls
      const { report_ } = yield* totals(project, { resume: run.id })
      assert.strictEqual(calls, before)
      assert.deepStrictEqual([report_.run.status, report_.run.stopReason], ["partial", "budget"])
      assert.isTrue(report_.leaderboard.notes.some((note) => note.includes("budget")))
    }).pipe(Effect.provide(Arena.layer))
  )
})

describe("a resumed run that stops again", () => {
  it.effect("keeps the outcomes that it did not come to repeat", () =>
    Effect.gen(function* () {
      const failing = Target.make("t", (_request, cell) =>
        cell.caseId === "t4" && calm ? Effect.never : calm ? Effect.succeed("yes") : Effect.fail(new Error("down"))
      )
      let calm = false
      const project = yield* projectWith([failing], 6, {
        run: { concurrency: 1, retries: 0, request_timeout_s: 0, cell_timeout_s: 0 }
      })
      const { run } = yield* start(project)
      assert.strictEqual((yield* run.result).run.counts.errored, 6)
      calm = true
      const again = yield* start(project, { resume: run.id })
      yield* finished(again.run, 3)
      yield* inFlight(again.run, 1)
      yield* again.run.stopNow("cancelled")
      const { counts } = (yield* again.run.result).run
      assert.deepStrictEqual(counts, {
        planned: 6,
        finished: 5,
        interrupted: 1,
        notStarted: 0,
        errored: 2,
        timedOut: 0
      })
      assert.deepStrictEqual((yield* again.stored).record?.counts, counts)
    }).pipe(Effect.provide(Arena.layer))
  )
})
