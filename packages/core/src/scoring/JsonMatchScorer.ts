import * as Score from "../domain/Score.ts"
import { define } from "./BuiltinScorer.ts"
import { compareJson, type JsonComparison, notJson } from "./JsonComparison.ts"
import { extractJson, kindOf } from "./JsonExtraction.ts"
import { choice, flag, quantity, textList } from "./ScorerParams.ts"
import { quote } from "./TextNormalisation.ts"

const parsedReference = (reference: unknown, problem: (text: string) => void): unknown => {
  if (typeof reference !== "string") {
    const why = notJson(reference)
    if (why !== null) problem(`the reference ${why}`)
    return reference
  }
  try {
    const value: unknown = JSON.parse(reference)
    const why = notJson(value)
    if (why !== null) problem(`the reference ${why}`)
    return value
  } catch {
    problem(`the reference ${quote(reference)} is not valid JSON`)
    return null
  }
}

const shareOf = (comparison: JsonComparison): number =>
  comparison.total === 0 ? 1 : comparison.matched / comparison.total

/** `json_match`: the JSON in the answer agrees with the reference, leaf by leaf. */
export const jsonMatch = define({
  name: "json_match",
  description: "The JSON in the answer agrees with the reference; the score is the share of leaves that do.",
  requiresReference: true,
  params: {
    mode: choice(
      ["subset", "exact"],
      "subset",
      "subset: keys that the reference lacks do not count, texts are compared as by exact_match; exact: everything must be equal, the score is 1 or 0."
    ),
    threshold: quantity(1, { minimum: 0, maximum: 1 }, "Share of leaves that must agree to pass; for mode subset."),
    ignore_keys: textList("Keys that do not count, by name at any depth, or as a dotted path without indices."),
    coerce_numbers: flag(false, 'Whether the text "4820.5" equals the number 4820.5.'),
    any_of: flag(false, "Whether a list as reference holds alternatives instead of being the expected list.")
  },
  prepare: ({ options, reference, problem }) => {
    const parsed = parsedReference(reference, problem)
    const candidates = options.any_of && Array.isArray(parsed) ? parsed : [parsed]
    if (options.any_of && !Array.isArray(parsed)) problem('param "any_of" needs a list as reference')
    if (candidates.length === 0) problem("the reference is an empty list, which nothing can match")
    const exact = options.mode === "exact"
    const rules = { exact, coerceNumbers: options.coerce_numbers, ignoreKeys: new Set(options.ignore_keys) }
    const kind = kindOf(candidates[0])

    return (output) => {
      const extracted = extractJson(output, kind)
      if (!extracted.found) return Score.make(0, { reason: extracted.reason })
      let best: JsonComparison | undefined
      for (const candidate of candidates) {
        const comparison = compareJson(candidate, extracted.value, rules)
        if (best === undefined || shareOf(comparison) > shareOf(best)) best = comparison
      }
      if (best === undefined) return Score.make(0)
      const share = shareOf(best)
      const score = exact && share < 1 ? 0 : share
      return Score.make(score, {
        passed: score >= (exact ? 1 : options.threshold - 1e-9),
        reason: best.notes.join("; "),
        ...(best.mismatched.length === 0 ? {} : { detail: { mismatched: best.mismatched } })
      })
    }
  }
})
