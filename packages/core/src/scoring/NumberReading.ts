/** Numbers in running text: found, or refused when they can be read in two ways. Linear in the length of the text. */

import { unfence } from "./Fences.ts"
import { classify, type DecimalMark, type Reading } from "./NumberGrouping.ts"
import { foldTypography, stripSurroundingPunctuation } from "./TextNormalisation.ts"

/** A number as it stands in a text. */
export interface NumberToken {
  /** As written, sign and exponent included. */
  readonly text: string
  /** Null when it can be read in two ways; `problem` says which. */
  readonly value: number | null
  readonly problem: string
  readonly percent: boolean
}

/** First digits of the decimal digit blocks that answers are written in. */
const digitZeros = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0x1040,
  0x17e0, 0x1810
]
const ascii = /^[\0-\x7f]*$/

const foldDigit = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0
  const zero = digitZeros.find((first) => code >= first && code < first + 10)
  return zero === undefined ? digit : String(code - zero)
}

const foldDigits = (text: string): string =>
  ascii.test(text)
    ? text
    : foldTypography(text)
        .replace(/\p{Nd}/gu, foldDigit)
        .replaceAll("\u066b", ".")
        .replaceAll("\u066c", "'")
        .replaceAll("\u066a", "%")

const run = /\.?\d+(?:[.,'_\u00a0\u202f\u2009]\d+)*/g
/** Groups of three set apart by a plain space, which also sets apart two numbers. */
const spacedGroups = /\d{1,3}(?: \d{3})+(?:[.,]\d+)?(?!\d)/y
const exponent = /[eE]([+-]?\d+)(?![\p{L}\d])/uy
const timesTen = /[ \u00a0]?(?:[×xX*·⋅]|\\times|\\cdot)[ \u00a0]?10(?=[*^⁺⁻⁰¹²³⁴-⁹])/y
const power = /(?:\^|\*\*)(?:([+-]?\d+)|\{([+-]?\d+)\}|\(([+-]?\d+)\))|([⁺⁻]?[⁰¹²³⁴-⁹]+)/y
const percentSign = /[ \u00a0\u202f]?%/y
const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹"

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const superscriptValue = (text: string): string =>
  Array.from(text, (char) => (char === "⁻" ? "-" : char === "⁺" ? "" : String(superscripts.indexOf(char)))).join("")

const powerAt = (text: string, at: number): { readonly exponent: string; readonly end: number } | null => {
  const found = matchAt(power, text, at)
  if (found === null) return null
  const written = found[1] ?? found[2] ?? found[3] ?? superscriptValue(found[4] ?? "")
  return { exponent: written, end: at + found[0].length }
}

interface Mantissa {
  readonly reading: Reading
  readonly start: number
  readonly end: number
}

interface Tail {
  readonly end: number
  readonly exponent: string
  /** The mantissa is the base of a power that is not evaluated, or the ten of a bare power. */
  readonly base: "none" | "ten" | "other"
}

/** An exponent after a mantissa: `e5`, `× 10^5`, or a power of the mantissa itself. */
const tailAt = (text: string, mantissa: string, at: number): Tail => {
  const e = matchAt(exponent, text, at)
  if (e !== null) return { end: at + e[0].length, exponent: e[1] ?? "0", base: "none" }
  const times = matchAt(timesTen, text, at)
  const scientific = times === null ? null : powerAt(text, at + times[0].length)
  if (scientific !== null) return { ...scientific, base: "none" }
  const own = powerAt(text, at)
  if (own !== null) return { ...own, base: mantissa === "10" ? "ten" : "other" }
  return { end: at, exponent: "", base: "none" }
}

const currency = /^\p{Sc}$/u
const noSignAfter = /^[\p{L}\p{N}%)\]}-]$/u

/** Whether the number that begins at `start` is negative, and where it begins with its sign. */
const signBefore = (text: string, start: number): { readonly negative: boolean; readonly start: number } => {
  let at = start - 1
  if (at >= 0 && currency.test(text.charAt(at))) at -= 1
  const char = text.charAt(at)
  if (char === "+") return { negative: false, start: at }
  if (char !== "-" || noSignAfter.test(text.charAt(at - 1))) return { negative: false, start }
  return { negative: true, start: at }
}

