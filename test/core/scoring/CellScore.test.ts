import type { Score } from "@agent-arena/core/domain/Score"
import { type BoundScorer, scoreCell, scoreCellSync } from "@agent-arena/core/scoring/CellScore"
import { exactMatch } from "@agent-arena/core/scoring/ExactMatchScorer"
import { manual } from "@agent-arena/core/scoring/ManualScorer"
import { numeric } from "@agent-arena/core/scoring/NumericScorer"
import * as Scorer from "@agent-arena/core/scoring/Scorer"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { caseOf, cellOf } from "./judging.ts"

const bound = (scorer: Scorer.Scorer, weight = 1, params = {}): BoundScorer => ({ scorer, weight, params })

const fixed = (name: string, score: Partial<Score>) => bound(Scorer.make(name, () => score))

const score = (scorers: ReadonlyArray<BoundScorer>, output = "42", reference: unknown = 42) =>
  scoreCell(scorers, { output, testCase: caseOf("exact_match", reference), cell: cellOf() })

describe("the score of a cell", () => {
  it("is at once that of a single synchronous scorer", () => {
    const scored = scoreCellSync([bound(exactMatch)], {
      output: "42",
      testCase: caseOf("exact_match", 42),
      cell: cellOf()
    })
    assert.isFalse(Effect.isEffect(scored))
    assert.deepStrictEqual(scored, {
      score: 1,
      passed: true,
      reason: "",
      metrics: {},
      scores: [{ scorer: "exact_match", weight: 1, score: 1, passed: true, reason: "", detail: {}, metrics: {} }]
    })
  })

  it.effect("is the weighted mean, and passes when every scorer does", () =>
    Effect.gen(function* () {
      const half = bound(Scorer.make("half", () => 0.5))
      const mixed = yield* score([bound(exactMatch, 3), half])
      assert.strictEqual(mixed.score, (3 * 1 + 0.5) / 4)
      assert.isTrue(mixed.passed)
      const failed = yield* score([bound(exactMatch, 3), bound(Scorer.make("none", () => 0))])
      assert.strictEqual(failed.score, 0.75)
      assert.isFalse(failed.passed)
      assert.deepStrictEqual(
        failed.scores.map(({ scorer, weight }) => [scorer, weight]),
        [
          ["exact_match", 3],
          ["none", 1]
        ]
      )
    })
  )

  it.effect("is open as long as one scorer gives none", () =>
    Effect.gen(function* () {
      const open = yield* score([bound(exactMatch), bound(manual)])
      assert.isNull(open.score)
      assert.isNull(open.passed)
      assert.include(open.reason, "manual: awaiting")
      assert.strictEqual(open.scores[0]?.score, 1)
    })
  )

  it.effect("joins the reasons that there are", () =>
    Effect.gen(function* () {
      const joined = yield* score([
        fixed("a", { score: 0, reason: "too long" }),
        fixed("b", { score: 1 }),
        fixed("c", { score: 0, reason: "rude" })
      ])
      assert.strictEqual(joined.reason, "a: too long; c: rude")
    })
  )

  it.effect("merges metrics, and tells those of one name apart", () =>
    Effect.gen(function* () {
      const merged = yield* score([
        fixed("a", { score: 1, metrics: { words: 3, only_a: 1 } }),
        fixed("b", { score: 1, metrics: { words: 4 } })
      ])
      assert.deepStrictEqual(merged.metrics, { "a.words": 3, "b.words": 4, only_a: 1 })
      const twice = yield* score([bound(numeric), bound(numeric, 1, { select: "first" })], "40 or 41")
      assert.deepStrictEqual(twice.metrics, { "numeric.abs_error": 1, "numeric#2.abs_error": 2 })
      assert.include(twice.reason, "numeric#2: expected 42; got 40")
    })
  )

  it.effect("runs synchronous and asynchronous scorers together, in the order of the case", () =>
    Effect.gen(function* () {
      const later = bound(Scorer.make("later", () => Promise.resolve(0.5)))
      const effect = bound(Scorer.make("effect", () => Effect.succeed(0)))
      const mixed = yield* score([later, bound(exactMatch), effect])
      assert.deepStrictEqual(
        mixed.scores.map((one) => one.score),
        [0.5, 1, 0]
      )
      assert.strictEqual(mixed.score, 0.5)
      assert.strictEqual((yield* score([later])).score, 0.5)
    })
  )

  it.effect("fails with the name of the scorer that failed, and keeps what the others said", () =>
    Effect.gen(function* () {
      const broken = bound(Scorer.make("broken", () => Number.NaN))
      for (const scorers of [
        [bound(exactMatch), broken],
        [broken, bound(exactMatch)]
      ]) {
        const error = yield* Effect.flip(score(scorers))
        assert.strictEqual(error.scorer, "broken")
        const byName = new Map(error.scores?.map((one) => [one.scorer, one]))
        assert.strictEqual(byName.get("exact_match")?.score, 1)
        assert.isNull(byName.get("broken")?.score)
        assert.include(byName.get("broken")?.reason, "0..1")
      }
      assert.strictEqual((yield* Effect.flip(score([broken]))).scores?.length, 1)
    })
  )

  it.effect("survives a scorer that throws although it must not", () =>
    Effect.gen(function* () {
      const rogue: Scorer.Scorer = {
        ...exactMatch,
        name: "rogue",
        score: () => {
          throw new Error("rogue")
        }
      }
      assert.strictEqual((yield* Effect.flip(score([bound(rogue)]))).message, "scorer 'rogue': rogue")
      const beyond = { score: 1.5, passed: true, reason: "", detail: {}, metrics: {} }
      for (const given of [beyond, Effect.succeed(beyond), { ...beyond, score: Number.NaN }]) {
        const error = yield* Effect.flip(score([bound({ ...rogue, score: () => given })]))
        assert.include(error.detail, "must lie in 0..1")
      }
    })
  )

  it("lies between its smallest and largest part", () => {
    const part = fc.record({
      score: fc.double({ min: 0, max: 1, noNaN: true }),
      weight: fc.double({ min: 1e-6, max: 1e6, noNaN: true })
    })
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
        const scorers = parts.map((one) =>
          bound(
            Scorer.make("part", () => one.score),
            one.weight
          )
        )
        const total = Effect.runSync(score(scorers)).score ?? -1
        const scores = parts.map((one) => one.score)
        assert.isAtLeast(total, Math.min(...scores) - 1e-9)
        assert.isAtMost(total, Math.max(...scores) + 1e-9)
      })
    )
  })
})
