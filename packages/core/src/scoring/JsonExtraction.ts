import { fencedBlocks } from "./Fences.ts"
import { recogniseAt } from "./JsonRecogniser.ts"

/** Which kind of value is looked for; `scalar` is only found when it is the whole text or a whole fenced block. */
export type JsonKind = "object" | "array" | "scalar"

/** JSON found in a text, or why there is none. `work` = characters looked at, for the bound. */
export type JsonExtraction =
  | { readonly found: true; readonly value: unknown; readonly work: number }
  | { readonly found: false; readonly reason: string; readonly work: number }

/** Characters that a search may look at per character of the text; more only happens on hostile text. */
export const workPerCharacter = 8
const freeWork = 4_096

export const kindOf = (value: unknown): JsonKind =>
  Array.isArray(value) ? "array" : typeof value === "object" && value !== null ? "object" : "scalar"

const parse = (text: string): { readonly value: unknown } | null => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return null
  }
}

/** How JSON texts begin, so that prose is not given to the parser: its exceptions are slow. */
const beginsLikeJson = /^\s*(?:[[{"\-0-9]|true|false|null)/

type Found = { readonly start: number; readonly end: number } | null

interface Search {
  /** The first value of the wanted kind, else the first of the other kind. */
  readonly found: Found
  readonly work: number
  readonly exhausted: boolean
  /** Where the attempt that came farthest broke; -1 = nothing looked like JSON. */
  readonly brokeAt: number
}

/**
 * Looks for objects and arrays from left to right. A place that is known to fail (it was open when an attempt broke) or
 * to be complete (it was closed before) is not read again, and what is read again, brackets inside strings, has a budget.
 */
const search = (text: string, wanted: "object" | "array"): Search => {
  const budget = text.length * workPerCharacter + freeWork
  const wantedCode = wanted === "object" ? 123 : 91
  const dead = new Uint8Array(text.length)
  const complete = new Map<number, number>()
  let fallback: Found = null
  let work = 0
  let brokeAt = -1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if ((code !== 123 && code !== 91) || dead[at] === 1) continue
    let end = complete.get(at) ?? -1
    if (end === -1) {
      if (work > budget) return { found: fallback, work, exhausted: true, brokeAt }
      const read = recogniseAt(text, at)
      work += read.stoppedAt - at + 1
      end = read.end
      if (end === -1) {
        for (const start of read.open) dead[start] = 1
        for (const [start, stop] of read.complete) complete.set(start, stop)
        brokeAt = Math.max(brokeAt, read.stoppedAt)
        continue
      }
    }
    if (code === wantedCode) return { found: { start: at, end }, work, exhausted: false, brokeAt }
    fallback ??= { start: at, end }
    at = end - 1
  }
  return { found: fallback, work, exhausted: false, brokeAt }
}

const whyNot = (text: string, result: Search): string => {
  if (result.exhausted) return "no JSON was found before the search gave up: too many brackets inside strings"
  if (result.brokeAt === -1) return "the answer contains no JSON object or array"
  const breaks =
    result.brokeAt >= text.length
      ? "is cut off"
      : `breaks at ${JSON.stringify(text.slice(result.brokeAt, result.brokeAt + 12))}`
  return `the JSON in the answer is not valid: it ${breaks}`
}

const searchIn = (text: string, kind: "object" | "array"): JsonExtraction => {
  const result = search(text, kind)
  const value = result.found === null ? null : parse(text.slice(result.found.start, result.found.end))
  return value === null
    ? { found: false, reason: whyNot(text, result), work: result.work }
    : { found: true, value: value.value, work: result.work }
}

/**
 * JSON in an answer: the whole text, else the first fenced block that holds JSON, else the first object or array in the
 * text, brackets matched and strings respected. A value of the wanted kind is preferred over one of another kind, so
 * that a citation such as `[1]` does not hide an object. Strict: no comments, no trailing commas, no `True`, `None` or
 * `NaN`. Linear in the length of the text, whatever it contains.
 */
export const extractJson = (text: string, kind: JsonKind): JsonExtraction => {
  const trimmed = text.trim()
  if (beginsLikeJson.test(trimmed)) {
    const whole = parse(trimmed)
    if (whole !== null) return { found: true, value: whole.value, work: trimmed.length }
  }
  let work = 0
  let other: JsonExtraction | null = null
  for (const block of fencedBlocks(text)) {
    const whole = beginsLikeJson.test(block.body) ? parse(block.body) : null
    work += block.body.length
    if (whole !== null) {
      if (kindOf(whole.value) === kind) return { found: true, value: whole.value, work }
      other ??= { found: true, value: whole.value, work }
    }
  }
  if (kind === "scalar") return other ?? { found: false, reason: "the answer is not a single JSON value", work }
  const inText = searchIn(text, kind)
  work += inText.work
  if (inText.found && (kindOf(inText.value) === kind || other === null)) return { ...inText, work }
  return other ?? { ...inText, work }
}
