/** `projects/pipelines`: every inner call goes through the arena, so it is kept, counted and priced. */
import type { CallResult } from "@agent-arena/core/domain/CallResult"
import { RunId } from "@agent-arena/core/domain/Ids"
import { ResultStore } from "@agent-arena/core/store/ResultStore"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { arena, build, folders } from "../cli/arena.ts"
import { casesOf, entryOf, type Report, runProject } from "./ExampleRun.ts"
import { answer, tokens } from "./Simulation.ts"

const usdPerMtok = { input: 2, output: 8 }
const latencyMs = 240
const seeds = { sample_1: "", sample_2: "second", sample_3: "third" } as const
type Sample = keyof typeof seeds

interface InnerCall {
  readonly sample: Sample
  readonly text: string
  readonly usd: number
  readonly promptTokens: number
}

const cases = casesOf("pipelines")

/** What a sample says to a prompt about a case, and what that costs. */
const ask = (sample: Sample, one: (typeof cases)[number], trial: number, prompt: string): InnerCall => {
  const right = typeof one.expected === "string" ? one.expected : (one.expected[0] ?? "")
  const flaky = { model: "mock:sampler", seed: seeds[sample], accuracy: 78, wrong: "unsure" }
  const text = answer(flaky, one.id, trial, right)
  const promptTokens = tokens(prompt)
  const usd = (promptTokens * usdPerMtok.input + tokens(text) * usdPerMtok.output) / 1_000_000
  return { sample, text, usd, promptTokens }
}

interface Played {
  readonly calls: ReadonlyArray<InnerCall>
  readonly output: string
  readonly latencyMs: number
}

/** The three pipelines, played by hand. */
const pipelines: Readonly<Record<string, (one: (typeof cases)[number], trial: number) => Played>> = {
  single_call: (one, trial) => {
    const only = ask("sample_1", one, trial, one.input)
    return { calls: [only], output: only.text, latencyMs }
  },
  draft_critique_revise: (one, trial) => {
    const draft = ask("sample_1", one, trial, one.input)
    const again = `${one.input}\n\nA colleague answered "${draft.text}". Answer the question yourself.`
    const critique = ask("sample_2", one, trial, again)
    if (critique.text === draft.text) return { calls: [draft, critique], output: draft.text, latencyMs: 2 * latencyMs }
    const both = `${one.input}\n\nTwo answers were given: "${draft.text}" and "${critique.text}". Which is right?`
    const revision = ask("sample_3", one, trial, both)
    return { calls: [draft, critique, revision], output: revision.text, latencyMs: 3 * latencyMs }
  },
  vote_of_three: (one, trial) => {
    const votes = (["sample_1", "sample_2", "sample_3"] as const).map((sample) => ask(sample, one, trial, one.input))
    const [first, second, third] = votes.map(({ text }) => text)
    const output = second === third ? second : first
    return { calls: votes, output: output ?? "", latencyMs }
  }
}

const stored = (database: string, runId: string): Promise<ReadonlyArray<CallResult>> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const store = yield* ResultStore
      return yield* Stream.runCollect(store.results(RunId.make(runId)))
    }).pipe(Effect.provide(ResultStore.layerReadOnly(database)))
  )

describe("projects/pipelines", () => {
  const { clean, make } = folders()
  let report: Report
  let results: ReadonlyArray<CallResult>
  beforeAll(async () => {
    build()
    const run = await runProject("projects/pipelines", make(), ["--no-report"])
    report = run.report
    results = await stored(run.database, report.run_id)
  })
  afterAll(clean)

  it("keeps every inner call of every cell, with its answer and its price", () => {
    assert.strictEqual(results.length, 3 * 3 * cases.length)
    for (const result of results) {
      const one = cases.find(({ id }) => id === result.caseId)
      const play = pipelines[result.contestant]
      assert.isDefined(one)
      assert.isDefined(play)
      const played = play(one, result.trial)
      const cell = `${result.contestant} ${result.caseId} ${result.trial}`
      assert.strictEqual(result.output, played.output, cell)
      assert.strictEqual(result.latencyMs, played.latencyMs, cell)
      assert.sameDeepMembers(
        result.steps.map(({ contestant, output, usage }) => [contestant, output, usage.prompt]),
        played.calls.map(({ promptTokens, sample, text }) => [sample, text, promptTokens]),
        cell
      )
      const usd = played.calls.reduce((total, call) => total + call.usd, 0)
      assert.closeTo(result.costUsd ?? -1, usd, 1e-12, cell)
      assert.strictEqual(
        result.usage.prompt,
        played.calls.reduce((total, call) => total + call.promptTokens, 0),
        cell
      )
    }
  })

  it("shows what the extra calls cost: a vote of three, three times the single call", () => {
    const costOf = (key: string) => entryOf(report, key).metrics["cost"]?.raw ?? Number.NaN
    const promptTokens = (key: string) => entryOf(report, key).stats["total_prompt_tokens"] ?? Number.NaN
    assert.strictEqual(promptTokens("vote_of_three"), 3 * promptTokens("single_call"))
    // Right and wrong answers differ by a token or two, which is all that three samples differ in.
    assert.closeTo(costOf("vote_of_three") / costOf("single_call"), 3, 0.1)
    assert.isAbove(costOf("draft_critique_revise"), 2 * costOf("single_call"))
    assert.isAbove(
      entryOf(report, "vote_of_three").metrics["accuracy"]?.raw ?? 0,
      entryOf(report, "single_call").metrics["accuracy"]?.raw ?? 1
    )
  })

  it("lists the pipelines only: their building blocks are no contestants", () => {
    assert.sameMembers(
      report.leaderboard.entries.map(({ key }) => key),
      Object.keys(pipelines)
    )
  })

  it("goes on after a stop with its building blocks, and comes to the same result", async () => {
    const output = make()
    const folder = ["--db", `${output}/arena.sqlite`, "--output-dir", output, "--no-report", "--quiet"]
    const stopped = await arena(["run", "projects/pipelines", ...folder, "--max-run-usd", "0.001"])
    assert.strictEqual(stopped.code, 3, stopped.stderr)
    const resumed = await arena(["resume", "projects/pipelines", ...folder, "--max-run-usd", "1", "--json"])
    assert.strictEqual(resumed.code, 0, resumed.stderr)
    const whole: Report = JSON.parse(resumed.stdout)
    assert.deepInclude(whole, { status: "completed", finished: report.finished, errors: 0 })
    assert.closeTo(whole.total_cost_usd ?? -1, report.total_cost_usd ?? 1, 1e-12)
  })

  it("runs one pipeline alone, building blocks included", async () => {
    const { report: alone } = await runProject("projects/pipelines", make(), [
      "--no-report",
      "--contestants",
      "single_call"
    ])
    assert.deepInclude(alone, { planned: 3 * cases.length, finished: 3 * cases.length, errors: 0 })
    assert.deepStrictEqual(
      entryOf(alone, "single_call").metrics["accuracy"]?.raw,
      entryOf(report, "single_call").metrics["accuracy"]?.raw
    )
  })
})
