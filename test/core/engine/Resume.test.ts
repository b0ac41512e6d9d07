import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { CallResult } from "@agent-arena/core/domain/CallResult"
import { CaseId, ContestantKey } from "@agent-arena/core/domain/Ids"
import { Arena, type StartOptions } from "@agent-arena/core/engine/Arena"
import * as Project from "@agent-arena/core/project/Project"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { projectFolder } from "./projects.ts"

const counter = `
let calls = 0
export const count = () => calls
export const answer = async (_prompt, { params, caseId, trial }) => {
  const { appendFileSync } = await import("node:fs")
  appendFileSync(params.log, \`\${caseId} \${trial}\\n\`)
  if (params.fails === caseId) throw new Error("broken today")
  return { output: "yes", cost_usd: 0.01 }
}
`

interface Setup {
  readonly cases?: ReadonlyArray<{
    readonly id: string
    readonly expected?: string
    readonly input?: string
    readonly scorer?: string
  }>
  readonly targets?: ReadonlyArray<string>
  readonly fails?: string | null
  readonly trials?: number
  readonly run?: Readonly<Record<string, unknown>>
  readonly budgets?: Readonly<Record<string, unknown>>
  /** Files of `scorers/`. */
  readonly scorers?: Readonly<Record<string, string>>
}

/** A folder whose config can be rewritten between runs; each target notes its calls in a log. */
const workshop = Effect.gen(function* () {
  const folder = yield* projectFolder({ "target.mjs": counter })
  const write = (setup: Setup) => {
    const targets = (setup.targets ?? ["a", "b"]).map((key) => ({
      key,
      run: "target.mjs:answer",
      params: { log: join(folder, `${key}.log`), fails: setup.fails ?? null }
    }))
    const cases = (setup.cases ?? [{ id: "t1" }, { id: "t2" }, { id: "t3" }]).map((one) => ({
      input: "say yes",
      expected: "yes",
      ...one
    }))
    const run = { concurrency: 1, retries: 0, trials: setup.trials ?? 1, ...setup.run }
    writeFileSync(join(folder, "config.json"), JSON.stringify({ project: "p", targets, run, budgets: setup.budgets }))
    writeFileSync(join(folder, "tests.json"), JSON.stringify(cases))
    for (const [name, code] of Object.entries(setup.scorers ?? {})) {
      mkdirSync(join(folder, "scorers"), { recursive: true })
      writeFileSync(join(folder, "scorers", name), code)
    }
  }
  const clear = () => {
    for (const key of ["a", "b", "c"]) writeFileSync(join(folder, `${key}.log`), "")
  }
  const calls = (key: string) =>
    Effect.promise(async () => {
      const { readFile } = await import("node:fs/promises")
      const text = await readFile(join(folder, `${key}.log`), "utf8").catch(() => "")
      return text.split("\n").filter((line) => line !== "")
    })
  const run = (setup: Setup, options: StartOptions = {}) =>
    Effect.scoped(
      Effect.gen(function* () {
        write(setup)
        clear()
        const project = yield* Project.load(folder)
        const handle = yield* Arena.start(project, options)
        const report = yield* handle.result
        const store = Context.get(yield* Layer.build(ResultStore.layer(project.output.db)), ResultStore)
        const results: ReadonlyArray<CallResult> = [...(yield* Stream.runCollect(store.results(report.run.runId)))]
        return { report, results, a: yield* calls("a"), b: yield* calls("b"), c: yield* calls("c") }
      })
    )
  return run
})

