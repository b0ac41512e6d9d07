import * as Score from "../domain/Score.ts"
import { define } from "./BuiltinScorer.ts"
import { textAlternatives } from "./References.ts"
import { flag } from "./ScorerParams.ts"
import { type NormaliseOptions, normaliseAnswer, quote } from "./TextNormalisation.ts"

const pass = Score.make(1)

/** `exact_match`: the answer is the reference, but for case, white space and punctuation around it. */
export const exactMatch = define({
  name: "exact_match",
  description: "The answer equals the reference; case, white space and surrounding punctuation do not count.",
  requiresReference: true,
  params: {
    case_sensitive: flag(false, "Whether upper and lower case differ."),
    strip_punctuation: flag(true, "Whether punctuation around the answer is ignored."),
    collapse_whitespace: flag(true, "Whether runs of white space count as one space.")
  },
  prepare: ({ options, reference, problem }) => {
    const normalise: NormaliseOptions = {
      caseSensitive: options.case_sensitive,
      stripPunctuation: options.strip_punctuation,
      collapseWhitespace: options.collapse_whitespace
    }
    const texts = textAlternatives(reference, problem)
    const accepted = new Set(texts.map((text) => normaliseAnswer(text, normalise)))
    const literal = new Set(texts)
    const shown = `expected ${texts.length > 1 ? "one of " : ""}${texts.slice(0, 5).map(quote).join(", ")}`
    return (output) => {
      if (literal.has(output) || accepted.has(normaliseAnswer(output, normalise))) return pass
      return Score.make(0, { reason: `${shown}; got ${quote(output.trim())}` })
    }
  }
})
