import * as Measurements from "@agent-arena/core/ranking/Measurements"
import { assert, describe, it } from "@effect/vitest"
import { caseId, cell, cellsOf, key, measure, rulesOf } from "./matrix.ts"

describe("Measurements", () => {
  it("gives back each cell as it was recorded, and nothing for the others", () => {
    const rules = rulesOf({ contestants: ["a", "b"], cases: 2, trials: 2 })
    const table = measure(rules, [
      cell("a", "t1", 1, { score: 0.25, passed: false, latencyMs: 12.5, costUsd: 0.001 }),
      cell("a", "t1", 2, { timeout: "too slow", costUsd: 0.002 }),
      cell("a", "t2", 1, { interrupted: true }),
      cell("a", "t2", 2, { error: "refused" })
    ])
    assert.deepStrictEqual(table.outcome(key("a"), caseId("t1"), 1), {
      kind: "ok",
      score: 0.25,
      passed: false,
      latencyMs: 12.5,
      costUsd: 0.001
    })
    assert.deepStrictEqual(table.outcome(key("a"), caseId("t1"), 2), {
      kind: "timeout",
      score: null,
      passed: null,
      latencyMs: null,
      costUsd: 0.002
    })
    assert.strictEqual(table.outcome(key("a"), caseId("t2"), 1)?.kind, "interrupted")
    assert.strictEqual(table.outcome(key("a"), caseId("t2"), 2)?.kind, "error")
    assert.isNull(table.outcome(key("b"), caseId("t1"), 1))
    assert.isNull(table.outcome(key("nobody"), caseId("t1"), 1))
    assert.isNull(table.outcome(key("a"), caseId("t1"), 3))
  })

  it("ignores cells that the rules do not know", () => {
    const rules = rulesOf({ contestants: ["a"], cases: 1, trials: 1 })
    const table = measure(rules, [
      cell("x", "t1", 1, { score: 1 }),
      cell("a", "t9", 1, { score: 1 }),
      cell("a", "t1", 2, { score: 1 }),
      cell("a", "t1", 0, { score: 1 })
    ])
    assert.strictEqual(table.version(), 0)
    assert.deepStrictEqual(table.tally(key("a")), { planned: 1, ok: 0, errors: 0, timedOut: 0, interrupted: 0 })
  })

  it("replaces a cell that is recorded again, whatever stood there", () => {
    const rules = rulesOf({ contestants: ["a"], cases: 1, trials: 1 })
    const table = measure(rules, [
      cell("a", "t1", 1, { score: 1, metrics: { loops: 3 } }),
      cell("a", "t1", 1, { error: "boom", costUsd: 0.5 }),
      cell("a", "t1", 1, { score: 0 })
    ])
    assert.deepStrictEqual(table.tally(key("a")), { planned: 1, ok: 1, errors: 0, timedOut: 0, interrupted: 0 })
    assert.isNull(table.spentUsd(key("a")))
    assert.deepStrictEqual(table.columns(key("a"))?.errors, [])
    assert.isNaN(table.columns(key("a"))?.custom.get("loops")?.[0])
    assert.strictEqual(table.version(), 3)
  })

  it("sums up the trials of a case", () => {
    const rules = rulesOf({ contestants: ["a"], cases: 1, trials: 5 })
    const table = measure(rules, [
      cell("a", "t1", 1, { score: 1, passed: true }),
      cell("a", "t1", 2, { score: 0.5, passed: false }),
      cell("a", "t1", 3, { score: null }),
      cell("a", "t1", 4, { error: "boom" }),
      cell("a", "t1", 5, { timeout: "slow" })
    ])
    assert.deepStrictEqual(table.caseSummary(key("a"), caseId("t1")), {
      ok: 3,
      errors: 1,
      timedOut: 1,
      interrupted: 0,
      graded: 2,
      passed: 1,
      meanScore: 0.75
    })
    assert.isNull(table.caseSummary(key("a"), caseId("t9")).meanScore)
  })

  it("counts what was paid for failed and interrupted cells, and knows when nothing is known", () => {
    const rules = rulesOf({ contestants: ["a", "b"], cases: 3 })
    const table = measure(rules, [
      cell("a", "t1", 1, { score: 1, costUsd: 0.25 }),
      cell("a", "t2", 1, { error: "boom", costUsd: 0.5 }),
      cell("a", "t3", 1, { interrupted: true, costUsd: 1 }),
      cell("b", "t1", 1, { score: 1 })
    ])
    assert.strictEqual(table.spentUsd(key("a")), 1.75)
    assert.isNull(table.spentUsd(key("b")))
  })

  it("keeps the errors of the first five cells of the plan, in whatever order they arrive", () => {
    const rules = rulesOf({ contestants: ["a"], cases: 8 })
    const cells = cellsOf(rules, "a", (index) => ({ error: `error ${index + 1}` }))
    for (const order of [cells, cells.toReversed(), [...cells.slice(4), ...cells.slice(0, 4)]]) {
      assert.deepStrictEqual(
        measure(rules, order)
          .columns(key("a"))
          ?.errors.map(({ text }) => text),
        ["error 1", "error 2", "error 3", "error 4", "error 5"]
      )
    }
  })

  it("bounds the length of an error text and the number of custom metrics", () => {
    const rules = rulesOf({ contestants: ["a"], cases: 2, weights: { accuracy: 1, wanted: 1 } })
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`m${index}`, index]))
    const table = measure(rules, [
      cell("a", "t1", 1, { score: 1, metrics: { ...many, wanted: 7, accuracy: 9 } }),
      cell("a", "t2", 1, { error: "x".repeat(100_000) })
    ])
    const columns = table.columns(key("a"))
    assert.isAtMost(columns?.custom.size ?? 0, 65)
    assert.strictEqual(columns?.custom.get("wanted")?.[0], 7)
    assert.isFalse(columns?.custom.has("accuracy"))
    assert.isTrue(table.metricsDropped())
    assert.isAtMost(columns?.errors[0]?.text.length ?? 0, 501)
  })

  it("takes less than 60 bytes a cell", () => {
    const rules = rulesOf({ contestants: ["a"], cases: 100, trials: 10 })
    const columns = measure(rules, [cell("a", "t1", 1, { score: 1 })]).columns(key("a"))
    const bytes = Object.values(columns ?? {})
      .filter((column) => ArrayBuffer.isView(column))
      .reduce((sum, column) => sum + column.byteLength, 0)
    assert.isAbove(bytes, 0)
    assert.isBelow(bytes / 1000, 60)
  })

  it("makes room for a contestant only when it has a cell", () => {
    const rules = rulesOf({ contestants: ["a", { key: "b", skipped: "no key" }], cases: 10 })
    const table = Measurements.make(rules)
    assert.isNull(table.columns(key("b")))
    table.add(cell("a", "t1", 1, { score: 1 }))
    assert.isNull(table.columns(key("b")))
    assert.isNotNull(table.columns(key("a")))
  })
})
