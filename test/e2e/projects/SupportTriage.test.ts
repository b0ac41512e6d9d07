/** `projects/support_triage`, every number of its report calculated a second time without the engine. */
import { createHash } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { build, folders } from "../cli/arena.ts"
import { casesOf, entryOf, mean, type Report, type ReportedInterval, runProject } from "./ExampleRun.ts"
import { answer, tokens } from "./Simulation.ts"

/** As config.yaml has them: percent, ms, USD per million tokens in and out. */
const models = [
  { key: "sim_frontier", model: "mock:frontier", accuracy: 96, latencyMs: 1500, input: 5, output: 25 },
  { key: "sim_balanced", model: "mock:balanced", accuracy: 88, latencyMs: 620, input: 3, output: 15 },
  { key: "sim_small", model: "mock:small", accuracy: 78, latencyMs: 190, input: 1, output: 5 },
  { key: "sim_tiny", model: "mock:tiny", accuracy: 55, latencyMs: 90, input: 0.25, output: 1.25 }
] as const
const system =
  "You route customer messages. Answer with exactly one label: billing, technical, shipping, account or escalate."
const trials = [1, 2, 3]
const weights = { accuracy: 0.55, cost: 0.25, latency: 0.2 }
const budgetUsdPer1k = 2
const targetMs = 800
const floor = 0.7

const cases = casesOf("support_triage").map((one) => ({
  ...one,
  expected: String(one.expected),
  weight: one.weight ?? 1
}))

type Model = (typeof models)[number]
type Case = (typeof cases)[number]

const call = (model: Model, one: Case, trial: number) => {
  const output = answer({ model: model.model, accuracy: model.accuracy, wrong: "unsure" }, one.id, trial, one.expected)
  const inputTokens = tokens(one.input) + tokens(system)
  const outputTokens = tokens(output)
  return {
    key: model.key,
    case: one,
    trial,
    output,
    score: output === one.expected ? 1 : 0,
    inputTokens,
    outputTokens,
    costUsd: (inputTokens * model.input + outputTokens * model.output) / 1_000_000,
    latencyMs: model.latencyMs
  }
}

type Call = ReturnType<typeof call>

const calls = models.flatMap((model) => cases.flatMap((one) => trials.map((trial) => call(model, one, trial))))
const callsOf = (key: string) => calls.filter((one) => one.key === key)

const accuracyOf = (own: ReadonlyArray<Call>): number =>
  own.reduce((total, { case: { weight }, score }) => total + weight * score, 0) /
  own.reduce((total, { case: { weight } }) => total + weight, 0)
const costOf = (own: ReadonlyArray<Call>): number => 1000 * mean(own.map(({ costUsd }) => costUsd))
const latencyOf = (own: ReadonlyArray<Call>): number => mean(own.map(({ latencyMs }) => latencyMs))
const cut = (value: number): number => Math.min(1, Math.max(0, value))
const costScore = (own: ReadonlyArray<Call>): number => cut(1 - costOf(own) / budgetUsdPer1k)
const latencyScore = (own: ReadonlyArray<Call>): number => cut(1 - latencyOf(own) / targetMs)
const compositeOf = (own: ReadonlyArray<Call>): number =>
  weights.accuracy * accuracyOf(own) + weights.cost * costScore(own) + weights.latency * latencyScore(own)

const ranking = models
  .map(({ key }) => ({ key, accuracy: accuracyOf(callsOf(key)), composite: compositeOf(callsOf(key)) }))
  .filter(({ accuracy }) => accuracy >= floor)
  .toSorted((a, b) => b.composite - a.composite)
const disqualified = models.map(({ key }) => key).filter((key) => !ranking.some((one) => one.key === key))

const near = (actual: number | null | undefined, expected: number, message?: string) =>
  assert.closeTo(actual ?? Number.NaN, expected, 1e-9, message)

/** Cases drawn with replacement by a generator of the test's own; the middle 95 % of the statistic. */
const bootstrap = (
  statistic: (drawn: ReadonlyArray<Case>) => number
): { readonly low: number; readonly high: number } => {
  const resamples = Array.from({ length: 3000 }, (_, index) => {
    const bytes = createHash("sha256").update(`resample ${index}`).digest()
    const drawn = cases.map((one, position) => cases[(bytes[position] ?? 0) % cases.length] ?? one)
    return statistic(drawn)
  }).toSorted((a, b) => a - b)
  const at = (share: number) => resamples[Math.round(share * (resamples.length - 1))] ?? Number.NaN
  return { low: at(0.025), high: at(0.975) }
}

