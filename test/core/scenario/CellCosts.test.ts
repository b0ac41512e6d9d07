import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { make as target } from "@agent-arena/core/connector/Target"
import type { CallResult } from "@agent-arena/core/domain/CallResult"
import type { TargetRun } from "@agent-arena/core/domain/Contestant"
import { unknownUsage } from "@agent-arena/core/domain/Generation"
import * as GenerationErrors from "@agent-arena/core/domain/GenerationError"
import { Arena, type StartOptions } from "@agent-arena/core/engine/Arena"
import type { RunHandle } from "@agent-arena/core/engine/RunHandle"
import * as Project from "@agent-arena/core/project/Project"
import { playOf } from "@agent-arena/core/scenario/view/ScenarioOfResult"
import { ResultReuse } from "@agent-arena/core/store/ResultReuse"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"

const four = `scenario: four
entry: a
nodes:
  a: { prompt: "A?", verify: { contains: ok } }
  b: { prompt: "B?", verify: { contains: ok } }
  c: { prompt: "C?", verify: { contains: ok } }
  d: { prompt: "D?", verify: { contains: ok } }
edges: [{ from: a, to: b }, { from: b, to: c }, { from: c, to: d }]
outcomes: { all: { all_turns: { verify_result: true } } }
score: all
`

const price: Readonly<Record<string, number>> = { "A?": 0.01, "B?": 0.02, "C?": 0.04, "D?": 0.08 }
const whole = 0.15

const folderOf = (config: Readonly<Record<string, unknown>> = {}, hooks = "") =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "arena-costs-"))
      mkdirSync(join(folder, "scenarios"))
      writeFileSync(join(folder, "scenarios", "four.yaml"), four)
      writeFileSync(join(folder, "hooks.ts"), hooks)
      const models = [{ key: "m", model: "mock:m", params: { mode: "fixed", text: "ok" } }]
      const run = { retries: 0, concurrency: 1 }
      writeFileSync(join(folder, "config.json"), JSON.stringify({ project: "p", models, run, ...config }))
      return folder
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

interface Kept {
  readonly result: CallResult
  /** What the run has cost in all its parts: by its report, its row, what the screen is told, and by contestant. */
  readonly totals: ReadonlyArray<number | null>
}

/** Plays with a target; the models of the folder do not take part, and can be called. */
const play = (
  folder: string,
  answer: TargetRun<never>,
  options: StartOptions = {},
  during: (run: RunHandle) => Effect.Effect<void> = () => Effect.void
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const loaded = yield* Project.load(folder)
      const contestants = loaded.contestants.map((one) => ({ ...one, enabled: false }))
      const project = Project.withContestants({ ...loaded, contestants }, [target("t", answer)])
      const run = yield* Arena.start(project, options)
      yield* Effect.forkScoped(during(run))
      const report = yield* run.result
      const services = yield* Layer.build(ResultStore.layer(project.output.db))
      const store = Context.get(services, ResultStore)
      const [result] = yield* Stream.runCollect(store.results(run.id))
      const row = (yield* store.run("latest"))?.totalCostUsd ?? null
      const spent = yield* Context.get(services, ResultReuse).spent(run.id)
      const byContestant = [...spent.values()].reduce((sum, { usd }) => sum + (usd ?? 0), 0)
      const told = (yield* run.snapshot).spentUsd
      if (result === undefined) return yield* Effect.die("nothing was recorded")
      return { result, totals: [report.run.totalCostUsd, row, told, byContestant] } satisfies Kept
    })
  ).pipe(Effect.provide(Arena.layer))

const costs = ({ totals }: Kept, usd: number): void => {
  for (const total of totals) assert.approximately(total ?? Number.NaN, usd, 1e-9, totals.join(" "))
}

/** Answers at its price, but for the question at which it hangs or fails. */
const paid = (world: { at: string | null; hangs: boolean; real: number }, reached?: Deferred.Deferred<void>) => {
  const answer: TargetRun<never> = ({ messages }) =>
    Effect.suspend(() => {
      const question = String(messages.at(-1)?.content)
      if (question !== world.at) {
        world.real += price[question] ?? 0
        return Effect.succeed({ output: "ok", costUsd: price[question] ?? 0 })
      }
      if (!world.hangs || reached === undefined)
        return Effect.fail(GenerationErrors.make({ reason: "invalid_request", detail: "broken" }))
      return Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
    })
  return answer
}

