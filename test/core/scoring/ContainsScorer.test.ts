import { contains } from "@agent-arena/core/scoring/ContainsScorer"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { judgeNow, problems } from "./judging.ts"

const scoreOf = (output: string, reference: unknown, params = {}) => judgeNow(contains, output, reference, params).score

describe("contains", () => {
  it.each<[string, unknown, Record<string, unknown>, number]>([
    ["Your REFUND is due", "refund", {}, 1],
    ["Your refund\n  is due", "refund is", {}, 1],
    ["a and b", ["a", "b"], {}, 1],
    ["only alpha", ["alpha", "beta"], {}, 0.5],
    ["only alpha", ["alpha", "ALPHA", "beta"], {}, 0.5],
    ["only alpha", ["alpha", "beta"], { mode: "any" }, 1],
    ["neither", ["alpha", "beta"], { mode: "any" }, 0],
    ["clean", ["alpha", "beta"], { mode: "none" }, 1],
    ["alpha", ["alpha", "beta"], { mode: "none" }, 0],
    ["Refund", "refund", { case_sensitive: true }, 0],
    ["don’t", "don't", {}, 1],
    ["nonrefundable", "refund", {}, 1],
    ["nonrefundable", "refund", { whole_words: true }, 0],
    ["a refund!", "refund", { whole_words: true }, 1],
    ["1500", 15, {}, 1],
    ["1500", 15, { whole_words: true }, 0],
    ["15.5", 15, { whole_words: true }, 0],
    ["It is 15.", 15, { whole_words: true }, 1],
    ["größer", "größe", { whole_words: true }, 0],
    ["这是退款问题", "退款", { whole_words: true }, 1]
  ])("%j, looking for %j with %j: %d", (output, reference, params, expected) => {
    assert.strictEqual(scoreOf(output, reference, params), expected)
  })

  it("passes from its threshold on", () => {
    const three = ["a", "b", "c"]
    assert.isFalse(judgeNow(contains, "a b", three).passed)
    assert.isTrue(judgeNow(contains, "a b", three, { threshold: 2 / 3 }).passed)
    assert.isTrue(judgeNow(contains, "a b", three, { threshold: 0.6 }).passed)
  })

  it("names what is missing, and what must not be there", () => {
    assert.strictEqual(judgeNow(contains, "alpha", ["alpha", "beta"]).reason, 'missing "beta"')
    assert.deepStrictEqual(judgeNow(contains, "alpha", ["alpha", "beta"]).detail, { missing: ["beta"] })
    assert.strictEqual(judgeNow(contains, "alpha", "alpha", { mode: "none" }).reason, 'must not contain "alpha"')
  })

  it.each<[unknown, Record<string, unknown>, string]>([
    ["", {}, "contained in every answer"],
    [["a", " "], {}, "contained in every answer"],
    [[], {}, "empty list"],
    [undefined, {}, "no reference"],
    ["a", { mode: "every" }, "expected all, any, none"],
    ["a", { threshold: 2 }, "a number 0..1"]
  ])("finds the data error of %j with %j beforehand", (reference, params, expected) => {
    assert.include(problems(contains, reference, params).join("; "), expected)
  })

  it("finds what an answer was built around", () => {
    const word = fc.stringMatching(/^[a-zäß]{1,8}$/)
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), fc.string(), (words, noise) => {
        assert.strictEqual(scoreOf(`${noise} ${words.join(" ")}`, words), 1)
        assert.strictEqual(scoreOf(words.join(" "), words, { mode: "none" }), 0)
      })
    )
  })
})
