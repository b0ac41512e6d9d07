import { holm } from "@agent-arena/core/ranking/Holm"
import { twoSidedZ } from "@agent-arena/core/ranking/NormalQuantile"
import { assert, describe, it } from "@effect/vitest"
import { assertFields, boardOf, cellsOf, entryOf, type RulesFields, rulesOf } from "./matrix.ts"

const scored = (scores: Readonly<Record<string, ReadonlyArray<number>>>, fields: RulesFields = {}) => {
  const [first = []] = Object.values(scores)
  const rules = rulesOf({ contestants: Object.keys(scores), cases: first.length, ...fields })
  return boardOf(
    rules,
    Object.entries(scores).flatMap(([name, each]) => cellsOf(rules, name, (index) => ({ score: each[index] ?? null })))
  )
}

const half = Array.from({ length: 16 }, (_, index) => index % 2)

describe("the interval of accuracy", () => {
  it.each([0, 1, 2, 7, 42, -5, 2 ** 40 + 1])("is that of the binomial distribution, with seed %d", (seed) => {
    // 16 cases, 8 right: the 2.5 % and 97.5 % quantiles of Binomial(16, 1/2) are 4 and 12
    const { accuracyInterval } = entryOf(scored({ a: half }, { statistics: { seed } }), "a")
    assert.deepStrictEqual(accuracyInterval, { point: 0.5, low: 0.25, high: 0.75, confidence: 0.95 })
  })

  it("has no width when nothing varies, and does not exist for two cases", () => {
    const { accuracyInterval } = entryOf(scored({ a: Array.from({ length: 10 }, () => 0.7) }), "a")
    assert.closeTo(accuracyInterval?.low ?? 0, 0.7, 1e-12)
    assert.closeTo(accuracyInterval?.high ?? 0, 0.7, 1e-12)
    assert.isNull(entryOf(scored({ a: [0, 1] }), "a").accuracyInterval)
    assert.isNotNull(entryOf(scored({ a: [0, 1, 1] }), "a").accuracyInterval)
  })

  it("respects case weights, its point being the accuracy shown", () => {
    // Three cases have 27 equally likely resamples, all of them written out here. The quartiles of many random ones are the
    // 7th and the 21st of them.
    const weights = [1, 2, 9]
    const scores = [1, 0, 0.5]
    const all = [0, 1, 2].flatMap((i) =>
      [0, 1, 2].flatMap((j) =>
        [0, 1, 2].map((k) => {
          const drawn = [i, j, k]
          const total = drawn.reduce((sum, at) => sum + (weights[at] ?? 0) * (scores[at] ?? 0), 0)
          return total / drawn.reduce((sum, at) => sum + (weights[at] ?? 0), 0)
        })
      )
    )
    const sorted = all.toSorted((a, b) => a - b)
    const board = scored(
      { a: scores },
      {
        cases: weights.map((weight, index) => ({ id: `t${index}`, weight })),
        statistics: { resamples: 20_000, confidence: 0.5 }
      }
    )
    const interval = entryOf(board, "a").accuracyInterval
    assert.closeTo(interval?.point ?? 0, 5.5 / 12, 1e-12)
    assert.closeTo(interval?.low ?? 0, sorted[6] ?? 0, 1e-12)
    assert.closeTo(interval?.high ?? 0, sorted[20] ?? 0, 1e-12)
  })

  it("takes a case with all its trials as one draw", () => {
    // ten trials of each case always agree, so ten times the calls are no more evidence
    const rules = rulesOf({ cases: 16, trials: 10 })
    const board = boardOf(
      rules,
      cellsOf(rules, "a", (index) => ({ score: index % 2 }))
    )
    assert.deepStrictEqual(entryOf(board, "a").accuracyInterval, {
      point: 0.5,
      low: 0.25,
      high: 0.75,
      confidence: 0.95
    })
  })

  it("is given for the disqualified, too", () => {
    const board = scored({ a: half }, { constraints: { minAccuracy: 0.6 } })
    assert.strictEqual(entryOf(board, "a").status, "disqualified")
    assert.strictEqual(entryOf(board, "a").accuracyInterval?.high, 0.75)
    assert.isNull(entryOf(board, "a").compositeInterval)
  })
})

