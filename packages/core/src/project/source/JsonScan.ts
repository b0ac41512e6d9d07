/** Walks over JSON text without making values: where things stand, and where the text stops being JSON. */
import type { Path } from "./Path.ts"
import { maxDepth } from "./SourceTree.ts"

/** Where a text stops being JSON, and what should stand there. */
export interface JsonFault {
  readonly offset: number
  readonly message: string
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/** A comma or a closing bracket: what ends a number or a word. */
const isEnd = (code: number): boolean => code === 0x2c || code === 0x5d || code === 0x7d

const skipSpace = (text: string, from: number): number => {
  let at = from
  while (at < text.length && isSpace(text.charCodeAt(at))) at++
  return at
}

/** The end of the string that begins at `from`, behind its closing quote; the text's end when it is not closed. */
const skipString = (text: string, from: number): number => {
  for (let at = from + 1; ; ) {
    const quote = text.indexOf('"', at)
    if (quote === -1) return text.length
    let backslashes = 0
    while (text.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes++
    if (backslashes % 2 === 0) return quote + 1
    at = quote + 1
  }
}

/** The end of the value that begins at `from`. For text that is valid JSON. */
const skipValue = (text: string, from: number): number => {
  let depth = 0
  let at = from
  do {
    const character = text[at]
    if (character === '"') at = skipString(text, at)
    else if (character === "{" || character === "[") {
      depth++
      at++
    } else if (character === "}" || character === "]") {
      depth--
      at++
    } else if (depth > 0) at++
    else {
      while (at < text.length && !isSpace(text.charCodeAt(at)) && !isEnd(text.charCodeAt(at))) at++
      return at
    }
  } while (depth > 0 && at < text.length)
  return at
}

/** Nesting and number of keys of a JSON text, in one pass. */
export const measure = (text: string): { readonly depth: number; readonly keys: number; readonly deepAt: number } => {
  let depth = 0
  let deepest = 0
  let deepAt = 0
  let keys = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) at = skipString(text, at) - 1
    else if (code === 0x3a) keys++
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > deepest) deepest = depth
      if (depth === maxDepth + 1) deepAt = at
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return { depth: deepest, keys, deepAt }
}

/** One member of an object, or one item of an array (then without `key`). */
export interface Member {
  readonly key: string | null
  readonly keyOffset: number
  readonly valueOffset: number
}

/** The members of the array or object that begins at `from`. For text that is valid JSON. */
export function* members(text: string, from: number): Generator<Member> {
  const object = text[from] === "{"
  if (!object && text[from] !== "[") return
  let at = skipSpace(text, from + 1)
  while (at < text.length && text[at] !== "}" && text[at] !== "]") {
    const keyOffset = at
    let key: string | null = null
    if (object) {
      const end = skipString(text, at)
      const written = text.slice(at + 1, end - 1)
      key = written.includes("\\") ? String(JSON.parse(`"${written}"`)) : written
      at = skipSpace(text, skipSpace(text, end) + 1)
    }
    yield { key, keyOffset, valueOffset: at }
    at = skipSpace(text, skipValue(text, at))
    if (text[at] === ",") at = skipSpace(text, at + 1)
  }
}

/** Where the value at `path` and its key begin, following `path` as far as it exists. */
export const locate = (text: string, path: Path, from = 0): { readonly key: number; readonly value: number } => {
  let place = { key: skipSpace(text, from), value: skipSpace(text, from) }
  for (const part of path) {
    let found: Member | undefined
    let index = 0
    for (const member of members(text, place.value)) {
      if (member.key === part || (member.key === null && index === part)) found = member
      if (found !== undefined && member.key === null) break
      index++
    }
    if (found === undefined) return { key: place.value, value: place.value }
    place = { key: found.keyOffset, value: found.valueOffset }
  }
  return place
}

/** The first key that its object has twice. For text that is valid JSON. */
export const duplicate = (
  text: string
): { readonly key: string; readonly first: number; readonly second: number } | null => {
  const open: Array<number> = [skipSpace(text, 0)]
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    const seen = new Map<string, number>()
    for (const { key, keyOffset, valueOffset } of members(text, from)) {
      const first = key === null ? undefined : seen.get(key)
      if (key !== null && first !== undefined) return { key, first, second: keyOffset }
      if (key !== null) seen.set(key, keyOffset)
      if (text[valueOffset] === "{" || text[valueOffset] === "[") open.push(valueOffset)
    }
  }
  return null
}

const word = /true|false|null/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/** The end of a match of a sticky pattern at `at`; -1 when there is none. */
const match = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : -1
}

/** The end of the string that begins at `from`, behind its closing quote; -1 when there is no well-formed string. */
const stringEnd = (text: string, from: number): number => {
  if (text[from] !== '"') return -1
  for (let at = from + 1; at < text.length; ) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return at + 1
    if (code < 0x20) return -1
    at = code === 0x5c ? match(escape, text, at) : at + 1
    if (at === -1) return -1
  }
  return -1
}

class Fault extends Error {
  readonly offset: number
  constructor(offset: number, expected: string, text: string) {
    super(`expected ${expected}, got ${offset >= text.length ? "the end of the text" : JSON.stringify(text[offset])}`)
    this.offset = offset
  }
}

const checkValue = (text: string, from: number): number => {
  const at = skipSpace(text, from)
  const opening = text[at]
  if (opening === "{" || opening === "[") return checkMembers(text, at, opening === "{")
  const pattern = opening === "t" || opening === "f" || opening === "n" ? word : number
  const end = opening === '"' ? stringEnd(text, at) : match(pattern, text, at)
  if (end !== -1) return end
  throw new Fault(at, opening === '"' ? 'a text that is closed with " and valid escapes' : "a value", text)
}

const checkMembers = (text: string, from: number, object: boolean): number => {
  const close = object ? "}" : "]"
  let at = skipSpace(text, from + 1)
  if (text[at] === close) return at + 1
  for (;;) {
    if (object) {
      const end = stringEnd(text, at)
      if (end === -1) throw new Fault(at, "a key in double quotes", text)
      at = skipSpace(text, end)
      if (text[at] !== ":") throw new Fault(at, '":"', text)
      at++
    }
    at = skipSpace(text, checkValue(text, at))
    if (text[at] === close) return at + 1
    if (text[at] !== ",") throw new Fault(at, `"," or "${close}"`, text)
    at = skipSpace(text, at + 1)
  }
}

/** Why a text is not JSON; null when it is. For text that is not nested too deeply (see `measure`). */
export const fault = (text: string): JsonFault | null => {
  try {
    const end = skipSpace(text, checkValue(text, 0))
    return end >= text.length ? null : { offset: end, message: "there is more after the end of the value" }
  } catch (error) {
    if (error instanceof Fault) return { offset: error.offset, message: error.message }
    throw error
  }
}
