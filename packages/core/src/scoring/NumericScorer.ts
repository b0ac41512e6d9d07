import * as Score from "../domain/Score.ts"
import { define } from "./BuiltinScorer.ts"
import type { DecimalMark } from "./NumberGrouping.ts"
import { type NumberToken, readAnswer } from "./NumberReading.ts"
import { alternatives } from "./References.ts"
import { choice, quantity } from "./ScorerParams.ts"
import { quote } from "./TextNormalisation.ts"

const unbounded = { minimum: 0, maximum: Number.POSITIVE_INFINITY }

type PercentMode = "ignore" | "fraction"

const valueOf = (token: NumberToken, percent: PercentMode): number | null =>
  token.value !== null && token.percent && percent === "fraction" ? token.value / 100 : token.value

const readReference = (
  item: unknown,
  decimal: DecimalMark,
  percent: PercentMode,
  problem: (text: string) => void
): ReadonlyArray<number> => {
  if (typeof item === "number" && Number.isFinite(item)) return [item]
  if (typeof item !== "string") {
    problem(
      `the reference must be a number; got ${item === null ? "null" : typeof item === "object" ? "a mapping or list" : String(item)}`
    )
    return []
  }
  const tokens = readAnswer(item, decimal)
  const only = tokens.length === 1 ? tokens[0] : undefined
  const value = only === undefined || /\p{L}{4,}/u.test(item) ? null : valueOf(only, percent)
  if (value !== null) return [value]
  problem(
    only !== undefined && only.problem !== ""
      ? `the reference ${quote(item)} is ambiguous: ${only.problem}`
      : `the reference ${quote(item)} is not a number`
  )
  return []
}

/** Whether a difference is within a tolerance, forgiving what binary fractions add to it. */
const within = (difference: number, tolerance: number, a: number, b: number): boolean => {
  if (difference <= tolerance) return true
  if (tolerance === 0) return false
  return difference - tolerance <= 1e-9 * tolerance + 4 * Number.EPSILON * Math.max(Math.abs(a), Math.abs(b))
}

/** `numeric`: a number in the answer is near enough to the reference. */
export const numeric = define({
  name: "numeric",
  description: "A number in the answer equals the reference within a tolerance.",
  requiresReference: true,
  params: {
    select: choice(["last", "first"], "last", "Which number of the answer counts."),
    abs_tol: quantity(0, unbounded, "Largest difference that passes, in the unit of the reference.", ["tolerance"]),
    rel_tol: quantity(0, unbounded, "Largest difference that passes, as a share of the larger of the two numbers."),
    decimal: choice(
      ["auto", "point", "comma"],
      "auto",
      "How decimals are written. auto: decided from the number, refused when it can be read in two ways."
    ),
    percent: choice(["ignore", "fraction"], "ignore", "Whether 12% is read as 12 or as 0.12.")
  },
  prepare: ({ options, reference, problem }) => {
    const items = alternatives(reference)
    if (items.length === 0) problem("the reference is an empty list, which nothing can match")
    const accepted = items.flatMap((item) => readReference(item, options.decimal, options.percent, problem))
    const shown = accepted.join(" or ")

    return (output) => {
      const tokens = readAnswer(output, options.decimal)
      const token = options.select === "last" ? tokens[tokens.length - 1] : tokens[0]
      if (token === undefined) return Score.make(0, { reason: `no number in ${quote(output.trim())}` })
      const value = valueOf(token, options.percent)
      if (value === null) {
        return Score.make(0, { reason: `the number ${quote(token.text)} is not clear: ${token.problem}` })
      }
      let nearest = Number.POSITIVE_INFINITY
      let passed = false
      for (const expected of accepted) {
        const difference = Math.abs(value - expected)
        const tolerance = Math.max(options.abs_tol, options.rel_tol * Math.max(Math.abs(value), Math.abs(expected)))
        if (difference < nearest) nearest = difference
        passed ||= within(difference, tolerance, value, expected)
      }
      const metrics: Score.Score["metrics"] = Number.isFinite(nearest) ? { abs_error: nearest } : {}
      return passed
        ? Score.make(1, { metrics, detail: { value } })
        : Score.make(0, { metrics, detail: { value }, reason: `expected ${shown}; got ${value}` })
    }
  }
})
