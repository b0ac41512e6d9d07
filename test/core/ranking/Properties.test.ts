import type { RankingRules } from "@agent-arena/core/domain/Project"
import type { MeasuredCell } from "@agent-arena/core/ranking/Measurements"
import { rank } from "@agent-arena/core/ranking/Rank"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { boardOf, type CellFields, cell, cellsOf, entryOf, measure, rulesOf } from "./matrix.ts"

const unit = fc.integer({ min: 0, max: 20 }).map((twentieth) => twentieth / 20)

const answered: fc.Arbitrary<CellFields> = fc.record({
  score: fc.option(unit, { freq: 10 }),
  latencyMs: fc.integer({ min: 1, max: 5000 }),
  costUsd: fc.option(unit, { freq: 30 }),
  prompt: fc.option(fc.integer({ min: 0, max: 1000 }), { freq: 10 }),
  completion: fc.integer({ min: 0, max: 100 }),
  metrics: fc.constantFrom<Readonly<Record<string, number>>>({}, { loops: 1 }, { loops: 4 })
})

const outcome: fc.Arbitrary<CellFields> = fc.oneof(
  { weight: 12, arbitrary: answered },
  { weight: 1, arbitrary: fc.constant({ error: "boom" }) },
  { weight: 1, arbitrary: fc.constant({ timeout: "slow", costUsd: 0.5 }) },
  { weight: 1, arbitrary: fc.constant({ interrupted: true }) }
)

const names = ["a", "b", "c", "d"]

interface Matrix {
  readonly rules: RankingRules
  readonly cells: ReadonlyArray<MeasuredCell>
}

const matrix: fc.Arbitrary<Matrix> = fc
  .record({
    cases: fc.array(fc.record({ weight: fc.constantFrom(0, 0.5, 1, 3), tags: fc.subarray(["x", "y"]) }), {
      minLength: 1,
      maxLength: 6
    }),
    trials: fc.integer({ min: 1, max: 3 }),
    weights: fc.record({
      accuracy: fc.constantFrom(0, 1, 5),
      cost: fc.constantFrom(0, 2),
      latency: fc.constantFrom(0, 1),
      latency_p95: fc.constantFrom(0, 1),
      tokens: fc.constantFrom(0, 1),
      loops: fc.constantFrom(0, 1),
      reliability: fc.constantFrom(1, 2)
    }),
    target: fc.option(fc.constantFrom(0, 100, 2000)),
    minAccuracy: fc.option(unit)
  })
  .chain(({ cases, minAccuracy, target, trials, weights }) => {
    const rules = rulesOf({
      contestants: names,
      cases: cases.map((each, index) => ({ id: `t${index}`, ...each })),
      trials,
      weights,
      specs: { latency: { target }, loops: { direction: "min" } },
      constraints: { minAccuracy },
      statistics: { resamples: 100 }
    })
    const total = names.length * cases.length * trials
    return fc.array(fc.option(outcome, { freq: 15 }), { minLength: total, maxLength: total }).map((fields) => ({
      rules,
      cells: names.flatMap((name, contestant) =>
        rules.cases.flatMap(({ id }, index) =>
          Array.from({ length: trials }, (_, trial) => trial).flatMap((trial) => {
            const each = fields[(contestant * cases.length + index) * trials + trial] ?? null
            return each === null ? [] : [cell(name, id, trial + 1, each)]
          })
        )
      )
    }))
  })

