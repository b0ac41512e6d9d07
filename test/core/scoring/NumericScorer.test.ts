import { readNumbers } from "@agent-arena/core/scoring/NumberReading"
import { numeric } from "@agent-arena/core/scoring/NumericScorer"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { judgeNow, problems } from "./judging.ts"

/** The numbers of a text; a number that is not clear is "?". */
const read = (text: string, decimal: "auto" | "point" | "comma" = "auto") =>
  readNumbers(text, decimal).map(({ value }) => value ?? "?")

describe("numbers in a text", () => {
  it.each<[string, ReadonlyArray<number | "?">]>([
    ["The total is 1,299.00 dollars", [1299]],
    ["1.299,00 €", [1299]],
    ["1.234.567", [1234567]],
    ["1,234,567", [1234567]],
    ["1.234.567,89", [1234567.89]],
    ["1,234,567.89", [1234567.89]],
    ["₹12,34,567.50", [1234567.5]],
    ["1'299.50 CHF", [1299.5]],
    ["1’299.50", [1299.5]],
    ["1_000_000", [1000000]],
    ["1\u202f299,50", [1299.5]],
    ["1\u00a0299", [1299]],
    ["3.333\u2009444\u200955", [3.33344455]],
    ["1,299", [1299]],
    ["1.299", [1.299]],
    ["1,5", ["?"]],
    ["0,299", ["?"]],
    ["1.299,0,0", ["?"]],
    ["about 1 299 euros", ["?"]],
    ["1,2,3", [1, 2, 3]],
    ["1, 2, 3", [1, 2, 3]],
    ["5'3", [5, 3]],
    ["12\u00a034", [12, 34]]
  ])("understands the thousands of %j", (text, expected) => {
    assert.deepStrictEqual(read(text), expected)
  })

  it.each<[string, ReadonlyArray<number | "?">]>([
    ["2024-01-15", [2024, 1, 15]],
    ["10-5", [10, 5]],
    ["5–10", [5, 10]],
    ["COVID-19", [19]],
    ["5 -3", [5, -3]],
    ["x=-5", [-5]],
    ["-5", [-5]],
    ["−5", [-5]],
    ["－５", [-5]],
    ["-$5.50", [-5.5]],
    ["$-5.50", [-5.5]],
    ["$5-$10", [5, 10]],
    ["5%-10%", [5, 10]],
    ["100-", [100]],
    ["result--5", [5]],
    ["- 5 apples", [5]],
    ["+5", [5]]
  ])("knows which minus of %j is a sign", (text, expected) => {
    assert.deepStrictEqual(read(text), expected)
  })

  it.each<[string, ReadonlyArray<number | "?">]>([
    ["about .5", [0.5]],
    ["-.5", [-0.5]],
    ["no.5", [5]],
    ["...5", [5]],
    ["It is 5.", [5]],
    ["1.5e3", [1500]],
    ["1E-5", [0.00001]],
    ["5em", [5]],
    ["6.02 × 10^23", [6.02e23]],
    ["6.02 \\times 10^{23}", [6.02e23]],
    ["1.5·10⁻³", [0.0015]],
    ["3 * 10**4", [30000]],
    ["3 x 10", [3, 10]],
    ["10^3", [1000]],
    ["2^10 = 1024", ["?", 1024]],
    ["5²", ["?"]],
    ["1e999", ["?"]],
    ["version 1.2.3", []],
    ["192.168.1.1", []],
    ["12:30", [12, 30]],
    ["٤٢", [42]],
    ["٣٫٥", [3.5]],
    ["４２", [42]],
    ["४२", [42]],
    ["no digits", []],
    ["", []]
  ])("reads %j", (text, expected) => {
    assert.deepStrictEqual(read(text), expected)
  })

  it("reads by the decimal mark it is told", () => {
    assert.deepStrictEqual(read("1,5", "comma"), [1.5])
    assert.deepStrictEqual(read("1.299", "comma"), [1299])
    assert.deepStrictEqual(read("1.5", "comma"), ["?"])
    assert.deepStrictEqual(read("1,299,000", "comma"), ["?"])
    assert.deepStrictEqual(read("1,5", "point"), [1, 5])
    assert.deepStrictEqual(read("1,299", "point"), [1299])
    assert.deepStrictEqual(read("1.299", "point"), [1.299])
  })

  it("reads back what people and programs write", () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true })
    fc.assert(
      fc.property(finite, (value) => {
        assert.deepStrictEqual(read(`is ${String(value)} ok`), [value === 0 ? read(String(value))[0] : value])
      })
    )
    const amount = fc.integer({ min: -(10 ** 11), max: 10 ** 11 }).map((cents) => cents / 100)
    const locales = ["en-US", "de-DE", "fr-FR", "de-CH", "hi-IN", "pt-BR", "sv-SE", "ar-EG", "pl-PL"]
    fc.assert(
      fc.property(amount, fc.constantFrom(...locales), (value, locale) => {
        const written = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(
          value
        )
        const [only, ...more] = read(written)
        assert.isEmpty(more)
        // What is read is right; small amounts with a comma are refused, as they may be two numbers.
        if (only !== "?") assert.strictEqual(only, value === 0 ? only : value, written)
        else assert.match(written, /^[-−]?\d{1,3},\d\d$/)
      })
    )
  })

  it("never throws, and takes time in proportion to the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        for (const { value } of readNumbers(text)) assert.isTrue(value === null || Number.isFinite(value))
      })
    )
    for (const piece of ["1,", "1.", "111 ", "9", "-", ".", "1e", "10^", "1'", "× 10"]) {
      readNumbers(piece.repeat(60_000))
    }
  })
})

