/** Escapes and character classes of patterns. `\w`, `\d` and `\b` know all scripts, as answers are written in any. */
import * as Result from "effect/Result"
import type { PatternToken } from "./PatternToken.ts"

interface Step {
  readonly token: PatternToken
  readonly end: number
}

const word = "\\p{L}\\p{M}\\p{N}_"
const boundary = `(?:(?<=[${word}])(?![${word}])|(?<![${word}])(?=[${word}]))`
const noBoundary = `(?:(?<=[${word}])(?=[${word}])|(?<![${word}])(?![${word}]))`

/** Escapes that mean the same inside and outside of a class, as members of a class. */
const sets: ReadonlyMap<string, string> = new Map([
  ["d", "\\p{Nd}"],
  ["D", "\\P{Nd}"],
  ["w", word],
  ["W", `[^${word}]`],
  ["s", "\\s"],
  ["S", "\\S"],
  ["h", "\\t\\p{Zs}"]
])

const characters: ReadonlyMap<string, string> = new Map([
  ["n", "\\n"],
  ["r", "\\r"],
  ["t", "\\t"],
  ["f", "\\f"],
  ["v", "\\v"],
  ["a", "\\x07"],
  ["e", "\\x1b"]
])

const assertions: ReadonlyMap<string, string> = new Map([
  ["b", boundary],
  ["B", noBoundary],
  ["A", "(?<![\\s\\S])"],
  ["Z", "(?![\\s\\S])"],
  ["z", "(?![\\s\\S])"]
])

const coded = /\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,6}\}|c[a-zA-Z]|0(?!\d))/y
const longCode = /\\U([0-9a-fA-F]{8})/y
const property = /\\[pP]\{[\w=]+\}/y
const numbered = /\\([1-9]\d?)/y
const named = /\\k<([A-Za-z_]\w*)>/y

const matchAt = (pattern: RegExp, text: string, at: number): string | null => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? null
}

interface Member {
  readonly out: string
  readonly end: number
  /** One character, so that it may begin or end a range. */
  readonly single: boolean
}

const member = (out: string, end: number, single: boolean): Result.Result<Member, string> =>
  Result.succeed({ out, end, single })

const literal = (char: string): string =>
  /^[\x20-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]$/.test(char) ? `\\x${char.charCodeAt(0).toString(16)}` : char

/** An escape that stands for characters. */
const escapedMember = (pattern: string, at: number): Result.Result<Member, string> => {
  const letter = String.fromCodePoint(pattern.codePointAt(at + 1) ?? 0)
  if (at + 1 >= pattern.length) return Result.fail("it ends with a lone backslash")
  const set = sets.get(letter)
  if (set !== undefined) return member(set, at + 2, false)
  const character = characters.get(letter)
  if (character !== undefined) return member(character, at + 2, true)
  const code = matchAt(coded, pattern, at)
  if (code !== null) return member(code, at + code.length, true)
  const long = matchAt(longCode, pattern, at)
  if (long !== null) return member(`\\u{${long.slice(2).replace(/^0+(?=.)/, "")}}`, at + long.length, true)
  const unicode = matchAt(property, pattern, at)
  if (unicode !== null) return member(unicode, at + unicode.length, false)
  if (/^[A-Za-z0-9]$/.test(letter)) return Result.fail(`unknown escape "\\${letter}"`)
  return member(literal(letter), at + 1 + letter.length, true)
}

/** An escape outside of a class. */
export const escapeInText = (pattern: string, at: number): Result.Result<Step, string> => {
  const assertion = assertions.get(pattern.charAt(at + 1))
  if (assertion !== undefined) return Result.succeed({ token: { _tag: "Assertion", out: assertion }, end: at + 2 })
  const reference = matchAt(numbered, pattern, at) ?? matchAt(named, pattern, at)
  if (reference !== null) {
    // A digit after it must not become part of its number.
    const token = { _tag: "BackReference", out: `(?:${reference})` } as const
    return Result.succeed({ token, end: at + reference.length })
  }
  const read = escapedMember(pattern, at)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const { out, end, single } = read.success
  return Result.succeed({ token: { _tag: "Atom", out: single ? out : `[${out}]` }, end })
}

const classMember = (pattern: string, at: number): Result.Result<Member, string> => {
  if (pattern[at] === "\\") {
    return pattern[at + 1] === "b" ? member("\\x08", at + 2, true) : escapedMember(pattern, at)
  }
  if (pattern.startsWith("[:", at)) return Result.fail("POSIX classes such as [:alpha:] are not supported: use \\p{L}")
  const char = String.fromCodePoint(pattern.codePointAt(at) ?? 0)
  return member(literal(char), at + char.length, true)
}

/** A character class; set operations of the `v` flag are not part of the dialect. */
export const readClass = (pattern: string, start: number): Result.Result<Step, string> => {
  const negated = pattern[start + 1] === "^"
  let at = start + (negated ? 2 : 1)
  if (pattern[at] === "]") {
    return Result.fail(
      `"${pattern.slice(start, at + 1)}" means different things in different dialects: write \\] for a bracket, [\\s\\S] for any character`
    )
  }
  let out = negated ? "[^" : "["
  while (at < pattern.length && pattern[at] !== "]") {
    const first = classMember(pattern, at)
    if (Result.isFailure(first)) return Result.fail(first.failure)
    at = first.success.end
    out += first.success.out
    const isRange = first.success.single && pattern[at] === "-" && at + 1 < pattern.length && pattern[at + 1] !== "]"
    if (!isRange) continue
    const last = classMember(pattern, at + 1)
    if (Result.isFailure(last)) return Result.fail(last.failure)
    // A set cannot end a range: the hyphen is a hyphen.
    out += last.success.single ? `-${last.success.out}` : `\\x2d${last.success.out}`
    at = last.success.end
  }
  if (at >= pattern.length) return Result.fail("a character class is not closed")
  return Result.succeed({ token: { _tag: "Atom", out: `${out}]` }, end: at + 1 })
}
