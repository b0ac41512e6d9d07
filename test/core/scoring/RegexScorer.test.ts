import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { compilePattern, isSafeOn } from "@agent-arena/core/scoring/Pattern"
import { regex } from "@agent-arena/core/scoring/RegexScorer"
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import { judge, judgeNow, problems } from "./judging.ts"

const passes = (output: string, pattern: unknown, params = {}) => judgeNow(regex, output, pattern, params).passed

/** Doubles its work with every further "a". */
const catastrophic = "^(a+)+$"
const hostile = `${"a".repeat(60)}!`

describe("regex", () => {
  it.live.each<[string, unknown, Record<string, unknown>, boolean]>([
    ["Order REFUND-12", "refund-\\d+", {}, true],
    ["Order REFUND-12", "refund-\\d+", { case_sensitive: true }, false],
    ["b", ["^a$", "^b$"], {}, true],
    ["a\nb", "^b", {}, false],
    ["a\nb", "^b", { multiline: true }, true],
    ["a\nb", "a.b", {}, false],
    ["a\nb", "a.b", { multiline: true }, true],
    ["a\rb", "a.b", {}, true],
    ["42\n", "^\\d+$", {}, true],
    ["42\n\n", "^\\d+$", {}, false],
    ["42\n", "^\\d+\\Z", {}, false],
    ["ABC", "(?i)abc", { case_sensitive: true }, true],
    ["a\nb", "(?s)a.b", {}, true],
    ["a\nb", "(?m)^b$", {}, true],
    ["aa", "(?P<x>a)(?P=x)", {}, true],
    ["ab", "(?P<x>a)(?P=x)", {}, false],
    ["aa", "(a)\\1", {}, true],
    ["a1", "(?#letter)a(?#digit)1", {}, true],
    ["größe", "^\\w+$", {}, true],
    ["größe", "\\bgröß\\b", {}, false],
    ["der größe wegen", "\\bgröße\\b", {}, true],
    ["٣", "^\\d$", {}, true],
    ["é", "^.$", {}, true],
    ["😀", "^.$", {}, true],
    ["a-b", "^[\\w-]+$", {}, true],
    ["a.b-c", "^[\\w.-]+$", {}, true],
    ["(x)", "\\(x\\)", {}, true],
    ["a b", "a\\ b", {}, true],
    ['he said "hi"', '\\"hi\\"', {}, true],
    ['{"a": 1}', '{"a": \\d}', {}, true],
    ["a{b}", "a{b}", {}, true],
    ["aa", "^a{,2}$", {}, true],
    ["a/b", "a/b", {}, true],
    ["x!", "[^\\W!]!", {}, true],
    ["a&&b", "[&&]+b", {}, true],
    ["é", "\\p{L}", {}, true],
    ["\u00e9", "\\xe9", {}, true],
    ["😀", "\\U0001F600", {}, true],
    ["[x]", "^\\[x]$", {}, true],
    ["ß", "[a-zß]", {}, true],
    ["5", 5, {}, true]
  ])("%j and %j with %j: %j", ([output, pattern, params, passed]) =>
    Effect.map(judge(regex, output, pattern, params), (score) => {
      assert.strictEqual(score.passed, passed)
    })
  )

  it("compares what is captured", () => {
    const params = { pattern: "answer: (\\w+)", expect_group: "Refund" }
    assert.isTrue(passes("The answer: REFUND.", undefined, params))
    const wrong = judgeNow(regex, "The answer: billing.", undefined, params)
    assert.strictEqual(wrong.reason, 'expected to capture "Refund"; got "billing"')
    assert.deepStrictEqual(wrong.detail, { captured: "billing" })
    assert.isTrue(passes("x 42", undefined, { pattern: "\\d+", expect_group: 42 }))
    assert.isFalse(passes("b", undefined, { pattern: "(a)?b", expect_group: "a" }))
    assert.isFalse(passes("X: b", undefined, { pattern: "X: (.)", expect_group: "B", case_sensitive: true }))
  })

  it("compares what is captured with the reference when told to", () => {
    const params = { pattern: "answer: (\\w+)", expect_reference: true }
    assert.isTrue(passes("answer: billing", ["refund", "billing"], params))
    assert.isFalse(passes("answer: other", ["refund", "billing"], params))
    assert.isTrue(passes("answer: anything", "refund", { pattern: params.pattern }))
  })

  it.each<[unknown, Record<string, unknown>, string]>([
    [undefined, {}, 'no reference and no param "pattern"'],
    ["(", {}, "does not compile: unterminated group"],
    ["a)", {}, "does not compile: unmatched ')'"],
    ["[a", {}, "not closed"],
    ["a**", {}, "nothing to repeat"],
    ["(?x) a b", {}, "verbose patterns"],
    ["a(?i)b", {}, "must stand at the beginning"],
    ["(?>a)", {}, "atomic groups"],
    ["a++", {}, "possessive"],
    ["[[:alpha:]]", {}, "POSIX classes"],
    ["[]a]", {}, "different dialects"],
    ["[^]a]", {}, "different dialects"],
    ["\\y", {}, 'unknown escape "\\y"'],
    ["a\\", {}, "lone backslash"],
    ["[b-a]", {}, "out of order"],
    ["a{3,2}", {}, "out of order"],
    ["(?P<a>x)(?P<a>y)", {}, "duplicate capture group name"],
    ["a".repeat(10_001), {}, "longer than"],
    [["a", "("], {}, "does not compile"],
    [[], {}, "empty list"],
    [undefined, { pattern: "a", expect_reference: true }, "needs a reference"],
    ["a", { expect_reference: true }, "needs a reference"],
    ["a", { pattern: "a", expect_reference: true, expect_group: "b" }, "exclude each other"],
    ["a", { patern: "a" }, 'did you mean "pattern"?']
  ])("finds the data error of %j with %j beforehand", (reference, params, expected) => {
    assert.include(problems(regex, reference, params).join("; "), expected)
  })

  it("needs no reference when a pattern is given", () => {
    assert.isEmpty(problems(regex, undefined, { pattern: "a" }))
  })
})

