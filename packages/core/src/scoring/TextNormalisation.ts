/**
 * When two texts are the same answer. Everything here is linear in the length of the text.
 *
 * Unicode is composed (NFC), not compatibility-decomposed: NFKC would turn "10²" into "102". Only variants of width and
 * typography are folded: full-width forms, curly quotes, dashes and the minus sign, invisible characters.
 */
import { unfence } from "./Fences.ts"

const ascii = /^[\0-\x7f]*$/

const invisible = /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g
const widthVariants = /[\uff00-\uffef]+/g
const singleQuotes = /[\u2018\u2019\u201a\u201b\u02bc]/g
const doubleQuotes = /[\u201c\u201d\u201e\u201f]/g
const dashes = /[\u2010-\u2015\u2212]/g

/** Folds what is only a matter of typing: composition, width, quotes, dashes, invisible characters. */
export const foldTypography = (text: string): string =>
  ascii.test(text)
    ? text
    : text
        .normalize("NFC")
        .replace(invisible, "")
        .replace(widthVariants, (run) => run.normalize("NFKC"))
        .replace(singleQuotes, "'")
        .replace(doubleQuotes, '"')
        .replace(dashes, "-")

/** Folds case independently of the locale; "Straße" equals "STRASSE", a final sigma equals any other. */
export const foldCase = (text: string): string => {
  const lower = text.toLowerCase()
  return ascii.test(lower) ? lower : lower.replaceAll("ß", "ss").replaceAll("ς", "σ")
}

/** Runs of white space become one space, at both ends none. */
export const collapseWhitespace = (text: string): string => text.trim().replace(/\s+/g, " ")

const isDigit = (code: number): boolean => code >= 48 && code <= 57

const strippableAscii = new Set(Array.from("!\"'()*,-.:;?[]_`{}", (char) => char.charCodeAt(0)))
const keptPunctuation = new Set(["‰", "‱", "٪", "§"])
const punctuation = /^\p{P}$/u
const currency = /^\p{Sc}/u
const space = /^\s$/

const isStrippable = (char: string): boolean => {
  const code = char.charCodeAt(0)
  if (code < 128) return strippableAscii.has(code)
  return punctuation.test(char) && !keptPunctuation.has(char)
}

/** A minus or decimal point that belongs to the number after it. */
const belongsToNumber = (text: string, at: number): boolean => {
  const char = text[at]
  const next = text.charCodeAt(at + 1)
  if (char === ".") return isDigit(next) && text[at - 1] !== "."
  if (char !== "-") return false
  return (
    isDigit(next) ||
    (text[at + 1] === "." && isDigit(text.charCodeAt(at + 2))) ||
    currency.test(text.slice(at + 1, at + 3))
  )
}

const headingEnd = /^\s*#{1,6}\s/

/** The character that begins at or ends before an index, surrogate pairs kept whole. */
const charFrom = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at) ?? 0)
const charBefore = (text: string, end: number): string => {
  const low = text.charCodeAt(end - 1)
  const paired = low >= 0xdc00 && low <= 0xdfff && end >= 2
  const code = paired ? (text.codePointAt(end - 2) ?? 0) : low
  return code > 0xffff ? String.fromCodePoint(code) : text.charAt(end - 1)
}

/**
 * Removes punctuation around a text, never inside it. A sign or decimal point next to a digit stays, and so do
 * `# $ % & + / < = > @ \ ^ | ~`, which change what is said. A text of nothing but punctuation stays as it is.
 */
export const stripSurroundingPunctuation = (text: string): string => {
  let start = headingEnd.exec(text.slice(0, 64))?.[0].length ?? 0
  let end = text.length
  while (start < end) {
    const char = charFrom(text, start)
    if (!space.test(char) && (!isStrippable(char) || belongsToNumber(text, start))) break
    start += char.length
  }
  while (end > start) {
    const char = charBefore(text, end)
    if (!space.test(char) && (!isStrippable(char) || (char === "-" && isDigit(text.charCodeAt(end - 2))))) break
    end -= char.length
  }
  return start < end ? text.slice(start, end) : text.trim()
}

/** What of a text does not count when it is compared. */
export interface NormaliseOptions {
  readonly caseSensitive: boolean
  readonly stripPunctuation: boolean
  readonly collapseWhitespace: boolean
}

export const defaultNormalisation: NormaliseOptions = {
  caseSensitive: false,
  stripPunctuation: true,
  collapseWhitespace: true
}

/** The form in which two answers are compared: unfenced, folded, stripped. */
export const normaliseAnswer = (text: string, options: NormaliseOptions = defaultNormalisation): string => {
  let result = foldTypography(unfence(text))
  if (options.stripPunctuation) result = stripSurroundingPunctuation(result)
  if (!options.caseSensitive) result = foldCase(result)
  return options.collapseWhitespace ? collapseWhitespace(result) : result.trim()
}

/** Folded for searching in it: typography, case unless it counts, runs of white space. */
export const foldForSearch = (text: string, caseSensitive: boolean): string => {
  const folded = foldTypography(text)
  return collapseWhitespace(caseSensitive ? folded : foldCase(folded))
}

const excerptLength = 80

/** A text quoted for a reason: bounded, on one line. */
export const quote = (text: string): string => {
  if (text.length <= excerptLength) return JSON.stringify(text)
  return JSON.stringify(`${text.slice(0, excerptLength).replace(/[\ud800-\udbff]$/, "")}…`)
}