describe("numeric", () => {
  it.each<[string, unknown, Record<string, unknown>, boolean]>([
    ["The total is 1,299.00 dollars", 1299, {}, true],
    ["about 1300", 1299, { abs_tol: 5 }, true],
    ["about 1300", 1299, { tolerance: 5 }, true],
    ["about 1300", 1299, {}, false],
    ["2024-01-15", 15, {}, true],
    ["10-5", 5, {}, true],
    ["10-5", 10, { select: "first" }, true],
    ["about .5", 0.5, {}, true],
    ["first 3, then 4", 3, { select: "first" }, true],
    ["103", 100, { rel_tol: 0.03 }, true],
    ["104", 100, { rel_tol: 0.03 }, false],
    ["1299.05", 1299, { abs_tol: 0.05 }, true],
    ["1299.051", 1299, { abs_tol: 0.05 }, false],
    ["0.3", 0.1 + 0.2, {}, false],
    ["7", [5, 7], {}, true],
    ["6", [5, 7], {}, false],
    ["12%", 12, {}, true],
    ["12%", 0.12, { percent: "fraction" }, true],
    ["0.12", "12%", { percent: "fraction" }, true],
    ["12 345", 12345, {}, true],
    ["1 299,50 €", 1299.5, {}, true],
    ["**42**", "42", {}, true],
    ["```\n42\n```", 42, {}, true],
    ["1,5", 1.5, {}, false],
    ["1,5", 1.5, { decimal: "comma" }, true],
    ["1.299,00", "1,299.00", {}, true],
    ["-0", 0, {}, true]
  ])("%j against %j with %j: %j", (output, reference, params, passed) => {
    assert.strictEqual(judgeNow(numeric, output, reference, params).passed, passed)
  })

  it("measures the error, to the nearest of several references", () => {
    assert.deepStrictEqual(judgeNow(numeric, "The total is 1,299.00 dollars", 1299).metrics, { abs_error: 0 })
    assert.deepStrictEqual(judgeNow(numeric, "8", [5, 10]).metrics, { abs_error: 2 })
    assert.deepStrictEqual(judgeNow(numeric, "none", 1).metrics, {})
    assert.deepStrictEqual(judgeNow(numeric, "1,5", 1).metrics, {})
  })

  it("says why a number is not clear", () => {
    assert.strictEqual(
      judgeNow(numeric, "It is 1,5", 1.5).reason,
      'the number "1,5" is not clear: its comma may be a decimal mark or separate two numbers'
    )
    assert.strictEqual(judgeNow(numeric, "none", 1.5).reason, 'no number in "none"')
  })

  it.each<[unknown, Record<string, unknown>, string]>([
    ["forty-two", {}, "is not a number"],
    ["about 42 apples", {}, "is not a number"],
    ["1,5", {}, "is ambiguous"],
    [true, {}, "must be a number"],
    [[], {}, "empty list"],
    [null, {}, "must be a number"],
    [Number.NaN, {}, "must be a number"],
    [undefined, {}, "no reference"],
    [1, { relative: true }, "unknown param"],
    [1, { select: "lst" }, 'did you mean "last"?'],
    [1, { abs_tol: -1 }, "a number >= 0"],
    [1, { abs_tol: "1" }, "a number >= 0"],
    [1, { abs_tol: 1, tolerance: 2 }, "mean the same"]
  ])("finds the data error of %j with %j beforehand", (reference, params, expected) => {
    assert.include(problems(numeric, reference, params).join("; "), expected)
  })

  it("accepts its reference in whatever notation both are written", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        assert.strictEqual(judgeNow(numeric, `I get ${value}.`, value).score, 1)
      })
    )
  })
})