/** Whether a pattern is matched in place on texts of this length. */
const runsInPlace = (pattern: string, length: number): boolean => {
  const compiled = Result.getOrThrow(compilePattern(pattern, { caseSensitive: false, multiline: false }))
  return isSafeOn(compiled, "x".repeat(length))
}

describe("regex under attack", () => {
  it.each([
    catastrophic,
    "(a*)*b",
    "(a|aa)+$",
    "(a|a?)+$",
    "(.*a){20}",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(\\w+\\s?)+$",
    "\\s*\\s*\\s*\\s*x",
    "(a?){30}a{30}",
    "(.*)\\1(.*)\\2",
    "(?=(a+))*b",
    "(?<=a+)+b",
    "a{1000}b",
    "(?:a|b|c)(?:a|b|c)(?:a|b|c)(?:a|b|c)(?:a|b|c)(?:a|b|c)(?:a|b|c)(?:a|b|c)(?:a|b|c)x"
  ])("never matches %s in place on sixty characters", (pattern) => {
    assert.isTrue(problems(regex, pattern).length > 0 || !runsInPlace(pattern, 60))
  })

  it.each(["refund", "^(refund|billing)$", "answer: (\\w+)", "\\b\\d{4}-\\d{2}-\\d{2}\\b", "^yes\\.?$"])(
    "matches the harmless %s in place on a short answer",
    (pattern) => {
      assert.isTrue(runsInPlace(pattern, 100))
    }
  )

  it.live("stops a pattern that backtracks without end, and goes on working", () =>
    Effect.gen(function* () {
      const started = yield* Clock.currentTimeMillis
      const error = yield* Effect.flip(judge(regex, hostile, catastrophic, { timeout_s: 0.2 }))
      assert.strictEqual(error.scorer, "regex")
      assert.include(error.detail, "was stopped after 0.2 s")
      assert.isBelow((yield* Clock.currentTimeMillis) - started, 5_000)
      assert.isTrue((yield* judge(regex, "aaaa", catastrophic)).passed)
      assert.isFalse((yield* judge(regex, "aaab", catastrophic)).passed)
    })
  )

  it.live("gives every one of many answers its own verdict, hostile ones among them", () =>
    Effect.gen(function* () {
      const outputs = Array.from({ length: 200 }, (_, index) => (index % 70 === 35 ? hostile : "a".repeat(index + 1)))
      const results = yield* Effect.forEach(
        outputs,
        (output) => Effect.result(judge(regex, output, catastrophic, { timeout_s: 0.2 })),
        { concurrency: "unbounded" }
      )
      for (const [index, result] of results.entries()) {
        if (outputs[index] === hostile) assert.isTrue(result._tag === "Failure")
        else assert.isTrue(result._tag === "Success" && result.success.passed === true)
      }
    })
  )

  it.live("lets go of a match that nobody waits for", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(judge(regex, hostile, catastrophic, { timeout_s: 0.3 }), {
        startImmediately: true
      })
      yield* Fiber.interrupt(fiber)
      assert.isTrue((yield* judge(regex, "aa", catastrophic)).passed)
    })
  )

  it.live("matches long answers and captures from them in the worker, too", () =>
    Effect.gen(function* () {
      const long = `${"x ".repeat(200_000)}answer: refund`
      const params = { pattern: "answer: (\\w+)", expect_group: "refund" }
      assert.isTrue((yield* judge(regex, long, undefined, params)).passed)
      assert.isFalse((yield* judge(regex, `${long}ed`, undefined, params)).passed)
      assert.isFalse((yield* judge(regex, "x ".repeat(200_000), undefined, params)).passed)
    })
  )

  it.live("does not keep the process alive", () =>
    Effect.gen(function* () {
      const program = fileURLToPath(new URL("./regex-process.ts", import.meta.url))
      const run = promisify(execFile)
      const { stdout } = yield* Effect.promise(() =>
        run(process.execPath, ["--conditions=agent-arena-source", program], { timeout: 15_000 })
      )
      assert.strictEqual(stdout, "true\n")
    })
  )
})
