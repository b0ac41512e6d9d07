import type { CallResult } from "@agent-arena/core/domain/CallResult"
import * as JsonReport from "@agent-arena/core/report/JsonReport"
import { stringify } from "@agent-arena/core/report/JsonText"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { hostileText } from "./hostile.ts"
import { failed, leaderboard, report, result, rules, run } from "./reports.ts"

const options = { generatedAt: "2026-01-01T12:00:03.000Z", parts: [], scenarios: () => [] }

const render = (results: ReadonlyArray<CallResult>, fields: Parameters<typeof report>[0] = {}) =>
  JsonReport.render(report(fields), Stream.fromIterable(results), options).pipe(Stream.mkString)

const parse = (results: ReadonlyArray<CallResult>, fields: Parameters<typeof report>[0] = {}) =>
  Effect.map(render(results, fields), (text) => JSON.parse(text))

const keysOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value)
    ? value.flatMap(keysOf)
    : typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => [key, ...keysOf(inner)])
      : []

describe("JsonReport", () => {
  it.effect("names the run, how it ended, what was planned and what was spent", () =>
    Effect.gen(function* () {
      const json = yield* parse([])
      assert.include(json, {
        schema_version: 1,
        run_id: "run_20260101_120000_abc123",
        project: "triage",
        run_status: "completed",
        stop_reason: "completed",
        duration_s: 2.5,
        n_models: 3,
        n_tests: 3,
        planned: 9,
        finished: 9,
        interrupted: 0,
        not_started: 0,
        errors: 1,
        total_cost_usd: 0.0225,
        generated_at: "2026-01-01T12:00:03.000Z"
      })
      assert.deepStrictEqual(json.results, [])
    })
  )

  it.effect("holds the leaderboard with raw values, intervals, verdict and reasons", () =>
    Effect.gen(function* () {
      const { leaderboard } = yield* parse([])
      assert.deepStrictEqual(leaderboard.verdict, {
        kind: "winner",
        winner: "alpha",
        margin: 0.1,
        sentence: "alpha is ahead of all others."
      })
      const [alpha, , gamma] = leaderboard.entries
      assert.deepStrictEqual(alpha.metrics.cost, {
        raw: 2.5,
        normalized: 0.7,
        weight: 0.5,
        direction: "min",
        unit: "USD/1k calls"
      })
      assert.deepStrictEqual(alpha.composite_interval, { point: 0.8, low: 0.7, high: 0.9, confidence: 0.95 })
      assert.include(gamma, { status: "disqualified", rank: null, composite: null })
      assert.deepStrictEqual(gamma.failures, ["accuracy 50.0% is below 70.0%"])
    })
  )

  it.effect("gives nobody a place in a run that is not whole, and keeps the order", () =>
    Effect.gen(function* () {
      const entries = report().leaderboard.entries
      for (const fields of [
        { run: run({ status: "partial" }) },
        { leaderboard: leaderboard(entries, { complete: false }) }
      ]) {
        const json = yield* parse([], fields)
        const places = json.leaderboard.entries.map(({ key, rank }: { key: string; rank: unknown }) => [key, rank])
        assert.deepStrictEqual(places, [
          ["alpha", null],
          ["beta", null],
          ["gamma", null]
        ])
      }
      const whole = yield* parse([])
      assert.strictEqual(whole.leaderboard.entries[1].rank, 2)
    })
  )

  it.effect("has one object a result, with tags of its case; what is unknown is null", () =>
    Effect.gen(function* () {
      const { results } = yield* parse([
        result("alpha", "c1", 1),
        failed("beta", "c2", 2),
        result("alpha", "c3", 1, { answeredFrom: "cache" })
      ])
      assert.strictEqual(results[2].answered_from, "cache")
      assert.include(results[0], {
        model_key: "alpha",
        test_id: "c1",
        trial: 1,
        eval_type: "exact_match",
        score: 1,
        cost_usd: 0.0025,
        answered_from: "live"
      })
      assert.deepStrictEqual(results[0].tags, ["easy"])
      assert.include(results[1], {
        status: "error",
        output: null,
        score: null,
        latency_ms: null,
        input_tokens: null,
        cost_usd: null,
        answered_from: null
      })
      assert.include(results[1].error, { kind: "generation", reason: "connection", message: "connection refused" })
    })
  )

  it.effect("exchanges an aborted run with results as partial", () =>
    Effect.gen(function* () {
      const json = yield* parse([], { run: run({ status: "aborted", stopReason: "deadline" }) })
      assert.include(json, { status: "aborted", run_status: "partial", stop_reason: "deadline" })
    })
  )

  it.effect("names those that were skipped, and why", () =>
    Effect.gen(function* () {
      const known = rules(["alpha", "beta"])
      const contestants = known.contestants.map((one) =>
        one.key === "beta" ? { ...one, skipped: "OPENAI_API_KEY is not set" } : one
      )
      const json = yield* parse([], { rules: { ...known, contestants } })
      assert.deepStrictEqual(json.skipped_models, { beta: "OPENAI_API_KEY is not set" })
    })
  )

  it.effect("has snake_case names only", () =>
    Effect.gen(function* () {
      const json = yield* parse([result("alpha", "c1", 1)], { rules: rules(["alpha"]) })
      for (const key of keysOf(json)) assert.match(key, /^[a-z][a-z0-9_]*$/)
    })
  )

  it.effect("comes in pieces as large as the pages it is read in", () =>
    Effect.gen(function* () {
      const page = Array.from({ length: 500 }, (_, index) => result("alpha", "c1", index + 1))
      const pages = Stream.flatMap(Stream.range(1, 20), () => Stream.fromArray(page))
      const pieces = yield* Stream.runCollect(JsonReport.render(report(), pages, options))
      assert.strictEqual(JSON.parse([...pieces].join("")).results.length, 10_000)
      assert.isAtLeast(pieces.length, 20)
      for (const piece of pieces) assert.isBelow(piece.length, 1_000_000)
    })
  )

  it("means the same as plain JSON and is safe to print", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const json = stringify({ text })
        assert.deepStrictEqual(JSON.parse(json), { text })
        assert.notMatch(json, /\p{Cc}|\p{Bidi_Control}/u)
      })
    )
  })
})