const finish = (text: string, mantissa: Mantissa, percentAllowed: boolean): { token: NumberToken; end: number } => {
  const { reading } = mantissa
  const tail = tailAt(text, reading.digits, mantissa.end)
  const sign = signBefore(text, mantissa.start)
  const percent = percentAllowed ? matchAt(percentSign, text, tail.end) : null
  const digits = tail.base === "ten" ? "1" : reading.digits
  const magnitude = Number(tail.exponent === "" ? digits : `${digits}e${tail.exponent}`)
  const problem =
    tail.base === "other"
      ? "powers are not evaluated"
      : Number.isFinite(magnitude)
        ? reading.problem
        : "it is too large"
  return {
    token: {
      text: text.slice(sign.start, tail.end),
      value: problem === "" ? (sign.negative ? -magnitude : magnitude) : null,
      problem,
      percent: percent !== null
    },
    end: tail.end
  }
}

/** Whether a leading dot is a decimal point: nothing that a sentence or a name could end with stands before it. */
const isDecimalDot = (text: string, at: number): boolean => !/^[\p{L}\p{N}.)\]]$/u.test(text.charAt(at - 1))

/** Cuts the runs of digits and marks out of the text and reads each. */
const tokensAt = (text: string, start: number, written: string, decimal: DecimalMark) => {
  const dotted = written.startsWith(".")
  const offset = dotted && !isDecimalDot(text, start) ? 1 : 0
  const readings = classify(written.slice(offset), decimal)
  const tokens: Array<NumberToken> = []
  let end = start + written.length
  for (const [index, reading] of readings.entries()) {
    const from = start + offset + reading.from
    const finished = finish(text, { reading, start: from, end: start + offset + reading.to }, true)
    tokens.push(finished.token)
    if (index === readings.length - 1) end = Math.max(end, finished.end)
  }
  return { tokens, end }
}

/**
 * All numbers of a text in order. Thousands separators are understood; what can be read in two ways is a token without
 * a value. Dotted versions and addresses (`1.2.3`) are no numbers.
 */
export const readNumbers = (text: string, decimal: DecimalMark = "auto"): ReadonlyArray<NumberToken> => {
  const folded = foldDigits(text)
  const tokens: Array<NumberToken> = []
  run.lastIndex = 0
  let found = run.exec(folded)
  while (found !== null) {
    const spaced = matchAt(spacedGroups, folded, found.index)
    let end: number
    if (spaced !== null && found[0].length <= spaced[0].length && !found[0].startsWith(".")) {
      const problem = "a space may separate thousands or two numbers"
      tokens.push({ text: spaced[0], value: null, problem, percent: false })
      end = found.index + spaced[0].length
    } else {
      const read = tokensAt(folded, found.index, found[0], decimal)
      for (const token of read.tokens) tokens.push(token)
      end = read.end
    }
    run.lastIndex = end
    found = run.exec(folded)
  }
  return tokens
}

const spacedWhole = /^[+-]?\p{Sc}? ?\d{1,3}(?: \d{3})+(?:[.,]\d+)? ?(?:\p{Sc}|%|\p{Lu}{3})?$/u

/**
 * The numbers of an answer. In an answer that is nothing but one number, plain spaces are thousands separators.
 */
export const readAnswer = (text: string, decimal: DecimalMark = "auto"): ReadonlyArray<NumberToken> => {
  const core = stripSurroundingPunctuation(foldDigits(unfence(text)))
  return core.length <= 200 && spacedWhole.test(core)
    ? readNumbers(core.replace(/(?<=\d) (?=\d)/g, "\u202f"), decimal)
    : readNumbers(text, decimal)
}

const wholePattern = /^[+-]?\p{Sc}?[\d.,'_\u00a0\u202f\u2009 eE+-]*\d\s?(?:\p{Sc}|%)?$/u

/** The value of a text that is one number and nothing else; null otherwise. Percent signs are ignored. */
export const wholeNumber = (text: string, decimal: DecimalMark = "auto"): number | null => {
  const core = stripSurroundingPunctuation(foldDigits(text))
  if (core.length > 400 || !wholePattern.test(core)) return null
  const tokens = readAnswer(core, decimal)
  return tokens.length === 1 ? (tokens[0]?.value ?? null) : null
}
