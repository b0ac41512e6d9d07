import { assert, describe, it } from "@effect/vitest"
import { boardOf, cell, cellsOf, entryOf, rulesOf } from "./matrix.ts"

describe("the gap over shared cases", () => {
  /** a fails on the last two of ten cases, b on the first; where they answer, a takes 100 ms and b 300 ms. */
  const fields = {
    contestants: ["a", "b"],
    cases: 10,
    specs: { latency: { target: 1000 }, latency_p95: { target: 1000 } }
  }
  const cells = (rules: ReturnType<typeof rulesOf>) => [
    ...cellsOf(rules, "a", (index) =>
      index >= 8 ? { error: "boom" } : { score: index === 0 ? 0 : 1, latencyMs: index === 0 ? 900 : 100 }
    ),
    ...cellsOf(rules, "b", (index) =>
      index === 0 ? { error: "boom" } : { score: index < 5 ? 1 : 0, latencyMs: index === 9 ? 990 : 300 }
    )
  ]
  const gap = (weights: Readonly<Record<string, number>>) => {
    const rules = rulesOf({ ...fields, weights })
    const board = boardOf(rules, cells(rules))
    const [leader, other] = board.entries
    const [comparison] = board.comparisons
    // always a less b, whoever leads
    const sign = leader?.key === entryOf(board, "a").key ? 1 : -1
    return {
      shown: sign * ((leader?.composite ?? 0) - (other?.composite ?? 0)),
      shared: sign * (comparison?.composite?.point ?? Number.NaN),
      cases: comparison?.sharedCases
    }
  }

  it("compares quality on the cases that both answered", () => {
    const { cases, shared, shown } = gap({ accuracy: 1 })
    // shown: 7 of 8 against 4 of 9; shared are cases 2 to 8: 7 of 7 against 4 of 7
    assert.closeTo(shown, 7 / 8 - 4 / 9, 1e-12)
    assert.closeTo(shared, 1 - 4 / 7, 1e-12)
    assert.strictEqual(cases, 7)
  })

  it("compares latency and its percentile on them as well", () => {
    assert.closeTo(gap({ latency: 1 }).shared, (300 - 100) / 1000, 1e-12)
    assert.closeTo(gap({ latency_p95: 1 }).shared, (300 - 100) / 1000, 1e-12)
    // shown: a has its 900 ms in, b its 990: means 200 and 376.67
    assert.closeTo(gap({ latency: 1 }).shown, (3390 / 9 - 200) / 1000, 1e-12)
  })

  it("compares reliability on all cases that both tried, failures being its subject", () => {
    assert.closeTo(gap({ reliability: 1 }).shared, 8 / 10 - 9 / 10, 1e-12)
  })

  it("leaves out cases that nobody has tried yet", () => {
    const rules = rulesOf({ contestants: ["a", "b"], cases: 1000 })
    const board = boardOf(rules, [
      ...Array.from({ length: 16 }, (_, index) => cell("a", `t${50 * index + 1}`, 1, { score: index % 2 })),
      ...Array.from({ length: 16 }, (_, index) => cell("b", `t${50 * index + 1}`, 1, { score: index % 2 }))
    ])
    assert.deepStrictEqual(entryOf(board, "a").accuracyInterval, {
      point: 0.5,
      low: 0.25,
      high: 0.75,
      confidence: 0.95
    })
  })

  it("says so when the leader is not ahead where it can be compared", () => {
    const rules = rulesOf({ contestants: ["a", "b"], cases: 40 })
    const board = boardOf(rules, [
      ...cellsOf(rules, "a", (index) => (index < 20 ? { error: "boom" } : { score: index % 4 === 0 ? 0 : 1 })),
      ...cellsOf(rules, "b", (index) => ({ score: index < 20 ? 0 : 1 }))
    ])
    assert.include(board.verdict.sentence, "`a` is ahead of `b` by 0.250, but not on the 20 cases that `b` has as well")
  })
})
