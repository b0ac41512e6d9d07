import { jsonMatch } from "@agent-arena/core/scoring/JsonMatchScorer"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { judgeNow, problems } from "./judging.ts"

const scoreOf = (output: unknown, reference: unknown, params = {}) =>
  judgeNow(jsonMatch, typeof output === "string" ? output : JSON.stringify(output), reference, params)

describe("json_match", () => {
  it("gives the share of leaves that agree, and names the others", () => {
    const score = scoreOf('{"a":1,"b":"wrong"}', { a: 1, b: "x" })
    assert.strictEqual(score.score, 0.5)
    assert.isFalse(score.passed)
    assert.deepStrictEqual(score.detail, { mismatched: ["b"] })
    assert.strictEqual(score.reason, 'b: expected "x", got "wrong"')
  })

  it.each<[unknown, unknown, Record<string, unknown>, number]>([
    ['```json\n{"a":1}\n```', { a: 1 }, {}, 1],
    ['The answer: {"a":1}', '{"a":1}', {}, 1],
    [{ n: "INV 2291" }, { n: "INV-2291" }, {}, 0],
    [{ n: "inv-2291." }, { n: "INV-2291" }, {}, 1],
    [{ t: "4820.5" }, { t: 4820.5 }, {}, 0],
    [{ t: "4,820.50" }, { t: 4820.5 }, { coerce_numbers: true }, 1],
    [{ t: 4820.5 }, { t: "4820.5" }, { coerce_numbers: true }, 1],
    [{ t: true }, { t: 1 }, { coerce_numbers: true }, 0],
    [{}, { due: null }, {}, 0],
    [{ due: null }, { due: null }, {}, 1],
    [{ due: "" }, { due: null }, {}, 0],
    [{ a: 1, extra: 2 }, { a: 1 }, {}, 1],
    [{ a: 1, extra: 2 }, { a: 1 }, { mode: "exact" }, 0],
    [{ a: 1 }, { a: 1 }, { mode: "exact" }, 1],
    [{ a: "X" }, { a: "x" }, { mode: "exact" }, 0],
    [{ a: 1 + 1e-12 }, { a: 1 }, {}, 1],
    [{ a: 1 + 1e-12 }, { a: 1 }, { mode: "exact" }, 0],
    [{ a: 1.0 }, { a: 1 }, { mode: "exact" }, 1],
    [{ a: 1 }, { a: true }, {}, 0],
    [{ a: { b: 1, c: 2, d: { e: 3 } } }, { a: { b: 1, c: 9, d: { e: 3 } } }, {}, 2 / 3],
    [{ a: 5 }, { a: { b: 1, c: 2 }, d: 4 }, {}, 0],
    [{ d: 4 }, { a: { b: 1, c: 2 }, d: 4 }, {}, 1 / 3],
    [[1, 2, 3], [1, 2, 3], {}, 1],
    [[1, 2], [1, 2, 3], {}, 2 / 3],
    [[1, 2, 3, 4], [1, 2, 3], {}, 3 / 4],
    [[2, 1], [1, 2], {}, 0],
    [{ a: [] }, { a: [] }, {}, 1],
    [{ a: [1] }, { a: [] }, {}, 0],
    [{ a: {} }, { a: {} }, {}, 1],
    [{ a: 1 }, {}, {}, 1],
    [[], {}, {}, 0],
    [{ id: 7, a: 1 }, { id: 8, a: 1 }, { ignore_keys: ["id"] }, 1],
    [{ x: { id: 7, a: 1 } }, { x: { id: 8, a: 1 } }, { ignore_keys: ["id"] }, 1],
    [{ x: [{ id: 7, a: 1 }], id: 1 }, { x: [{ id: 8, a: 1 }], id: 1 }, { ignore_keys: ["x.id"] }, 1],
    [{ id: 2, x: 1 }, { id: 1, x: 1 }, { ignore_keys: ["x.id"] }, 1 / 2],
    [{ a: 1, at: "now" }, { a: 1 }, { mode: "exact", ignore_keys: ["at"] }, 1],
    [{ a: 2 }, [{ a: 1 }, { a: 2 }], { any_of: true }, 1],
    ["null", "null", {}, 1],
    ["42", 42, {}, 1],
    ['"Refund"', '"refund"', {}, 1],
    ['{"a":1', { a: 1 }, {}, 0],
    ['{"__proto__": {"x": 1}, "a": 1}', { a: 1 }, {}, 1],
    ['{"a": 1}', { constructor: null }, {}, 0]
  ])("%j against %j with %j: %d", (output, reference, params, expected) => {
    assert.closeTo(scoreOf(output, reference, params).score ?? -1, expected, 1e-12)
  })

  it("passes from its threshold on", () => {
    assert.isTrue(scoreOf({ a: 1, b: 2, c: 0 }, { a: 1, b: 2, c: 3 }, { threshold: 2 / 3 }).passed)
    assert.isFalse(scoreOf({ a: 1, b: 0, c: 0 }, { a: 1, b: 2, c: 3 }, { threshold: 2 / 3 }).passed)
  })

  it("says where values are missing, unexpected and too many", () => {
    assert.strictEqual(scoreOf({}, { due: null }).reason, "due: missing")
    assert.strictEqual(scoreOf({ a: 1, b: 2 }, { a: 1 }, { mode: "exact" }).reason, "b: not expected")
    assert.strictEqual(scoreOf({ a: [1, 2, 3] }, { a: [1] }).reason, "a: 2 more items than expected")
    assert.strictEqual(scoreOf({ a: [{ b: 1 }] }, { a: [{ b: 2 }] }).reason, "a[0].b: expected 2, got 1")
    assert.include(scoreOf("nothing here", { a: 1 }).reason, "no JSON")
  })

  it.each<[unknown, Record<string, unknown>, string]>([
    ["not json", {}, "is not valid JSON"],
    [undefined, {}, "no reference"],
    [{ a: Number.NaN }, {}, "NaN, which JSON cannot write"],
    [{ a: undefined }, {}, "undefined, which JSON cannot write"],
    [{ a: 1 }, { any_of: true }, "needs a list"],
    [[], { any_of: true }, "empty list"],
    [{ a: 1 }, { mode: "subsets" }, 'did you mean "subset"?'],
    [{ a: 1 }, { ignore_keys: "id" }, "expected a list of texts"]
  ])("finds the data error of %j with %j beforehand", (reference, params, expected) => {
    assert.include(problems(jsonMatch, reference, params).join("; "), expected)
  })

  it("refuses a reference that is nested beyond reason", () => {
    assert.include(problems(jsonMatch, `${"[".repeat(500)}${"]".repeat(500)}`).join(), "nested deeper")
  })

  it("finds every value equal to itself, and never leaves 0..1", () => {
    const value = fc.jsonValue({ maxDepth: 4 })
    fc.assert(
      fc.property(value, value, fc.constantFrom("subset", "exact"), (a, b, mode) => {
        const reference = JSON.stringify(a)
        assert.strictEqual(scoreOf(reference, reference, { mode }).score, 1)
        const { score } = scoreOf(JSON.stringify(b), reference, { mode })
        assert.isTrue(score !== null && score >= 0 && score <= 1)
        if (mode === "exact" && score === 1) assert.deepEqual(JSON.parse(JSON.stringify(b)), JSON.parse(reference))
      })
    )
  })

  it("never throws, whatever the answer is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (output) => {
        assert.isNotNull(scoreOf(output, { a: 1 }).score)
      })
    )
    assert.strictEqual(scoreOf(`{"a":${"[".repeat(400_000)}${"]".repeat(400_000)}}`, { a: 1 }).score, 0)
  })
})
