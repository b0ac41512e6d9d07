import { type FindEmbedding, noEmbeddings } from "@agent-arena/core/scoring/Embedding"
import { semantic } from "@agent-arena/core/scoring/SemanticScorer"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { caseOf, cellOf, judge, judgeNow, problems } from "./judging.ts"

const lexical = semantic(noEmbeddings)

/** Embeds a text by what a table says. */
const tableOf =
  (vectors: Readonly<Record<string, unknown>>, calls: Array<string> = []): FindEmbedding =>
  () =>
    Effect.succeed((text) =>
      Effect.sync(() => {
        calls.push(text)
        return vectors[text]
      })
    )

const withEmbedding = { embedding: "embed.ts:embed" }

describe("semantic, by words", () => {
  it.each<[string, unknown, number]>([
    ["The refund is on its way", "refund way", 1],
    ["refund order", "refund", 1 / Math.sqrt(2)],
    ["nothing alike", "refund", 0],
    ["", "refund", 0],
    ["the", "the", 1],
    ["the cat", "the", 0],
    ["GRÖSSE", "größe", 1],
    ["don't", "dont", 1],
    ["退款", "退货", 1 / 2],
    ["billing", ["refund", "billing"], 1],
    ["refund refund refund", "refund", 1]
  ])("%j is like %j by %d", (output, reference, expected) => {
    const score = judgeNow(lexical, output, reference)
    assert.closeTo(score.score ?? -1, expected, 1e-12)
    assert.strictEqual(score.metrics["similarity"], score.score)
    assert.strictEqual(score.passed, expected >= 0.75)
  })

  it("passes from its threshold on, and says by how much it was missed", () => {
    assert.isTrue(judgeNow(lexical, "refund order", "refund", { threshold: 0.7 }).passed)
    assert.strictEqual(judgeNow(lexical, "refund order", "refund").reason, "similarity 0.707 is below 0.75")
  })

  it("is symmetric, 1 for a text and itself, and within 0..1", () => {
    const text = fc
      .string({ unit: fc.constantFrom("a", "b", "c", "the", " ", "ß", "中", ".") })
      .filter((t) => /\p{L}/u.test(t))
    fc.assert(
      fc.property(text, text, (a, b) => {
        const there = judgeNow(lexical, a, b).score ?? -1
        assert.closeTo(there, judgeNow(lexical, b, a).score ?? -1, 1e-12)
        assert.isTrue(there >= 0 && there <= 1)
        assert.closeTo(judgeNow(lexical, a, a).score ?? -1, 1, 1e-12)
      })
    )
  })
})

describe("semantic, by an embedding", () => {
  it.effect("is the cosine, never below 0, of the nearest reference", () =>
    Effect.gen(function* () {
      const vectors = { x: [1, 0], near: [0.6, 0.8], against: [-1, 0], zero: [0, 0], typed: new Float32Array([1, 0]) }
      const scorer = semantic(tableOf(vectors))
      const similarity = (output: string, reference: unknown) =>
        Effect.map(judge(scorer, output, reference, withEmbedding), ({ score }) => score)
      assert.closeTo((yield* similarity("near", "x")) ?? -1, 0.6, 1e-9)
      assert.strictEqual(yield* similarity("against", "x"), 0)
      assert.strictEqual(yield* similarity("zero", "x"), 0)
      assert.strictEqual(yield* similarity("typed", "x"), 1)
      assert.closeTo((yield* similarity("near", ["against", "x"])) ?? -1, 0.6, 1e-9)
    })
  )

  it.effect("computes the vectors of a reference once", () =>
    Effect.gen(function* () {
      const calls: Array<string> = []
      const scorer = semantic(tableOf({ a: [1], b: [1] }, calls))
      const testCase = caseOf("semantic", "a", withEmbedding)
      for (let i = 0; i < 3; i++) {
        const input = { output: "b", reference: "a", params: withEmbedding, testCase, cell: cellOf() }
        const scored = scorer.score(input)
        if (Effect.isEffect(scored)) yield* scored
      }
      assert.deepStrictEqual(calls, ["a", "b", "b", "b"])
    })
  )

  it.effect.each<[unknown, string]>([
    [[1, 2, 3], "different lengths"],
    [[], "is empty"],
    ["text", "must be a list of numbers"],
    [[Number.NaN], "not a finite number"],
    [undefined, "must be a list of numbers"]
  ])("refuses the vector %j", ([vector, why]) =>
    Effect.gen(function* () {
      const scorer = semantic(tableOf({ reference: [1, 2], output: vector }))
      assert.include((yield* Effect.flip(judge(scorer, "output", "reference", withEmbedding))).detail, why)
    })
  )

  it.effect("fails with what the function says", () =>
    Effect.gen(function* () {
      const scorer = semantic(() => Effect.succeed(() => Effect.fail("no model")))
      const error = yield* Effect.flip(judge(scorer, "a", "b", withEmbedding))
      assert.strictEqual(error.message, "scorer 'semantic': no model")
    })
  )

  it.each<[unknown, Record<string, unknown>, string]>([
    ["a", { embedding: "embed" }, 'expected "file.ts:function"'],
    ["...", {}, "no word to compare"],
    [[], {}, "empty list"],
    ["a", { threshold: 75 }, "a number 0..1"]
  ])("finds the data error of %j with %j beforehand", (reference, params, expected) => {
    assert.include(problems(lexical, reference, params).join("; "), expected)
  })
})