/** Two generators agree on an interval only about; 0.02 is far more than they differ by, and far less than a mistake. */
const alike = (interval: ReportedInterval | null, point: number, statistic: (drawn: ReadonlyArray<Case>) => number) => {
  const { high, low } = bootstrap(statistic)
  near(interval?.point, point)
  assert.closeTo(interval?.low ?? Number.NaN, low, 0.02)
  assert.closeTo(interval?.high ?? Number.NaN, high, 0.02)
}

const drawnCalls = (key: string, drawn: ReadonlyArray<Case>) => {
  const own = callsOf(key)
  return drawn.flatMap((one) => own.filter((made) => made.case === one))
}

const caseScore = (key: string, one: Case): number =>
  mean(callsOf(key).flatMap((made) => (made.case === one ? [made.score] : [])))

describe("projects/support_triage", () => {
  const { clean, make } = folders()
  let report: Report
  beforeAll(async () => {
    build()
    report = (await runProject("projects/support_triage", make(), ["--no-report"])).report
  })
  afterAll(clean)

  it("answers, scores, counts and prices every cell as the simulation says", () => {
    assert.deepInclude(report, { status: "completed", planned: 144, finished: 144, errors: 0 })
    const actual = new Map(report.results.map((one) => [`${one.model_key}/${one.test_id}/${one.trial}`, one]))
    assert.strictEqual(actual.size, calls.length)
    for (const made of calls) {
      const cell = `${made.key}/${made.case.id}/${made.trial}`
      const result = actual.get(cell)
      assert.deepInclude(
        { ...result },
        {
          status: "ok",
          output: made.output,
          score: made.score,
          latency_ms: made.latencyMs,
          input_tokens: made.inputTokens,
          output_tokens: made.outputTokens
        },
        cell
      )
      near(result?.cost_usd, made.costUsd, cell)
    }
    near(
      report.total_cost_usd,
      calls.reduce((total, { costUsd }) => total + costUsd, 0)
    )
  })

  it("measures and normalises every contestant", () => {
    assert.deepStrictEqual(report.leaderboard.weights, weights)
    const spread = (values: ReadonlyArray<number>, value: number) => {
      const [best, worst] = [Math.min(...values), Math.max(...values)]
      return (worst - value) / (worst - best)
    }
    const meanTokens = (key: string) =>
      mean(callsOf(key).map(({ inputTokens, outputTokens }) => inputTokens + outputTokens))
    for (const { key } of models) {
      const own = callsOf(key)
      const { by_tag: byTag, metrics, stats } = entryOf(report, key)
      const ranked = !disqualified.includes(key)
      const expected = {
        accuracy: [accuracyOf(own), accuracyOf(own), 0.55],
        strict_accuracy: [accuracyOf(own), accuracyOf(own), 0],
        pass_rate: [accuracyOf(own), accuracyOf(own), 0],
        reliability: [1, 1, 0],
        cost: [costOf(own), costScore(own), 0.25],
        latency: [latencyOf(own), latencyScore(own), 0.2],
        latency_p95: [
          latencyOf(own),
          spread(
            ranking.map((one) => latencyOf(callsOf(one.key))),
            latencyOf(own)
          ),
          0
        ],
        tokens: [
          meanTokens(key),
          spread(
            ranking.map((one) => meanTokens(one.key)),
            meanTokens(key)
          ),
          0
        ]
      } as const
      assert.sameMembers(Object.keys(metrics), Object.keys(expected))
      for (const [name, [raw, normalised, weight]] of Object.entries(expected)) {
        near(metrics[name]?.raw, raw, `${key} ${name}`)
        if (ranked) near(metrics[name]?.normalized, normalised, `${key} ${name}`)
        else assert.isNull(metrics[name]?.normalized)
        near(metrics[name]?.weight, weight)
      }
      const sum = (of: (made: Call) => number) => own.reduce((total, made) => total + of(made), 0)
      assert.deepInclude(stats, {
        planned: 36,
        attempted: 36,
        completed: 36,
        errors: 0,
        timed_out: 0,
        interrupted: 0,
        graded: 36,
        cost_priced_calls: 36,
        latency_p50_ms: latencyOf(own),
        latency_max_ms: latencyOf(own),
        total_prompt_tokens: sum(({ inputTokens }) => inputTokens),
        total_completion_tokens: sum(({ outputTokens }) => outputTokens)
      })
      near(
        stats["total_cost_usd"],
        sum(({ costUsd }) => costUsd)
      )
      const tags = [...new Set(cases.flatMap((one) => one.tags ?? []))].toSorted()
      assert.deepStrictEqual(Object.keys(byTag), tags)
      for (const tag of tags) {
        const tagged = own.filter((made) => made.case.tags?.includes(tag))
        near(byTag[tag], mean(tagged.map(({ score }) => score)), `${key} ${tag}`)
      }
    }
  })

  it("ranks who stays above the floor and disqualifies who does not", () => {
    const { entries } = report.leaderboard
    assert.deepStrictEqual(
      entries.map(({ key, rank, status }) => [key, rank, status]),
      [
        ...ranking.map(({ key }, index) => [key, index + 1, "ranked"]),
        ...disqualified.map((key) => [key, null, "disqualified"])
      ]
    )
    assert.deepStrictEqual(disqualified, ["sim_tiny"])
    for (const { composite, key } of ranking) near(entryOf(report, key).composite, composite, key)
    const tiny = entryOf(report, "sim_tiny")
    assert.isNull(tiny.composite)
    const percent = (100 * accuracyOf(callsOf("sim_tiny"))).toFixed(1)
    assert.deepStrictEqual(tiny.failures, [`accuracy ${percent} % is below the required 70.0 %`])
  })

  it("gives intervals that resampling of the cases confirms", () => {
    for (const { key } of ranking) {
      const { accuracy_interval: accuracy, composite_interval: composite } = entryOf(report, key)
      alike(accuracy, accuracyOf(callsOf(key)), (drawn) => accuracyOf(drawnCalls(key, drawn)))
      alike(composite, compositeOf(callsOf(key)), (drawn) => compositeOf(drawnCalls(key, drawn)))
    }
  })

  it("compares the leader with each of the others and declares it the winner", () => {
    const [leader, second, ...rest] = ranking
    assert.isDefined(leader)
    assert.isDefined(second)
    const { comparisons, verdict, winner } = report.leaderboard
    assert.deepStrictEqual(
      comparisons.map(({ other }) => other),
      [second, ...rest].map(({ key }) => key)
    )
    for (const pair of comparisons) {
      const composite = (drawn: ReadonlyArray<Case>) =>
        compositeOf(drawnCalls(leader.key, drawn)) - compositeOf(drawnCalls(pair.other, drawn))
      const accuracy = (drawn: ReadonlyArray<Case>) =>
        accuracyOf(drawnCalls(leader.key, drawn)) - accuracyOf(drawnCalls(pair.other, drawn))
      alike(pair.composite_difference, composite(cases), composite)
      alike(pair.accuracy_difference, accuracy(cases), accuracy)
      const deltas = cases.map((one) => ({
        id: one.id,
        delta: caseScore(leader.key, one) - caseScore(pair.other, one)
      }))
      assert.deepInclude(pair, {
        leader: leader.key,
        shared_cases: 12,
        wins: deltas.filter(({ delta }) => delta > 1e-9).length,
        losses: deltas.filter(({ delta }) => delta < -1e-9).length,
        ties: deltas.filter(({ delta }) => Math.abs(delta) <= 1e-9).length,
        separated: true
      })
      const different = deltas.filter(({ delta }) => Math.abs(delta) > 1e-9).map(({ id }) => id)
      assert.sameMembers(
        pair.discriminating_cases.map(({ test_id: id }) => id),
        different
      )
    }
    assert.strictEqual(verdict.kind, "winner")
    assert.strictEqual(winner, leader.key)
    assert.strictEqual(report.winner, leader.key)
    near(verdict.margin, leader.composite - second.composite)
  })
})