describe("the interval of the composite", () => {
  it("recomputes every weighted metric with the scales held fixed", () => {
    // Accuracy 1 or 0 with latency 100 or 900 ms in the same case: with a target of 1000 ms the composite of k right ones
    // of 16 is 0.5 · k/16 + 0.5 · (1 - (100 k + 900 (16 - k)) / 16000), which is 0.1 · 0.5 at k = 0 and grows by 0.9/16.
    const rules = rulesOf({
      cases: 16,
      weights: { accuracy: 0.5, latency: 0.5 },
      specs: { latency: { target: 1000 } }
    })
    const board = boardOf(
      rules,
      cellsOf(rules, "a", (index) => (index % 2 === 0 ? { score: 1, latencyMs: 100 } : { score: 0, latencyMs: 900 }))
    )
    const interval = entryOf(board, "a").compositeInterval
    const at = (right: number) => 0.05 + (0.9 / 16) * right
    assert.closeTo(interval?.point ?? 0, at(8), 1e-12)
    assert.closeTo(interval?.low ?? 0, at(4), 1e-12)
    assert.closeTo(interval?.high ?? 0, at(12), 1e-12)
  })

  it("recomputes percentiles from the drawn cases", () => {
    // one slow case of 20: a resample draws it k times, k ~ Binomial(20, 1/20), and p95 stands at position 18.05 of 0..19,
    // so it is 100 for k = 0, 100 + 0.05 · 900 = 145 for k = 1 and 1000 beyond. P(k = 0) = 0.36, P(k <= 1) = 0.74.
    const rules = rulesOf({
      cases: 20,
      weights: { latency_p95: 1 },
      specs: { latency_p95: { target: 2000 } },
      statistics: { confidence: 0.6 }
    })
    const board = boardOf(
      rules,
      cellsOf(rules, "a", (index) => ({ score: 1, latencyMs: index === 7 ? 1000 : 100 }))
    )
    const interval = entryOf(board, "a").compositeInterval
    assert.closeTo(interval?.point ?? 0, 1 - 145 / 2000, 1e-12)
    assert.closeTo(interval?.low ?? 0, 1 - 1000 / 2000, 1e-12)
    assert.closeTo(interval?.high ?? 0, 1 - 100 / 2000, 1e-12)
  })
})

describe("a comparison", () => {
  it("pairs the contestants case by case", () => {
    // b is wrong exactly where a is wrong and in one more case of 20: paired, the difference of accuracy is k/20 with k ~
    // Binomial(20, 1/20), whose 2.5 % and 97.5 % quantiles are 0 and 3
    const a = Array.from({ length: 20 }, (_, index) => (index < 10 ? 1 : 0))
    const b = Array.from({ length: 20 }, (_, index) => (index < 9 ? 1 : 0))
    const [comparison] = scored({ a, b }).comparisons
    assert.closeTo(comparison?.accuracy?.point ?? 0, 0.05, 1e-12)
    assert.strictEqual(comparison?.accuracy?.low, 0)
    assert.closeTo(comparison?.accuracy?.high ?? 0, 0.15, 1e-12)
    assertFields(comparison, { wins: 1, losses: 0, ties: 19, sharedCases: 20, separated: false })
    // P(no draw of that case) = 0.3585; twice that
    assert.closeTo(comparison?.pValue ?? 0, 0.717, 0.05)
  })

  it("weighs the difference of accuracy by case", () => {
    const cases = [3, 1, 1].map((weight, index) => ({ id: `t${index}`, weight }))
    const [comparison] = scored({ a: [1, 0, 1], b: [0, 0, 1] }, { cases }).comparisons
    assert.closeTo(comparison?.accuracy?.point ?? 0, 3 / 5, 1e-12)
    assert.closeTo(comparison?.composite?.point ?? 0, 3 / 5, 1e-12)
  })

  it("lists up to ten cases on which the two differ most, the greatest difference first", () => {
    const a = Array.from({ length: 15 }, (_, index) => (index === 14 ? 0 : (index + 1) / 20))
    const b = Array.from({ length: 15 }, (_, index) => (index === 14 ? 1 : index < 2 ? (index + 1) / 20 : 0))
    const found = scored({ a, b }).comparisons[0]?.discriminating ?? []
    assert.lengthOf(found, 10)
    const [first] = found
    assert.strictEqual(String(first?.caseId), "t15")
    assert.deepStrictEqual(
      found.map(({ delta }) => Math.round(Math.abs(delta) * 20)),
      [20, 14, 13, 12, 11, 10, 9, 8, 7, 6]
    )
  })

  it("says that too few resamples cannot separate many rivals", () => {
    const names = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`c${index}`, half]))
    const board = scored({ leader: Array.from({ length: 16 }, () => 1), ...names }, { statistics: { resamples: 100 } })
    assert.isFalse(board.comparisons.some(({ separated }) => separated))
    assert.isTrue(board.notes.some((note) => note.includes("raise statistics.resamples to 240 or more")))
  })
})

