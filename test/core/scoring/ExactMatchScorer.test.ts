import { exactMatch } from "@agent-arena/core/scoring/ExactMatchScorer"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { judgeNow, problems } from "./judging.ts"

const passes = (output: string, reference: unknown, params = {}) =>
  judgeNow(exactMatch, output, reference, params).passed

describe("exact_match", () => {
  it.each<[string, unknown]>([
    ["  Refund. ", "refund"],
    ["billing", ["refund", "billing"]],
    ["**Refund**", "refund"],
    ["`refund`", "refund"],
    ['"Refund!"', "refund"],
    ["```\nrefund\n```", "refund"],
    ["```text\nrefund\n```", "refund"],
    ["# Refund", "refund"],
    ["re  fund\nnow", "re fund now"],
    ["STRASSE", "Straße"],
    ["ΟΔΟΣ", "οδοσ"],
    ["ＲＥＦＵＮＤ", "refund"],
    ["ｶﾞ", "ガ"],
    ["don’t", "don't"],
    ["−5", "-5"],
    ["(-5)", -5],
    ["cafe\u0301", "café"],
    ["ref\u200bund", "refund"],
    ["¿qué?", "qué"],
    ["「はい」。", "はい"],
    ["True", true],
    ["15", 15],
    ["0", 0],
    ["", ""],
    ["?", "?"],
    ["5%", "5%"],
    ["...refund...", "refund"]
  ])("%j answers %j", (output, reference) => {
    assert.isTrue(passes(output, reference))
  })

  it.each<[string, unknown]>([
    ["1.5", "15"],
    ["-5", "5"],
    ["5", "-5"],
    ["12.00", "1200"],
    [".5", "5"],
    ["-.5", ".5"],
    ["-$5", "$5"],
    ["10²", "102"],
    ["C", "C++"],
    ["C#", "C"],
    ["5%", "5"],
    ["$5", "5"],
    ["?", "!"],
    ["", "refund"],
    ["I think refund", "refund"],
    ["e-mail", "email"]
  ])("%j does not answer %j", (output, reference) => {
    assert.isFalse(passes(output, reference))
  })

  it("counts case, punctuation and white space when told to", () => {
    assert.isFalse(passes("Refund", "refund", { case_sensitive: true }))
    assert.isFalse(passes("refund.", "refund", { strip_punctuation: false }))
    assert.isFalse(passes("re  fund", "re fund", { collapse_whitespace: false }))
    assert.isTrue(passes(" refund ", "refund", { strip_punctuation: false, collapse_whitespace: false }))
  })

  it("says what was expected and what came", () => {
    assert.strictEqual(judgeNow(exactMatch, "billing\n", "refund").reason, 'expected "refund"; got "billing"')
    assert.include(judgeNow(exactMatch, "x".repeat(1_000), ["a", "b"]).reason, 'expected one of "a", "b"')
    assert.isBelow(judgeNow(exactMatch, "😀".repeat(1_000), "a").reason.length, 200)
  })

  it.each<[unknown, Record<string, unknown>, string]>([
    [undefined, {}, "no reference"],
    [[], {}, "empty list"],
    [[["a"]], {}, "a list in a list"],
    [{ a: 1 }, {}, "a mapping"],
    [[null], {}, "null"],
    ["a", { case_sensitve: true }, 'did you mean "case_sensitive"?'],
    ["a", { case_sensitive: "yes" }, "expected true or false"]
  ])("finds the data error of %j with %j beforehand", (reference, params, expected) => {
    assert.include(problems(exactMatch, reference, params).join("; "), expected)
  })

  it("reports all problems of a case together", () => {
    assert.lengthOf(problems(exactMatch, undefined, { case: 1, strip_punctuation: 1 }), 3)
  })

  it("does not fall for its own decoration", () => {
    const word = fc.stringMatching(/^[a-z0-9äß中]{1,12}( [a-z0-9]{1,6})?$/)
    const around = fc.stringMatching(/^[ \n"'*_`([{]{0,4}$/)
    const after = fc.stringMatching(/^[ \n"'*_`.!?;:)\]}]{0,4}$/)
    fc.assert(
      fc.property(word, around, after, (text, before, behind) => {
        assert.isTrue(passes(`${before}${text.toUpperCase()}${behind}`, text))
      })
    )
  })

  it("gives 1 or 0 for any two texts, and 1 for a text and itself", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
        assert.include([0, 1], judgeNow(exactMatch, a, b).score)
        assert.strictEqual(judgeNow(exactMatch, a, a).score, 1)
      })
    )
  })
})