describe("ranking", () => {
  it("does not depend on the order in which cells arrive", () => {
    fc.assert(
      fc.property(
        matrix.chain(({ cells, rules }) =>
          fc.record({
            rules: fc.constant(rules),
            cells: fc.constant(cells),
            shuffled: fc.shuffledSubarray([...cells], { minLength: cells.length })
          })
        ),
        ({ cells, rules, shuffled }) => {
          assert.deepStrictEqual(boardOf(rules, shuffled), boardOf(rules, cells))
        }
      ),
      { numRuns: 60 }
    )
  })

  it("keeps normalised metrics, composites and shares within their bounds", () => {
    fc.assert(
      fc.property(matrix, ({ cells, rules }) => {
        const board = boardOf(rules, cells)
        const sum = (values: ReadonlyArray<number>) => values.reduce((total, value) => total + value, 0)
        assert.closeTo(sum(Object.values(board.weights)), 1, 1e-12)
        board.entries.forEach((entry, index) => {
          const metrics = Object.values(entry.metrics)
          for (const { normalised } of metrics) {
            assert.isTrue(normalised === null || (normalised >= 0 && normalised <= 1))
          }
          const shares = sum(metrics.map(({ weight }) => weight))
          assert.isTrue(Math.abs(shares - 1) < 1e-12 || shares === 0)
          assert.isTrue(entry.composite === null || (entry.composite >= 0 && entry.composite <= 1 + 1e-12))
          assert.strictEqual(entry.rank, entry.status === "ranked" ? index + 1 : null)
          const { attempted, completed, errors, interrupted, planned, timedOut } = entry.stats
          assert.strictEqual(attempted, completed + errors + timedOut)
          assert.isAtMost(attempted + interrupted, planned)
        })
      }),
      { numRuns: 150 }
    )
  })

  it("gives the others the same composites when someone joins who is disqualified", () => {
    fc.assert(
      fc.property(matrix, answered, ({ cells, rules }, fields) => {
        const alone = boardOf(rules, cells)
        const card = { privacy: { dpa: false } }
        const joined: RankingRules = {
          ...rules,
          contestants: [...rules.contestants, ...rulesOf({ contestants: [{ key: "barred", card }] }).contestants],
          constraints: { ...rules.constraints, privacyRequired: ["dpa"] }
        }
        const board = boardOf(joined, [...cells, ...cellsOf(joined, "barred", () => fields)])
        assert.strictEqual(entryOf(board, "barred").status, "disqualified")
        for (const name of names) {
          assert.strictEqual(entryOf(board, name).composite, entryOf(alone, name).composite)
        }
      }),
      { numRuns: 60 }
    )
  })

  it("gives the same board for the same seed, and the same numbers for any", () => {
    fc.assert(
      fc.property(matrix, ({ cells, rules }) => {
        const table = measure(rules, cells)
        const seeded = (seed: number) =>
          rank({ ...rules, statistics: { ...rules.statistics, seed } }, table, { complete: true })
        assert.deepStrictEqual(seeded(1), seeded(1))
        assert.deepStrictEqual(
          seeded(1).entries.map(({ composite }) => composite),
          seeded(2).entries.map(({ composite }) => composite)
        )
      }),
      { numRuns: 30 }
    )
  })

  it("puts the point inside its interval when there are enough cases", () => {
    fc.assert(
      fc.property(
        fc.array(unit, { minLength: 12, maxLength: 40 }),
        fc.array(unit, { minLength: 40, maxLength: 40 }),
        (first, second) => {
          const rules = rulesOf({ contestants: ["a", "b"], cases: first.length })
          const board = boardOf(rules, [
            ...cellsOf(rules, "a", (index) => ({ score: first[index] ?? 0 })),
            ...cellsOf(rules, "b", (index) => ({ score: second[index] ?? 0 }))
          ])
          for (const { accuracyInterval, compositeInterval } of board.entries) {
            for (const interval of [accuracyInterval, compositeInterval]) {
              assert.isNotNull(interval)
              if (interval === null) continue
              assert.isAtMost(interval.low, interval.point + 1e-9)
              assert.isAtLeast(interval.high, interval.point - 1e-9)
            }
          }
        }
      ),
      { numRuns: 60 }
    )
  })

  it("can look at fewer cases than were measured", () => {
    const rules = rulesOf({
      contestants: ["a", "b"],
      cases: [
        { id: "t1", tags: ["easy"] },
        { id: "t2", tags: ["hard"] },
        { id: "t3", tags: ["hard"] }
      ],
      trials: 2
    })
    const table = measure(rules, [
      ...cellsOf(rules, "a", (index) => ({ score: index === 0 ? 1 : 0.25 })),
      ...cellsOf(rules, "b", (_, trial) => ({ score: trial === 1 ? 1 : 0 }))
    ])
    const hard = rules.cases.filter(({ tags }) => tags.includes("hard"))
    const board = rank({ ...rules, cases: hard }, table, { complete: true })
    assert.strictEqual(entryOf(board, "a").composite, 0.25)
    assert.strictEqual(entryOf(board, "b").composite, 0.5)
    assert.strictEqual(entryOf(board, "a").stats.attempted, 4)
    const first = rank({ ...rules, trials: 1 }, table, { complete: true })
    assert.strictEqual(entryOf(first, "b").composite, 1)
  })
})