describe("resume", () => {
  it.effect("of a finished run makes no calls and ranks again", () =>
    Effect.gen(function* () {
      const run = yield* workshop
      const first = yield* run({})
      const again = yield* run({}, { resume: "latest" })
      assert.strictEqual(again.report.run.runId, first.report.run.runId)
      assert.deepStrictEqual([again.a, again.b], [[], []])
      assert.deepStrictEqual(again.report.run.counts, first.report.run.counts)
      assert.deepStrictEqual(again.report.leaderboard.entries, first.report.leaderboard.entries)
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("runs what is missing, repeats errors, and completes the run", () =>
    Effect.gen(function* () {
      const run = yield* workshop
      const first = yield* run({ fails: "t2", run: { fail_fast: true } })
      assert.strictEqual(first.report.run.status, "aborted")
      const again = yield* run({}, { resume: first.report.run.runId })
      assert.strictEqual(again.report.run.status, "completed")
      assert.lengthOf(again.results, 6)
      assert.isTrue(again.results.every(({ status }) => status === "ok"))
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("asks the named cells again, and only those, whatever they were", () =>
    Effect.gen(function* () {
      const run = yield* workshop
      yield* run({ fails: "t2", trials: 2 })
      const cell = { contestant: ContestantKey.make("b"), caseId: CaseId.make("t3"), trial: 2 }
      const setup = { fails: "t2", trials: 2 }
      const again = yield* run(setup, { resume: "latest", repeat: { errors: false, cells: [cell] } })
      assert.deepStrictEqual([again.a, again.b], [[], ["t3 2"]])
      assert.strictEqual(again.report.run.status, "completed")
      assert.strictEqual(again.report.run.counts.errored, 4)
      assert.lengthOf(again.results, 12)
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("leaves a named cell as it was when the run is stopped before it is asked", () =>
    Effect.gen(function* () {
      const run = yield* workshop
      const first = yield* run({})
      const cell = { contestant: ContestantKey.make("a"), caseId: CaseId.make("t1"), trial: 1 }
      // What was spent before is over the budget already.
      const budgets = { max_run_usd: 0.001, allow_unpriced: true }
      const again = yield* run({ budgets }, { resume: "latest", repeat: { cells: [cell] } })
      assert.deepStrictEqual([again.a, again.b], [[], []])
      assert.deepStrictEqual(again.report.run.counts, first.report.run.counts)
      assert.deepStrictEqual(again.results, first.results)
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("runs changed contestants and cases again, and only those", () =>
    Effect.gen(function* () {
      const run = yield* workshop
      yield* run({})
      const changed = [{ id: "t1" }, { id: "t2", input: "say yes, please" }, { id: "t3" }]
      const again = yield* run({ cases: changed }, { resume: "latest" })
      assert.deepStrictEqual([again.a, again.b], [["t2 1"], ["t2 1"]])
      assert.strictEqual(again.report.run.status, "completed")
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("scores kept answers again, without a call, when only the scoring changed", () =>
    Effect.gen(function* () {
      const run = yield* workshop
      yield* run({})
      const again = yield* run(
        { cases: [{ id: "t1", expected: "no" }, { id: "t2" }, { id: "t3" }] },
        { resume: "latest" }
      )
      assert.deepStrictEqual([again.a, again.b], [[], []])
      assert.deepStrictEqual(
        again.results.map(({ caseId, score }) => `${caseId} ${score}`),
        ["t1 0", "t1 0", "t2 1", "t2 1", "t3 1", "t3 1"]
      )
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("scores again when the code of a project's own scorer changed", () =>
    Effect.gen(function* () {
      const run = yield* workshop
      const cases = [{ id: "t1", scorer: "own" }, { id: "t2" }]
      const own = (score: number) => ({ "own.mjs": `export default () => ${score}` })
      yield* run({ cases, scorers: own(1) })
      const again = yield* run({ cases, scorers: own(0) }, { resume: "latest" })
      assert.deepStrictEqual([again.a, again.b], [[], []])
      assert.deepStrictEqual(
        again.results.map(({ caseId, score }) => `${caseId} ${score}`),
        ["t1 0", "t1 0", "t2 1", "t2 1"]
      )
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("keeps errors when told so, and repeats what did not pass when told so", () =>
    Effect.gen(function* () {
      const run = yield* workshop
      const cases = [{ id: "t1", expected: "no" }, { id: "t2" }, { id: "t3" }]
      yield* run({ fails: "t3", cases })
      const kept = yield* run({ fails: "t3", cases }, { resume: "latest", repeat: { errors: false } })
      assert.deepStrictEqual([kept.a, kept.b], [[], []])
      const failed = yield* run({ fails: "t3", cases }, { resume: "latest", repeat: { errors: false, failed: true } })
      assert.deepStrictEqual([failed.a, failed.b], [["t1 1"], ["t1 1"]])
      const named = yield* run(
        { fails: "t3", cases },
        { resume: "latest", repeat: { errors: false, cases: new Set(["t2"]) } }
      )
      assert.deepStrictEqual([named.a, named.b], [["t2 1"], ["t2 1"]])
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("counts what was already spent against the budget", () =>
    Effect.gen(function* () {
      const run = yield* workshop
      const budgets = { max_run_usd: 0.035 }
      const first = yield* run({ budgets })
      assert.deepStrictEqual([first.report.run.status, first.report.run.stopReason], ["partial", "budget"])
      assert.strictEqual(first.report.run.counts.finished, 4)
      const again = yield* run({ budgets }, { resume: "latest" })
      assert.strictEqual(again.report.run.counts.finished, 4)
      assert.approximately(again.report.run.totalCostUsd ?? 0, 0.04, 1e-12)
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("of a run that does not exist is an error", () =>
    Effect.gen(function* () {
      const run = yield* workshop
      const error = yield* Effect.flip(run({}, { resume: "latest" }))
      assert.include(error.message, "there is no run yet")
    }).pipe(Effect.provide(Arena.layer))
  )
})

describe("reuse", () => {
  it.effect("pays only for a new contestant", () =>
    Effect.gen(function* () {
      const run = yield* workshop
      const first = yield* run({})
      const extended = yield* run({ targets: ["a", "b", "c"] }, { reuse: "latest" })
      assert.notStrictEqual(extended.report.run.runId, first.report.run.runId)
      assert.deepStrictEqual([extended.a, extended.b, extended.c.length], [[], [], 3])
      assert.strictEqual(extended.report.run.status, "completed")
      assert.lengthOf(extended.results, 9)
      assert.approximately(extended.report.run.totalCostUsd ?? 0, 0.03, 1e-12)
    }).pipe(Effect.provide(Arena.layer))
  )

  it.effect("pays only for new cases and new trials", () =>
    Effect.gen(function* () {
      const run = yield* workshop
      yield* run({})
      const cases = [{ id: "t1" }, { id: "t2" }, { id: "t3" }, { id: "t4" }]
      const extended = yield* run({ cases, trials: 2 }, { reuse: "latest" })
      assert.sameMembers(extended.a, ["t1 2", "t2 2", "t3 2", "t4 1", "t4 2"])
      assert.lengthOf(extended.results, 16)
    }).pipe(Effect.provide(Arena.layer))
  )
})
