import { classification } from "@agent-arena/core/scoring/ClassificationScorer"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { judgeNow, problems } from "./judging.ts"

const routes = ["billing", "technical", "account"]

const predicted = (output: string, labels: ReadonlyArray<string>, params = {}) =>
  judgeNow(classification, output, labels[0], { labels, ...params }).detail["predicted"]

describe("classification", () => {
  it.each<[string, ReadonlyArray<string>, string]>([
    ["This goes to billing.", routes, "billing"],
    ["**Technical**", routes, "technical"],
    ["not billing", routes, "billing"],
    ['{"label": "account"}', routes, "account"],
    ["BILLING! Definitely billing.", routes, "billing"],
    ["not_spam", ["spam", "not_spam"], "not_spam"],
    ["not spam", ["spam", "not_spam"], "not_spam"],
    ["It is not-spam.", ["spam", "not_spam"], "not_spam"],
    ["escalate tier 2", ["escalate_tier_2", "close"], "escalate_tier_2"],
    ["I would Escalate-Tier_2 here", ["escalate_tier_2", "close"], "escalate_tier_2"],
    ["C++", ["C", "C++", "C#"], "C++"],
    ["I prefer C# here", ["C++", "C#"], "C#"],
    ["这是退款问题", ["退款", "技术"], "退款"],
    ["3", ["1", "2", "3"], "3"],
    ["A.", ["A", "B"], "A"],
    ["ＢＩＬＬＩＮＧ", routes, "billing"]
  ])("%j of %j is %s", (output, labels, label) => {
    assert.strictEqual(predicted(output, labels), label)
  })

  it("refuses to choose between several labels", () => {
    const score = judgeNow(classification, "billing, or maybe technical", "billing", { labels: routes })
    assert.strictEqual(score.score, 0)
    assert.isFalse(score.passed)
    assert.strictEqual(score.reason, 'ambiguous: the answer mentions "technical", "billing"')
    assert.deepStrictEqual(score.detail, { mentioned: ["technical", "billing"] })
  })

  it("does not see labels inside of longer words, labels and numbers", () => {
    assert.isUndefined(predicted("refunds", ["refund"]))
    assert.isUndefined(predicted("hmm", routes))
    assert.isUndefined(predicted("23", ["2", "3"]))
    assert.isUndefined(predicted("größer", ["größe"]))
    assert.strictEqual(predicted("a refund request", ["refund", "refund request", "request"]), "refund request")
  })

  it("tells labels by case when told to", () => {
    assert.strictEqual(predicted("A good answer is B", ["A", "B"]), undefined)
    assert.strictEqual(predicted("Clearly, a good answer is B", ["A", "B"], { case_sensitive: true }), "B")
  })

  it("takes any of several references, in any spelling of the label", () => {
    assert.isTrue(judgeNow(classification, "technical", ["billing", "technical"], { labels: routes }).passed)
    assert.isTrue(judgeNow(classification, "tier 2", "Tier-2", { labels: ["tier_2", "tier_1"] }).passed)
    assert.isFalse(judgeNow(classification, "account", ["billing", "technical"], { labels: routes }).passed)
  })

  it("says what was wrong", () => {
    assert.strictEqual(
      judgeNow(classification, "technical", "billing", { labels: routes }).reason,
      'expected "billing"; got "technical"'
    )
    assert.strictEqual(
      judgeNow(classification, "hmm", "billing", { labels: routes }).reason,
      'no label is mentioned in "hmm"'
    )
  })

  it.each<[unknown, Record<string, unknown>, string]>([
    ["billing", {}, 'param "labels" is missing'],
    ["billing", { labels: [] }, 'param "labels" is missing'],
    ["billing", { labels: "billing, technical" }, "expected a list of texts"],
    ["biling", { labels: routes }, 'did you mean "billing"?'],
    ["billing", { labels: ["billing", "a b", "a-b"] }, "cannot be told apart"],
    ["billing", { labels: ["billing", "-"] }, "must not be empty"],
    [undefined, { labels: routes }, "no reference"],
    [[], { labels: routes }, "empty list"],
    ["billing", { label: routes }, 'did you mean "labels"?']
  ])("finds the data error of %j with %j beforehand", (reference, params, expected) => {
    assert.include(problems(classification, reference, params).join("; "), expected)
  })

  it("predicts a label of the list or none, and each label for itself", () => {
    const label = fc.stringMatching(/^[a-z]{2,8}([ _-][a-z]{2,6})?$/)
    fc.assert(
      fc.property(fc.uniqueArray(label, { minLength: 1, maxLength: 5 }), fc.string(), (labels, text) => {
        if (problems(classification, labels[0], { labels }).length > 0) return
        const said = predicted(text, labels)
        assert.isTrue(said === undefined || labels.includes(String(said)))
        for (const one of labels) assert.strictEqual(predicted(`${one}.`, labels), one)
      })
    )
  })

  it("takes time in proportion to the answer", () => {
    const labels = ["a", "a a", "aa", "a-a-a", "b"]
    for (const piece of ["a ", "a", "-", "b.a "]) judgeNow(classification, piece.repeat(60_000), "b", { labels })
  })
})
