/**
 * Reads a regular expression as people write it (JavaScript, Python, PCRE) into tokens of the JavaScript dialect with
 * the `v` flag. What cannot be carried over faithfully is refused, never approximated.
 */
import * as Result from "effect/Result"
import { escapeInText, readClass } from "./PatternClasses.ts"
import type { PatternToken } from "./PatternToken.ts"

/** Flags written in the pattern itself: `(?ims)` at its beginning. */
export interface InlineFlags {
  readonly ignoreCase: boolean
  readonly multiline: boolean
  readonly dotAll: boolean
}

export interface PatternTokens {
  readonly tokens: ReadonlyArray<PatternToken>
  readonly flags: InlineFlags
}

const leadingFlags = /^\(\?([a-zA-Z]+)\)/
const namedGroup = /\(\?P?<([A-Za-z_]\w*)>/y
const namedReference = /\(\?P=([A-Za-z_]\w*)\)/y
const look = /\(\?<?[=!]/y
const modifiers = /\(\?[ims]*(?:-[ims]+)?:/y
const counted = /\{(\d*)(,?)(\d*)\}/y
const unsupported: ReadonlyArray<readonly [string, string]> = [
  ["(?>", "atomic groups (?>…) are not supported"],
  ["(?|", "branch reset groups (?|…) are not supported"],
  ["(?(", "conditional groups (?(…)…) are not supported"],
  ["(?P>", "recursion (?P>…) is not supported"],
  ["(?R", "recursion (?R) is not supported"]
]

const refuse = (problem: string) => Result.fail(problem)

const readFlags = (letters: string): Result.Result<InlineFlags, string> => {
  for (const letter of letters) {
    if (letter === "x") return refuse("verbose patterns (?x) are not supported: remove the white space and comments")
    if (!"imsu".includes(letter)) return refuse(`the inline flag "${letter}" is not supported (known: i, m, s, u)`)
  }
  return Result.succeed({
    ignoreCase: letters.includes("i"),
    multiline: letters.includes("m"),
    dotAll: letters.includes("s")
  })
}

interface Step {
  readonly token: PatternToken | null
  readonly end: number
}

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const open = (out: string, end: number, captures: boolean, looks = false): Result.Result<Step, string> =>
  Result.succeed({ token: { _tag: "Open", out, captures, looks }, end })

const readGroup = (pattern: string, at: number): Result.Result<Step, string> => {
  if (pattern[at + 1] !== "?") return open("(", at + 1, true)
  const named = matchAt(namedGroup, pattern, at)
  if (named !== null) return open(`(?<${named[1]}>`, at + named[0].length, true)
  const looking = matchAt(look, pattern, at)
  if (looking !== null) return open(looking[0], at + looking[0].length, false, true)
  const reference = matchAt(namedReference, pattern, at)
  if (reference !== null) {
    return Result.succeed({
      token: { _tag: "BackReference", out: `\\k<${reference[1]}>` },
      end: at + reference[0].length
    })
  }
  const modified = matchAt(modifiers, pattern, at)
  if (modified !== null) return open(modified[0], at + modified[0].length, false)
  if (pattern.startsWith("(?#", at)) {
    const end = pattern.indexOf(")", at)
    return end === -1 ? refuse("a comment (?#…) is not closed") : Result.succeed({ token: null, end: end + 1 })
  }
  const known = unsupported.find(([prefix]) => pattern.startsWith(prefix, at))
  if (known !== undefined) return refuse(known[1])
  if (/^\(\?[a-zA-Z]+\)/.test(pattern.slice(at, at + 16))) return refuse("inline flags must stand at the beginning")
  return refuse(`unknown group ${JSON.stringify(pattern.slice(at, at + 4))}`)
}

const quantifier = (out: string, minimum: number, maximum: number, end: number, pattern: string) => {
  const next = pattern[end]
  if (next === "+") return refuse(`possessive quantifiers (${out}+) are not supported`)
  const lazy = next === "?" ? 1 : 0
  return Result.succeed({
    token: { _tag: "Quantifier", out: lazy === 1 ? `${out}?` : out, minimum, maximum } as const,
    end: end + lazy
  })
}

const readBrace = (pattern: string, at: number): Result.Result<Step, string> => {
  const found = matchAt(counted, pattern, at)
  const [written = "", from = "", comma = "", to = ""] = found ?? []
  if (found === null || (from === "" && to === "")) {
    return Result.succeed({ token: { _tag: "Atom", out: "\\{" }, end: at + 1 })
  }
  const minimum = from === "" ? 0 : Number(from)
  const maximum = comma === "" ? minimum : to === "" ? Number.POSITIVE_INFINITY : Number(to)
  if (maximum < minimum) return refuse(`the quantifier ${written} is out of order`)
  return quantifier(`{${minimum}${comma}${to}}`, minimum, maximum, at + written.length, pattern)
}

const readToken = (pattern: string, at: number, flags: InlineFlags): Result.Result<Step, string> => {
  const char = pattern.charAt(at)
  const simple = (token: PatternToken): Result.Result<Step, string> => Result.succeed({ token, end: at + 1 })
  switch (char) {
    case "\\":
      return escapeInText(pattern, at)
    case "[":
      return readClass(pattern, at)
    case "(":
      return readGroup(pattern, at)
    case ")":
      return simple({ _tag: "Close", out: ")" })
    case "|":
      return simple({ _tag: "Alternation", out: "|" })
    case "*":
      return quantifier("*", 0, Number.POSITIVE_INFINITY, at + 1, pattern)
    case "+":
      return quantifier("+", 1, Number.POSITIVE_INFINITY, at + 1, pattern)
    case "?":
      return quantifier("?", 0, 1, at + 1, pattern)
    case "{":
      return readBrace(pattern, at)
    case "}":
    case "]":
      return simple({ _tag: "Atom", out: `\\${char}` })
    case ".":
      return simple({ _tag: "Atom", out: flags.dotAll ? "." : "[^\\n]" })
    case "^":
      return simple({ _tag: "Assertion", out: "^" })
    case "$":
      return simple({ _tag: "Assertion", out: flags.multiline ? "$" : "(?=\\r?\\n?$)" })
    default: {
      const whole = String.fromCodePoint(pattern.codePointAt(at) ?? 0)
      return Result.succeed({ token: { _tag: "Atom", out: whole === "/" ? "\\/" : whole }, end: at + whole.length })
    }
  }
}

/** The tokens of a pattern, or why it cannot be used. `outer` are flags given beside the pattern. */
export const tokenise = (pattern: string, outer: InlineFlags): Result.Result<PatternTokens, string> => {
  const leading = leadingFlags.exec(pattern)
  const read = readFlags(leading?.[1] ?? "")
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const flags: InlineFlags = {
    ignoreCase: outer.ignoreCase || read.success.ignoreCase,
    multiline: outer.multiline || read.success.multiline,
    dotAll: outer.dotAll || read.success.dotAll
  }
  const tokens: Array<PatternToken> = []
  let at = leading?.[0].length ?? 0
  while (at < pattern.length) {
    const step = readToken(pattern, at, flags)
    if (Result.isFailure(step)) return Result.fail(step.failure)
    if (step.success.token !== null) tokens.push(step.success.token)
    at = step.success.end
  }
  return Result.succeed({ tokens, flags })
}
