import { assert, describe, it } from "@effect/vitest"
import { assertFields, boardOf, caseId, cell, cellsOf, entryOf, raw, rulesOf } from "./matrix.ts"

const near = (actual: number | null, expected: number) => assert.closeTo(actual ?? Number.NaN, expected, 1e-9)

describe("metrics", () => {
  it("weighs accuracy and pass rate by case, over graded calls only", () => {
    const rules = rulesOf({
      cases: [
        { id: "t1", weight: 3 },
        { id: "t2", weight: 1 },
        { id: "t3", weight: 5 },
        { id: "t4", weight: 2 }
      ]
    })
    const board = boardOf(rules, [
      cell("a", "t1", 1, { score: 0.8, passed: true }),
      cell("a", "t2", 1, { score: 0.4, passed: false }),
      cell("a", "t3", 1, { error: "boom" }),
      cell("a", "t4", 1, { score: null })
    ])
    near(raw(board, "a", "accuracy"), (3 * 0.8 + 0.4) / 4)
    near(raw(board, "a", "pass_rate"), 3 / 4)
    // the failed call of weight 5 counts as 0; the ungraded one is unknown and does not count
    near(raw(board, "a", "strict_accuracy"), (3 * 0.8 + 0.4) / 9)
    near(raw(board, "a", "reliability"), 3 / 4)
  })

  it("takes trials as calls in accuracy, and as one mean per case where cases are counted", () => {
    const rules = rulesOf({ contestants: ["a", "b"], cases: 2, trials: 2 })
    const board = boardOf(rules, [
      cell("a", "t1", 1, { score: 1 }),
      cell("a", "t1", 2, { score: 0 }),
      cell("a", "t2", 1, { score: 1 }),
      cell("b", "t1", 1, { score: 0.5 }),
      cell("b", "t2", 1, { score: 0.5 })
    ])
    near(raw(board, "a", "accuracy"), 2 / 3)
    // case by case 0.5 and 1 against 0.5 and 0.5
    const [comparison] = board.comparisons
    assert.deepStrictEqual([comparison?.wins, comparison?.losses, comparison?.ties], [1, 0, 1])
    assert.deepStrictEqual(comparison?.discriminating, [{ caseId: caseId("t2"), delta: 0.5 }])
  })

  it("knows no cost as soon as one completed call is unpriced, but keeps what was paid", () => {
    const rules = rulesOf({ contestants: ["a", "b"], cases: 3 })
    const board = boardOf(rules, [
      cell("a", "t1", 1, { score: 1, costUsd: 0.002 }),
      cell("a", "t2", 1, { score: 1, costUsd: 0.002 }),
      cell("a", "t3", 1, { score: 1, costUsd: null }),
      cell("b", "t1", 1, { score: 1, costUsd: 0.002 }),
      cell("b", "t2", 1, { score: 1, costUsd: 0.002 }),
      cell("b", "t3", 1, { error: "boom" })
    ])
    assert.isNull(raw(board, "a", "cost"))
    near(entryOf(board, "a").stats.totalCostUsd, 0.004)
    assert.strictEqual(entryOf(board, "a").stats.costPricedCalls, 2)
    near(raw(board, "b", "cost"), 2)
  })

  it("interpolates the 95th percentile of latency", () => {
    const latencies = (values: ReadonlyArray<number>) => {
      const rules = rulesOf({ cases: values.length })
      return boardOf(
        rules,
        cellsOf(rules, "a", (index) => ({ score: 1, latencyMs: values[index] ?? null }))
      )
    }
    const board = latencies([400, 100, 300, 200])
    near(raw(board, "a", "latency_p95"), 385)
    near(raw(board, "a", "latency"), 250)
    near(entryOf(board, "a").stats.latencyP50Ms, 250)
    near(entryOf(board, "a").stats.latencyMaxMs, 400)
    near(raw(latencies([...Array.from({ length: 19 }, () => 200), 5000]), "a", "latency_p95"), 440)
    near(raw(latencies([7]), "a", "latency_p95"), 7)
    // 0, 1, …, 999 shuffled: position 999 · 0.95 = 949.05
    near(raw(latencies(Array.from({ length: 1000 }, (_, index) => (index * 617) % 1000)), "a", "latency_p95"), 949.05)
  })

  it("adds tokens only where both counts are known", () => {
    const rules = rulesOf({ cases: 3 })
    const board = boardOf(rules, [
      cell("a", "t1", 1, { score: 1, prompt: 100, completion: 20 }),
      cell("a", "t2", 1, { score: 1, prompt: 300 }),
      cell("a", "t3", 1, { error: "boom", prompt: 50, completion: 0 })
    ])
    near(raw(board, "a", "tokens"), 120)
    const { stats } = entryOf(board, "a")
    assert.deepStrictEqual([stats.totalPromptTokens, stats.promptTokensCalls], [450, 2])
    assert.deepStrictEqual([stats.totalCompletionTokens, stats.completionTokensCalls], [20, 1])
  })

  it("says so when a weighted metric is known for some of the answers only", () => {
    const rules = rulesOf({
      cases: 2,
      weights: { accuracy: 1, tokens: 1 }
    })
    const board = boardOf(rules, [
      cell("a", "t1", 1, { score: 1, prompt: 100, completion: 20 }),
      cell("a", "t2", 1, { score: 1 })
    ])
    assert.include(entryOf(board, "a").warnings, "tokens is known for 1 of 2 answers only")
    const whole = boardOf(
      rules,
      cellsOf(rules, "a", () => ({ score: 1, prompt: 100, completion: 20 }))
    )
    assert.deepStrictEqual(entryOf(whole, "a").warnings, [])
  })

  it("says which answers were not asked for now", () => {
    const rules = rulesOf({ contestants: ["a", "b"], cases: 2 })
    const warningsOf = (cells: ReadonlyArray<Parameters<typeof cell>>) =>
      entryOf(
        boardOf(
          rules,
          cells.map((one) => cell(...one))
        ),
        "a"
      ).warnings
    assert.deepStrictEqual(
      warningsOf([
        ["a", "t1", 1, { score: 1, answeredFrom: "cache" }],
        ["a", "t2", 1, { score: 1, answeredFrom: "replay" }]
      ]),
      [
        "1 of 2 answers come from the response cache: they have no latency, and cost what they cost at first",
        "1 of 2 answers were replayed: latency and cost are those of the recorded calls"
      ]
    )
    // A cell that is asked anew is live again.
    assert.deepStrictEqual(
      warningsOf([
        ["a", "t1", 1, { score: 1, answeredFrom: "cache" }],
        ["a", "t1", 1, { score: 1 }],
        ["a", "t2", 1, { score: 1 }]
      ]),
      []
    )
  })

  it("averages a custom metric over the calls that gave it", () => {
    const rules = rulesOf({ contestants: ["a", "b"], cases: 3 })
    const board = boardOf(rules, [
      cell("a", "t1", 1, { score: 1, metrics: { loops: 2 } }),
      cell("a", "t2", 1, { score: 1, metrics: { loops: 5, accuracy: 0 } }),
      cell("a", "t3", 1, { score: 1 }),
      ...cellsOf(rules, "b", () => ({ score: 1 }))
    ])
    near(raw(board, "a", "loops"), 3.5)
    near(raw(board, "a", "accuracy"), 1)
    assert.isNull(raw(board, "b", "loops"))
  })

  it("leaves interrupted cells out of everything but their count and what they cost", () => {
    const rules = rulesOf({ cases: 3 })
    const board = boardOf(rules, [
      cell("a", "t1", 1, { score: 1, latencyMs: 10, costUsd: 0.001, prompt: 10, completion: 1 }),
      cell("a", "t2", 1, { interrupted: true, score: 0, latencyMs: 9999, costUsd: 0.5, prompt: 7, completion: 7 }),
      cell("a", "t3", 1, { timeout: "slow" })
    ])
    near(raw(board, "a", "accuracy"), 1)
    near(raw(board, "a", "reliability"), 1 / 2)
    near(raw(board, "a", "latency"), 10)
    near(raw(board, "a", "cost"), 1)
    near(raw(board, "a", "tokens"), 11)
    const { stats } = entryOf(board, "a")
    assertFields(stats, { attempted: 2, completed: 1, errors: 0, timedOut: 1, interrupted: 1, planned: 3 })
    near(stats.totalCostUsd, 0.501)
    assert.strictEqual(stats.totalPromptTokens, 17)
  })

  it("gives the mean score of each tag, sorted, without case weights", () => {
    const rules = rulesOf({
      cases: [
        { id: "t1", weight: 9, tags: ["hard", "easy", "hard"] },
        { id: "t2", tags: ["hard"] },
        { id: "t3", tags: ["silent"] }
      ],
      trials: 2
    })
    const board = boardOf(rules, [
      cell("a", "t1", 1, { score: 1 }),
      cell("a", "t1", 2, { score: 1 }),
      cell("a", "t2", 1, { score: 0 }),
      cell("a", "t3", 1, { error: "boom" })
    ])
    assert.deepStrictEqual(Object.entries(entryOf(board, "a").byTag), [
      ["easy", 1],
      ["hard", 2 / 3]
    ])
  })

  it("says what an accuracy leaves out", () => {
    const rules = rulesOf({ cases: 4 })
    const board = boardOf(rules, [
      cell("a", "t1", 1, { score: 1 }),
      cell("a", "t2", 1, { score: 1 }),
      cell("a", "t3", 1, { error: "boom" }),
      cell("a", "t4", 1, { score: null })
    ])
    const { warnings } = entryOf(board, "a")
    assert.match(warnings[0] ?? "", /^1 of 4 calls failed .* 100\.0 %; counted as wrong it would be 66\.7 %$/)
    assert.strictEqual(warnings[1], "1 of 3 answers have no score")
    assert.match(board.notes[0] ?? "", /^1 of 4 calls failed and are not part of accuracy; give `reliability` a weight/)
  })
})
