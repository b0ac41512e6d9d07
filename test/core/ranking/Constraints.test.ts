import type { PriceCard } from "@agent-arena/core/domain/PriceCard"
import { assert, describe, it } from "@effect/vitest"
import { boardOf, type CellFields, cell, cellsOf, entryOf, type RulesFields, raw, rulesOf } from "./matrix.ts"

/** One contestant under constraints. */
const judge = (
  constraints: NonNullable<RulesFields["constraints"]>,
  cells: ReadonlyArray<CellFields>,
  card: PriceCard | null = null
) => {
  const rules = rulesOf({ contestants: [{ key: "a", card }], cases: cells.length, constraints })
  const board = boardOf(
    rules,
    cellsOf(rules, "a", (index) => cells[index] ?? {})
  )
  return { ...entryOf(board, "a"), board }
}

const repeated = (times: number, fields: CellFields): ReadonlyArray<CellFields> =>
  Array.from({ length: times }, () => fields)

describe("constraints on what was measured", () => {
  it("lets a floor pass that is just met, and shows the digits that decided", () => {
    const floor = { minAccuracy: 0.7 }
    assert.strictEqual(judge(floor, [{ score: 0.7 }]).status, "ranked")
    assert.strictEqual(judge(floor, [{ score: 0.6999 }]).status, "disqualified")
    assert.deepStrictEqual(judge(floor, [{ score: 0.69996 }]).failures, [
      "accuracy 69.996 % is below the required 70.000 %"
    ])
    // 0.1 + 0.2 + … of seven tenths is below 0.7 in binary, but not in fact
    assert.strictEqual(judge(floor, [...repeated(7, { score: 1 }), ...repeated(3, { score: 0 })]).status, "ranked")
  })

  it("holds p95, error rate and cost against their limits", () => {
    const latencies = [100, 200, 300, 400].map((latencyMs) => ({ score: 1, latencyMs }))
    assert.strictEqual(judge({ maxLatencyP95Ms: 385 }, latencies).status, "ranked")
    assert.deepStrictEqual(judge({ maxLatencyP95Ms: 384 }, latencies).failures, [
      "latency p95 385 ms is above the allowed 384 ms"
    ])
    const failing = [{ score: 1 }, { score: 1 }, { error: "boom" }, { timeout: "slow" }]
    assert.strictEqual(judge({ maxErrorRate: 0.5 }, failing).status, "ranked")
    assert.deepStrictEqual(judge({ maxErrorRate: 0.49 }, failing).failures, [
      "error rate 50.0 % is above the allowed 49.0 %"
    ])
    assert.deepStrictEqual(judge({ maxCostPer1kCallsUsd: 2 }, [{ score: 1, costUsd: 0.002001 }]).failures, [
      "cost per 1,000 calls $2.001 is above the allowed $2.000"
    ])
  })

  it("collects every failure", () => {
    const { failures } = judge({ minAccuracy: 0.9, maxLatencyP95Ms: 1 }, [{ score: 0, latencyMs: 5 }])
    assert.lengthOf(failures, 2)
  })

  it("warns about what it cannot verify, and disqualifies when unknown is not allowed", () => {
    const limits = { minAccuracy: 0.5, maxCostPer1kCallsUsd: 1, maxLatencyP95Ms: 100 }
    const lenient = judge(limits, [{}])
    assert.strictEqual(lenient.status, "ranked")
    assert.deepStrictEqual(lenient.warnings.slice(0, 3), [
      "accuracy floor of 50.0 % not verified: no answer was scored",
      "cost per 1,000 calls limit of $1.00 not verified: cost per 1,000 calls is unknown",
      "latency p95 limit of 100 ms not verified: latency p95 is unknown"
    ])
    const strict = judge({ ...limits, allowUnknown: false }, [{}])
    assert.strictEqual(strict.status, "disqualified")
    assert.lengthOf(strict.failures, 3)
    assert.include(strict.failures[0] ?? "", "allow_unknown is false")
  })

  it("calls a contestant whose every call failed one without data", () => {
    const { board, failures, status } = judge({ minAccuracy: 0.7 }, repeated(3, { error: "connection refused" }))
    assert.strictEqual(status, "no_data")
    assert.strictEqual(failures[0], "every call failed — connection refused")
    assert.strictEqual(raw(board, "a", "reliability"), 0)
    assert.strictEqual(board.verdict._tag, "NoWinner")
  })

  it("says when every call was interrupted", () => {
    const { failures, status } = judge({}, repeated(2, { interrupted: true }))
    assert.deepStrictEqual([status, failures], ["no_data", ["every call was interrupted"]])
  })
})