describe("what a scenario in a run costs", () => {
  for (const at of ["B?", "C?", "D?"]) {
    it.live(`is counted once when it is stopped at ${at} and resumed`, () =>
      Effect.gen(function* () {
        const folder = yield* folderOf()
        const reached = yield* Deferred.make<void>()
        const world = { at: at as string | null, hangs: true, real: 0 }
        const stopped = yield* play(folder, paid(world, reached), {}, (run) =>
          Effect.andThen(Deferred.await(reached), run.stopNow("cancelled"))
        )
        costs(stopped, world.real)
        world.at = null
        const resumed = yield* play(folder, paid(world), { resume: "latest" })
        assert.approximately(world.real, whole, 1e-9)
        costs(resumed, whole)
        assert.approximately(resumed.result.costUsd ?? Number.NaN, whole, 1e-9)
        assert.strictEqual(resumed.result.steps.length, 4)
      }).pipe(Effect.scoped)
    )
  }

  it.live("is counted once when it fails again and again", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf()
      const world = { at: "C?" as string | null, hangs: false, real: 0 }
      costs(yield* play(folder, paid(world)), 0.03)
      costs(yield* play(folder, paid(world), { resume: "latest" }), 0.03)
      world.at = "D?"
      costs(yield* play(folder, paid(world), { resume: "latest" }), 0.07)
      world.at = null
      const resumed = yield* play(folder, paid(world), { resume: "latest" })
      costs(resumed, whole)
      assert.approximately(world.real, whole, 1e-9)
      assert.deepStrictEqual(
        resumed.result.steps.map(({ answeredFrom }) => answeredFrom ?? "now"),
        ["replay", "replay", "replay", "now"]
      )
      assert.deepStrictEqual(
        resumed.result.steps.map(({ prompt }) => prompt.match(/[A-D]\?/g)?.at(-1)),
        ["A?", "B?", "C?", "D?"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("meets the budget with what was really spent", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf({ budgets: { max_run_usd: 0.16, allow_unpriced: true } })
      const world = { at: "D?" as string | null, hangs: false, real: 0 }
      yield* play(folder, paid(world))
      world.at = null
      const resumed = yield* play(folder, paid(world), { resume: "latest" })
      assert.strictEqual(resumed.result.status, "ok")
      costs(resumed, whole)
    }).pipe(Effect.scoped)
  )

  it.live("includes what targets have asked for themselves, once", () =>
    Effect.gen(function* () {
      const models = [
        { key: "m", model: "mock:m", params: { mode: "script", script: [{ text: "ok", cost_usd: 0.005 }] } }
      ]
      const folder = yield* folderOf({ models })
      const pipeline: TargetRun<never> = (_request, cell) =>
        Effect.map(cell.generate("m", { prompt: "inner" }), ({ text }) => text)
      const kept = yield* play(folder, pipeline)
      costs(kept, 0.02)
      assert.approximately(kept.result.costUsd ?? Number.NaN, 0.02, 1e-9)
      assert.strictEqual(kept.result.steps.filter(({ inside }) => inside === true).length, 4)
    }).pipe(Effect.scoped)
  )

  it.live("of targets is that of what they have asked, not the price of the tokens that they tell", () =>
    Effect.gen(function* () {
      const models = [
        { key: "m", model: "mock:m", params: { mode: "script", script: [{ text: "ok", cost_usd: 0.005 }] } }
      ]
      const card = { input_usd_per_mtok: 1_000_000, output_usd_per_mtok: 0, source: "a test", as_of: "2026-01-01" }
      const folder = yield* folderOf({ models, pricing: { models: { t: card } } })
      const pipeline: TargetRun<never> = (_request, cell) =>
        Effect.map(cell.generate("m", { prompt: "inner" }), ({ text }) => ({
          output: text,
          usage: { ...unknownUsage, prompt: 1, completion: 1 }
        }))
      costs(yield* play(folder, pipeline), 0.02)
    }).pipe(Effect.scoped)
  )
})

describe("pre_request", () => {
  it.live("has the last word on every turn, with its messages", () =>
    Effect.gen(function* () {
      const hooks = `export const before = (request, testCase, contestant) =>
        ({ system: contestant + " " + testCase.id + " " + request.messages.length })`
      const folder = yield* folderOf({ hooks: { pre_request: "hooks.ts:before" } }, hooks)
      const seen: Array<string | null> = []
      yield* play(folder, ({ system }) =>
        Effect.sync(() => {
          seen.push(system)
          return "ok"
        })
      )
      assert.deepStrictEqual(seen, ["t four 1", "t four 3", "t four 5", "t four 7"])
    }).pipe(Effect.scoped)
  )

  it.live("that fails on a turn is the error of the cell, with the turns before", () =>
    Effect.gen(function* () {
      const hooks = `export const before = (request) => {
        if (request.messages.length > 3) throw new Error("no more")
        return null
      }`
      const folder = yield* folderOf({ hooks: { pre_request: "hooks.ts:before" } }, hooks)
      const { result } = yield* play(folder, () => Effect.succeed("ok"))
      assert.deepStrictEqual([result.error?.kind, result.error?.source], ["hook", "pre_request"])
      assert.strictEqual(playOf(result)?.turns.length, 3)
    }).pipe(Effect.scoped)
  )
})