describe("Holm's correction", () => {
  it("multiplies the smallest by their number, the next by one less, and never falls", () => {
    const corrected = holm([0.01, 0.04, 0.03, 0.005])
    ;[0.03, 0.06, 0.06, 0.02].forEach((expected, index) => {
      assert.closeTo(corrected[index] ?? 0, expected, 1e-12)
    })
    assert.deepStrictEqual(holm([0.9, 0.8]), [1, 1])
    assert.deepStrictEqual(holm([]), [])
  })
})

describe("the quantile of the normal distribution", () => {
  it.each([
    [0.9, 1.644853627],
    [0.95, 1.959963985],
    [0.99, 2.575829304],
    [0.999, 3.290526731]
  ])("at confidence %d is %d", (confidence, z) => {
    assert.closeTo(twoSidedZ(confidence), z, 1e-9)
  })
})

describe("simulated experiments", () => {
  /** A small multiplicative generator of the test's own (Lehmer, 1951). */
  const lehmer = (seed: number) => {
    let state = seed
    return () => {
      state = (state * 48_271) % 2_147_483_647
      return state / 2_147_483_647
    }
  }
  const experiments = 300
  const cases = 60
  const random = lehmer(20_260_902)

  /** Answers of two contestants who are right with probability `p` and `q`, independently. */
  const draw = (p: number, q: number) => {
    const answers = (rate: number) => Array.from({ length: cases }, () => (random() < rate ? 1 : 0))
    return scored({ a: answers(p), b: answers(q) }, { statistics: { resamples: 200 } })
  }

  it("find the truth in about 95 % of the intervals", () => {
    let inside = 0
    for (let experiment = 0; experiment < experiments; experiment += 1) {
      const interval = entryOf(draw(0.7, 0.5), "a").accuracyInterval
      if (interval !== null && interval.low <= 0.7 && interval.high >= 0.7) inside += 1
    }
    assert.isAtLeast(inside / experiments, 0.9)
    assert.isAtMost(inside / experiments, 0.99)
  })

  it("rarely declare a winner among equals, and mostly between unequals", () => {
    let falseWinners = 0
    let trueWinners = 0
    for (let experiment = 0; experiment < experiments; experiment += 1) {
      if (draw(0.7, 0.7).verdict._tag === "Winner") falseWinners += 1
      const { verdict } = draw(0.9, 0.5)
      if (verdict._tag === "Winner" && verdict.winner === "a") trueWinners += 1
    }
    assert.isAtMost(falseWinners / experiments, 0.08)
    assert.isAtLeast(trueWinners / experiments, 0.95)
  })
})
