import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Score from "../domain/Score.ts"
import { ScorerError } from "../domain/ScorerError.ts"
import { define } from "./BuiltinScorer.ts"
import { compilePattern, isSafeOn, type Pattern } from "./Pattern.ts"
import { textAlternatives } from "./References.ts"
import { matchInWorker, type RegexMatch } from "./RegexWorker.ts"
import { flag, quantity, scalar, text } from "./ScorerParams.ts"
import { defaultNormalisation, normaliseAnswer, quote } from "./TextNormalisation.ts"

const name = "regex"

const matchInPlace = (pattern: Pattern, output: string): RegexMatch => {
  const found = pattern.regex.exec(output)
  return found === null ? null : { captured: (pattern.groups > 0 ? found[1] : found[0]) ?? null }
}

const matchApart = (pattern: Pattern, output: string, limitS: number): Effect.Effect<RegexMatch, ScorerError> => {
  const { source, flags } = pattern
  const fail = (detail: string) =>
    Effect.fail(new ScorerError({ scorer: name, detail: `pattern ${quote(pattern.written)} ${detail}` }))
  return Effect.flatMap(matchInWorker({ source, flags, text: output, limitMs: limitS * 1_000 }), (outcome) => {
    switch (outcome._tag) {
      case "Matched":
        return Effect.succeed(outcome.match)
      case "TimedOut":
        return fail(
          `was stopped after ${limitS} s: it backtracks without end on this answer; make its repeated parts unambiguous`
        )
      case "Failed":
        return fail(`failed: ${outcome.detail}`)
    }
  })
}

const compileAll = (
  patterns: ReadonlyArray<string>,
  options: { readonly caseSensitive: boolean; readonly multiline: boolean },
  problem: (text: string) => void
): ReadonlyArray<Pattern> =>
  patterns.flatMap((written) => {
    const compiled = compilePattern(written, options)
    if (Result.isSuccess(compiled)) return [compiled.success]
    problem(`pattern ${quote(written)} does not compile: ${compiled.failure}`)
    return []
  })

/** `regex`: the pattern matches somewhere in the answer, and captures what it should. */
export const regex = define({
  name,
  description: "A regular expression matches somewhere in the answer.",
  requiresReference: false,
  params: {
    pattern: text("The pattern; without it the reference is the pattern."),
    case_sensitive: flag(false, "Whether upper and lower case differ."),
    multiline: flag(false, "Whether ^ and $ match at line breaks and . matches them."),
    expect_group: scalar("What group 1 (or the whole match) must be, compared as by exact_match."),
    expect_reference: flag(false, "Whether group 1 (or the whole match) must be the reference; needs pattern."),
    timeout_s: quantity(1, { minimum: 0.01, maximum: 60 }, "Seconds after which a match is given up.")
  },
  prepare: ({ options, reference, problem }) => {
    if (options.pattern === null && reference === undefined) problem('the case has no reference and no param "pattern"')
    if (options.expect_reference && (options.pattern === null || reference === undefined)) {
      problem('param "expect_reference" needs a reference and a param "pattern"')
    }
    if (options.expect_reference && options.expect_group !== null) {
      problem('params "expect_reference" and "expect_group" exclude each other')
    }
    const written =
      options.pattern !== null ? [options.pattern] : reference === undefined ? [] : textAlternatives(reference, problem)
    const dialect = { caseSensitive: options.case_sensitive, multiline: options.multiline }
    const patterns = compileAll(written, dialect, problem)
    const wanted =
      options.expect_group !== null
        ? [options.expect_group]
        : options.expect_reference
          ? textAlternatives(reference, problem)
          : null
    const normalise = { ...defaultNormalisation, caseSensitive: options.case_sensitive }
    const accepted = wanted === null ? null : new Set(wanted.map((item) => normaliseAnswer(item, normalise)))
    const missed = Score.make(0, { reason: `no match for ${written.slice(0, 5).map(quote).join(", ")}` })

    const judged = (match: RegexMatch): Score.Score => {
      if (match === null) return missed
      if (accepted === null || wanted === null) return Score.make(1)
      const detail = { captured: match.captured }
      if (match.captured !== null && accepted.has(normaliseAnswer(match.captured, normalise)))
        return Score.make(1, { detail })
      const got = match.captured === null ? "nothing" : quote(match.captured)
      return Score.make(0, { detail, reason: `expected to capture ${wanted.map(quote).join(" or ")}; got ${got}` })
    }

    const inWorker = Effect.fnUntraced(function* (output: string) {
      let best = missed
      for (const pattern of patterns) {
        const match = isSafeOn(pattern, output)
          ? matchInPlace(pattern, output)
          : yield* matchApart(pattern, output, options.timeout_s)
        const score = judged(match)
        if (score.passed === true) return score
        if (match !== null) best = score
      }
      return best
    })

    return (output) => {
      for (const pattern of patterns) if (!isSafeOn(pattern, output)) return inWorker(output)
      let best = missed
      for (const pattern of patterns) {
        const match = matchInPlace(pattern, output)
        const score = judged(match)
        if (score.passed === true) return score
        if (match !== null) best = score
      }
      return best
    }
  }
})
