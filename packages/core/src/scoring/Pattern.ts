import * as Result from "effect/Result"
import { costOf, type PatternCost, stepsAtMost } from "./PatternSafety.ts"
import type { PatternToken } from "./PatternToken.ts"
import { tokenise } from "./PatternTokens.ts"

/** A pattern that compiles, in JavaScript's dialect with the `v` flag. */
export interface Pattern {
  /** As the author wrote it. */
  readonly written: string
  readonly source: string
  readonly flags: string
  readonly regex: RegExp
  /** Number of capturing groups. */
  readonly groups: number
  readonly cost: PatternCost | null
}

const maxLength = 10_000

const problemOf = (cause: unknown): string => {
  const message = cause instanceof Error ? cause.message : String(cause)
  // V8 repeats the translated pattern before the reason, which the author has never seen.
  return message.slice(message.lastIndexOf(": ") + 2).toLowerCase()
}

const countGroups = (tokens: ReadonlyArray<PatternToken>): number =>
  tokens.reduce((sum, token) => sum + (token._tag === "Open" && token.captures ? 1 : 0), 0)

/**
 * Compiles a pattern in the dialect of JavaScript, Python or PCRE as far as they agree.
 *
 * Translated: `(?i)`, `(?m)`, `(?s)` at the beginning, `(?P<name>…)`, `(?P=name)`, `(?#…)`, `\A`, `\Z`, `\z`, `\h`, `{,n}`,
 * escaped punctuation, literal braces. `\w`, `\d`, `\b` know all scripts; `.` is anything but a line feed; `$` also
 * matches before a final line break. Fails with the reason.
 */
export const compilePattern = (
  written: string,
  options: { readonly caseSensitive: boolean; readonly multiline: boolean }
): Result.Result<Pattern, string> => {
  if (written.length > maxLength) return Result.fail(`it is longer than ${maxLength} characters`)
  const read = tokenise(written, {
    ignoreCase: !options.caseSensitive,
    multiline: options.multiline,
    dotAll: options.multiline
  })
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const { tokens, flags } = read.success
  const source = tokens.map((token) => token.out).join("")
  const letters = `${flags.ignoreCase ? "i" : ""}${flags.multiline ? "m" : ""}${flags.dotAll ? "s" : ""}v`
  try {
    const regex = new RegExp(source, letters)
    return Result.succeed({ written, source, flags: letters, regex, groups: countGroups(tokens), cost: costOf(tokens) })
  } catch (cause) {
    return Result.fail(problemOf(cause))
  }
}

const safeSteps = 1_000_000

/** Whether matching this text in place is bounded by a few milliseconds, whatever the text says. */
export const isSafeOn = (pattern: Pattern, text: string): boolean =>
  pattern.cost !== null && stepsAtMost(pattern.cost, text.length) <= safeSteps
