import { rank } from "@agent-arena/core/ranking/Rank"
import { assert, describe, it } from "@effect/vitest"
import {
  boardOf,
  type CellFields,
  cell,
  cellsOf,
  entryOf,
  key,
  measure,
  normalised,
  type RulesFields,
  raw,
  rulesOf
} from "./matrix.ts"

const near = (actual: number | null, expected: number, tolerance = 1e-9) =>
  assert.closeTo(actual ?? Number.NaN, expected, tolerance)

/** A board on which each contestant gives the same cell for every case. */
const uniform = (fields: RulesFields, cells: Readonly<Record<string, CellFields>>) => {
  const rules = rulesOf({ contestants: Object.keys(cells), ...fields })
  return boardOf(
    rules,
    Object.entries(cells).flatMap(([contestant, each]) => cellsOf(rules, contestant, () => each))
  )
}

describe("weights", () => {
  it("become shares of 1 in the order of the config", () => {
    const { weights } = uniform({ weights: { latency: 5, cost: 3, accuracy: 2 } }, { a: { score: 1 } })
    assert.deepStrictEqual(Object.entries(weights), [
      ["latency", 0.5],
      ["cost", 0.3],
      ["accuracy", 0.2]
    ])
  })

  it("are accuracy alone when nothing is written", () => {
    assert.deepStrictEqual(uniform({ weights: {} }, { a: { score: 1 } }).weights, { accuracy: 1 })
  })
})

describe("normalisation", () => {
  const scaled = (spec: NonNullable<RulesFields["specs"]>[string], values: ReadonlyArray<number>) => {
    const names = values.map((_, index) => `c${index}`)
    const cells = Object.fromEntries(
      names.map((name, index) => [name, { score: 1, metrics: { gauge: values[index] ?? 0 } }])
    )
    const board = uniform({ weights: { gauge: 1 }, specs: { gauge: spec } }, cells)
    return names.map((name) => normalised(board, name, "gauge"))
  }

  it("measures a minimised target as 1 - value / target, cut to 0..1", () => {
    assert.deepStrictEqual(scaled({ direction: "min", target: 2 }, [0, 0.25, 1, 2, 3, -1]), [1, 0.875, 0.5, 0, 0, 1])
  })

  it("measures a maximised target as value / target, cut to 0..1", () => {
    const [half, above] = scaled({ direction: "max", target: 0.9 }, [0.45, 1])
    near(half ?? null, 0.5)
    assert.strictEqual(above, 1)
  })

  it("asks of a target of 0 only whether it is met", () => {
    assert.deepStrictEqual(scaled({ direction: "min", target: 0 }, [-1, 0, 1e-12, 0.001, 5]), [1, 1, 1, 0, 0])
    assert.deepStrictEqual(scaled({ direction: "max", target: 0 }, [-1, 0, 3]), [0, 1, 1])
  })

  it("places minmax values between worst and best in the metric's direction", () => {
    assert.deepStrictEqual(scaled({ direction: "min" }, [100, 250, 400]), [1, 0.5, 0])
    assert.deepStrictEqual(scaled({ direction: "max" }, [100, 250, 400]), [0, 0.5, 1])
    assert.deepStrictEqual(scaled({ direction: "min" }, [7, 7, 7]), [1, 1, 1])
  })

  it("reads a raw value as it is, or its complement where less is better", () => {
    assert.deepStrictEqual(scaled({ normalise: "raw" }, [0.25, 1.5, -2]), [0.25, 1, 0])
    assert.deepStrictEqual(scaled({ normalise: "raw", direction: "min" }, [0.25, 1.5, -2]), [0.75, 0, 1])
  })

  it("does not let a disqualified contestant stretch the scale", () => {
    const board = uniform(
      { weights: { latency: 1 }, constraints: { minAccuracy: 0.5 } },
      {
        a: { score: 1, latencyMs: 100 },
        b: { score: 1, latencyMs: 250 },
        c: { score: 1, latencyMs: 400 },
        slow: { score: 0, latencyMs: 99_999 }
      }
    )
    assert.deepStrictEqual(
      ["a", "b", "c", "slow"].map((name) => normalised(board, name, "latency")),
      [1, 0.5, 0, null]
    )
    assert.isNull(entryOf(board, "slow").composite)
  })
})

