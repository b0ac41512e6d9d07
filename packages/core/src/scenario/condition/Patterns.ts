import * as Result from "effect/Result"
import { compilePattern, isSafeOn, type Pattern } from "../../scoring/Pattern.ts"
import { Fault } from "./Compared.ts"

/** Patterns are few and written by authors; each is compiled once. */
const compiled = new Map<string, Result.Result<Pattern, string>>()

const flagNames: Readonly<Record<string, "i" | "m" | "s">> = {
  IGNORECASE: "i",
  I: "i",
  MULTILINE: "m",
  M: "m",
  DOTALL: "s",
  S: "s"
}

const prefixOf = (flags: ReadonlyArray<string>): string => {
  const letters = [...new Set(flags.flatMap((flag) => flagNames[flag.replace(/^re\./, "").toUpperCase()] ?? []))]
  return letters.length === 0 ? "" : `(?${letters.join("")})`
}

/** The pattern compiled, or why it cannot be. */
export const patternOf = (written: string, flags: ReadonlyArray<string> = []): Result.Result<Pattern, string> => {
  const source = prefixOf(flags) + written
  const known = compiled.get(source)
  if (known !== undefined) return known
  const made = compilePattern(source, { caseSensitive: true, multiline: false })
  if (compiled.size < 1_000) compiled.set(source, made)
  return made
}

/** All matches of a pattern in a text; a fault when the pattern is broken or could run for too long on this text. */
export const matchesOf = (
  written: string,
  flags: ReadonlyArray<string>,
  text: string
): ReadonlyArray<RegExpExecArray> | Fault => {
  const pattern = patternOf(written, flags)
  if (Result.isFailure(pattern))
    return new Fault(`the pattern ${JSON.stringify(written)} is broken: ${pattern.failure}`)
  if (!isSafeOn(pattern.success, text)) {
    return new Fault(`the pattern ${JSON.stringify(written)} could run for too long on a text of ${text.length}`)
  }
  const { source, flags: own } = pattern.success
  return [...text.matchAll(new RegExp(source, `${own}g`))]
}

/** Whether a pattern occurs in a text. */
export const occursIn = (written: string, flags: ReadonlyArray<string>, text: string): boolean | Fault => {
  const pattern = patternOf(written, flags)
  if (Result.isSuccess(pattern) && isSafeOn(pattern.success, text)) return pattern.success.regex.test(text)
  const found = matchesOf(written, flags, text)
  return found instanceof Fault ? found : found.length > 0
}