describe("constraints on the card", () => {
  const right = [{ score: 1 }]
  const card: PriceCard = {
    inputUsdPerMtok: 1,
    outputUsdPerMtok: 2,
    contextTokens: 32_000,
    features: ["function_calling", "structured_outputs"],
    privacy: { dpa: true, training_opt_out: false }
  }

  it("understands the other names of features and privacy facts", () => {
    const asked = { requiredFeatures: ["Tools", "json-mode"], privacyRequired: ["data_processing_agreement"] }
    assert.strictEqual(judge(asked, right, card).status, "ranked")
    const { features: _, ...silent } = card
    assert.strictEqual(
      judge({ requiredFeatures: ["function_calling"] }, right, { ...silent, features: ["tool_use"] }).status,
      "ranked"
    )
    assert.strictEqual(
      judge({ privacyRequired: ["zero_retention"] }, right, { privacy: { zdr: true } }).status,
      "ranked"
    )
  })

  it("names what is missing, and whether it was declared at all", () => {
    assert.deepStrictEqual(
      judge(
        { requiredFeatures: ["vision"], privacyRequired: ["no_training", "zdr"], minContextTokens: 64_000 },
        right,
        card
      ).failures,
      [
        "missing feature: vision",
        "privacy not met: training_opt_out (declared false) and zero_data_retention (not declared)",
        "context of 32000 tokens is below the required 64000"
      ]
    )
  })

  it("tells a card that is silent from a model of which nothing is known", () => {
    const asked = { privacyRequired: ["dpa"] }
    assert.strictEqual(judge(asked, right, { inputUsdPerMtok: 1, outputUsdPerMtok: 2 }).status, "disqualified")
    const unknown = judge(asked, right, null)
    assert.strictEqual(unknown.status, "ranked")
    assert.deepStrictEqual(unknown.warnings, [
      "required privacy not verified: nothing is known about this model (no card)"
    ])
    assert.strictEqual(judge({ ...asked, allowUnknownCard: false }, right, null).status, "disqualified")
    assert.strictEqual(judge({ ...asked, allowUnknown: false }, right, null).status, "disqualified")
  })

  it("asks for a card whenever unknown ones are not allowed, and for nothing when nothing is required", () => {
    assert.strictEqual(judge({ allowUnknownCard: false }, right, null).status, "disqualified")
    assert.strictEqual(judge({ allowUnknownCard: false }, right, {}).status, "ranked")
    assert.deepStrictEqual(judge({ allowUnknown: false }, right, null).failures, [])
  })

  it("does not pass a context size silently", () => {
    const asked = { minContextTokens: 1000 }
    assert.deepStrictEqual(judge(asked, right, {}).warnings, [
      "context of 1000 tokens not verified: its size is unknown"
    ])
    assert.lengthOf(judge(asked, right, null).warnings, 1)
    assert.strictEqual(judge({ ...asked, allowUnknown: false }, right, {}).status, "disqualified")
  })

  it("adds them to a contestant without data, which stays without data", () => {
    const rules = rulesOf({
      contestants: ["b", { key: "a", skipped: "no key", card: {} }],
      constraints: { requiredFeatures: ["vision"], minAccuracy: 0.5 }
    })
    const entry = entryOf(boardOf(rules, [cell("b", "t1", 1, { score: 1 })]), "a")
    assert.strictEqual(entry.status, "no_data")
    assert.deepStrictEqual(entry.failures, ["no key", "missing feature: vision"])
  })
})