describe("composite", () => {
  /** 42 graded calls; `right` of them right. Costs are USD per 1,000 calls. */
  const triage = (weights: Readonly<Record<string, number>>) => {
    const facts = {
      frontier: { right: 41, cost: 0.2964, latencyMs: 1500 },
      balanced: { right: 36, cost: 0.1799, latencyMs: 620 },
      small: { right: 35, cost: 0.05996, latencyMs: 190 },
      tiny: { right: 23, cost: 0.015, latencyMs: 90 }
    }
    const rules = rulesOf({
      contestants: Object.keys(facts),
      cases: 42,
      weights,
      specs: { cost: { target: 2 }, latency: { target: 800 } },
      constraints: { minAccuracy: 0.7 }
    })
    const table = measure(
      rules,
      Object.entries(facts).flatMap(([name, { cost, latencyMs, right }]) =>
        cellsOf(rules, name, (index) => ({ score: index < right ? 1 : 0, costUsd: cost / 1000, latencyMs }))
      )
    )
    return { rules, table }
  }

  it("is the weighted mean of the normalised metrics", () => {
    const { rules, table } = triage({ accuracy: 0.55, cost: 0.25, latency: 0.2 })
    const board = rank(rules, table, { complete: true })
    assert.deepStrictEqual(
      board.entries.map(({ key, rank, status }) => [String(key), rank, status]),
      [
        ["small", 1, "ranked"],
        ["frontier", 2, "ranked"],
        ["balanced", 3, "ranked"],
        ["tiny", null, "disqualified"]
      ]
    )
    // .55 · 35/42 + .25 · (1 - .05996/2) + .2 · (1 - 190/800)
    near(entryOf(board, "small").composite, 0.458333333 + 0.242505 + 0.1525, 1e-8)
    // .55 · 41/42 + .25 · (1 - .2964/2), slower than the target
    near(entryOf(board, "frontier").composite, 0.536904762 + 0.21295, 1e-8)
    assert.deepStrictEqual(entryOf(board, "tiny").failures, ["accuracy 54.8 % is below the required 70.0 %"])
  })

  it("ranks the same measurements under other weights without a single call", () => {
    const { rules, table } = triage({ accuracy: 0.55, cost: 0.25, latency: 0.2 })
    const weights = { accuracy: 0.9, cost: 0.05, latency: 0.05 }
    const board = rank({ ...rules, metrics: { ...rules.metrics, weights } }, table, { complete: true })
    assert.deepStrictEqual(
      board.entries.filter(({ status }) => status === "ranked").map(({ key }) => key),
      [key("frontier"), key("small"), key("balanced")]
    )
    near(entryOf(board, "frontier").composite, 0.921162, 2e-6)
    near(entryOf(board, "small").composite, 0.836626, 2e-6)
    near(entryOf(board, "balanced").composite, 0.828181, 2e-6)
  })

  it("leaves cost out for everyone when one ranked contestant is not priced, and names it", () => {
    const board = uniform(
      { weights: { accuracy: 0.5, cost: 0.3, latency: 0.2 }, specs: { latency: { target: 1000 } }, cases: 3 },
      {
        priced: { score: 0.8, costUsd: 0.001, latencyMs: 500 },
        free: { score: 0.6, costUsd: 0, latencyMs: 100 },
        dark: { score: 0.9, latencyMs: 900 }
      }
    )
    // 0.5 and 0.2 become 5/7 and 2/7
    near(entryOf(board, "priced").composite, (5 * 0.8 + 2 * 0.5) / 7)
    near(entryOf(board, "free").composite, (5 * 0.6 + 2 * 0.9) / 7)
    near(entryOf(board, "dark").composite, (5 * 0.9 + 2 * 0.1) / 7)
    for (const name of ["priced", "free", "dark"]) {
      const { metrics } = entryOf(board, name)
      assert.strictEqual(metrics["cost"]?.weight, 0)
      near(metrics["accuracy"]?.weight ?? null, 5 / 7)
    }
    assert.deepStrictEqual(board.weights, { accuracy: 0.5, cost: 0.3, latency: 0.2 })
    const note = board.notes.find((text) => text.startsWith("Cost is left out"))
    assert.include(note ?? "", "because `dark` has calls without a known price")
    assert.deepStrictEqual(entryOf(board, "dark").warnings, ["cost is weighted but unknown"])
    assert.deepStrictEqual(entryOf(board, "priced").warnings, [])
  })

  it("keeps cost when the unpriced contestant is not in the ranking", () => {
    const board = uniform(
      { weights: { accuracy: 1, cost: 1 }, constraints: { minAccuracy: 0.5 } },
      { a: { score: 1, costUsd: 1 }, b: { score: 1, costUsd: 2 }, dark: { score: 0 } }
    )
    near(entryOf(board, "a").composite, 1)
    near(entryOf(board, "b").composite, 0.5)
    assert.isFalse(board.notes.some((text) => text.startsWith("Cost")))
  })

  it("leaves any other metric out for everyone, too, when one lacks it", () => {
    const board = uniform(
      { weights: { accuracy: 1, loops: 1 } },
      { a: { score: 0.5, metrics: { loops: 3 } }, b: { score: 0.25 } }
    )
    near(entryOf(board, "a").composite, 0.5)
    near(entryOf(board, "b").composite, 0.25)
    assert.isTrue(board.notes.some((text) => text.startsWith("`loops` is left out") && text.includes("`b`")))
  })

  it("places a contestant whose answers have no score last, without a composite", () => {
    const board = uniform(
      { weights: { accuracy: 1, latency: 1 }, cases: 3 },
      { ungraded: { latencyMs: 1 }, a: { score: 0.5, latencyMs: 10 }, b: { score: 0.25, latencyMs: 10 } }
    )
    assert.deepStrictEqual(
      board.entries.map(({ composite, key, rank }) => [String(key), rank, composite]),
      [
        ["a", 1, 0.25],
        ["b", 2, 0.125],
        ["ungraded", 3, null]
      ]
    )
    assert.strictEqual(board.verdict._tag, "Unresolved")
    assert.include(board.verdict.sentence, "`ungraded` could not be scored")
  })

  it("has no composite at all when nothing weighted was measured", () => {
    const board = uniform({ weights: { cost: 1 } }, { a: { score: 1 }, b: { score: 0 } })
    assert.isNull(entryOf(board, "a").composite)
    assert.strictEqual(board.verdict._tag, "Unresolved")
    assert.include(board.verdict.sentence, "nothing that is weighted was measured")
  })

  it("breaks ties by the better value of the tie-breaker in its own direction, then by key", () => {
    const cells = {
      dear: { score: 1, costUsd: 5, latencyMs: 1 },
      cheap: { score: 1, costUsd: 1, latencyMs: 3 },
      "cheap too": { score: 1, costUsd: 1, latencyMs: 2 }
    }
    const order = (tieBreaker: string) => uniform({ tieBreaker }, cells).entries.map(({ key }) => String(key))
    assert.deepStrictEqual(order("cost"), ["cheap", "cheap too", "dear"])
    assert.deepStrictEqual(order("latency"), ["dear", "cheap too", "cheap"])
    assert.deepStrictEqual(order("accuracy"), ["cheap", "cheap too", "dear"])
  })

  it("does not let rounding noise overrule the tie-breaker", () => {
    const rules = rulesOf({ contestants: ["a", "b"], cases: 3, tieBreaker: "latency" })
    const board = boardOf(rules, [
      // 0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 differ in the last digit
      ...cellsOf(rules, "a", (index) => ({ score: [0.1, 0.2, 0.3][index] ?? null, latencyMs: 2 })),
      ...cellsOf(rules, "b", (index) => ({ score: [0.3, 0.2, 0.1][index] ?? null, latencyMs: 1 }))
    ])
    assert.notStrictEqual(raw(board, "a", "accuracy"), raw(board, "b", "accuracy"))
    assert.deepStrictEqual(
      board.entries.map(({ key }) => String(key)),
      ["b", "a"]
    )
  })

  it("lists ranked, then disqualified, then those without data, each by key", () => {
    const rules = rulesOf({
      contestants: ["z", "y", "x", { key: "w", skipped: "GROQ_API_KEY is not set" }, "v"],
      constraints: { minAccuracy: 0.5 }
    })
    const board = boardOf(rules, [
      cell("z", "t1", 1, { score: 1 }),
      cell("y", "t1", 1, { score: 0 }),
      cell("x", "t1", 1, { score: 0.25 })
    ])
    assert.deepStrictEqual(
      board.entries.map(({ key, rank, status }) => [String(key), status, rank]),
      [
        ["z", "ranked", 1],
        ["x", "disqualified", null],
        ["y", "disqualified", null],
        ["v", "no_data", null],
        ["w", "no_data", null]
      ]
    )
    assert.deepStrictEqual(entryOf(board, "w").failures, ["GROQ_API_KEY is not set"])
    assert.strictEqual(entryOf(board, "w").stats.planned, 0)
    assert.deepStrictEqual(entryOf(board, "v").failures, ["no call was made"])
  })
})
