import { basename } from "node:path"
import * as JsonScan from "./JsonScan.ts"
import type { Path } from "./Path.ts"
import type { SourceText } from "./SourceText.ts"
import { maxDepth, type SourceTree, type SyntaxProblem } from "./SourceTree.ts"
import { quote } from "./Suggestion.ts"

/** Keys of all mappings in a value; -1 when one of them is `__proto__`. */
const countKeys = (value: unknown): number => {
  if (typeof value !== "object" || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) {
      const inner = countKeys(item)
      if (inner < 0) return -1
      count += inner
    }
    return count
  }
  for (const [key, item] of Object.entries(value)) {
    const inner = key === "__proto__" ? -1 : countKeys(item)
    if (inner < 0) return -1
    count += 1 + inner
  }
  return count
}

/** What is wrong with a JSON text, at an offset of it. */
export interface JsonProblem {
  readonly offset: number
  readonly message: string
  /** The duplicate's first definition. */
  readonly first?: number
}

/** Integers beyond 2^53 are kept as they are written: `JSON.parse` would change them. */
const exact = (_: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
    ? context?.source
    : value

/** `JSON.parse` with the reviver's third argument, which Node knows and the library of TypeScript does not. */
const parseExactly: (text: string, reviver: typeof exact) => unknown = JSON.parse

const parsed = (text: string): { readonly value: unknown } | null => {
  try {
    return { value: /\d{16}/.test(text) ? parseExactly(text, exact) : JSON.parse(text) }
  } catch {
    return null
  }
}

/** The value of a JSON text. Stricter than `JSON.parse`: no duplicate keys, no `__proto__`, bounded nesting. */
export const parse = (text: string): { readonly value: unknown } | { readonly problem: JsonProblem } => {
  const { depth, keys, deepAt } = JsonScan.measure(text)
  if (depth > maxDepth) return { problem: { offset: deepAt, message: `nested more than ${maxDepth} levels deep` } }
  const result = parsed(text)
  if (result === null) {
    const { offset, message } = JsonScan.fault(text) ?? { offset: 0, message: "unreadable" }
    return { problem: { offset, message: `not valid JSON: ${message}` } }
  }
  const count = countKeys(result.value)
  if (count < 0) {
    const offset = Math.max(0, text.indexOf('"__proto__"'))
    return { problem: { offset, message: 'the key "__proto__" is not allowed' } }
  }
  const twice = count === keys ? null : JsonScan.duplicate(text)
  return twice === null
    ? result
    : { problem: { offset: twice.second, message: `duplicate key ${quote(twice.key)}`, first: twice.first } }
}

/** The number or boolean at `path` as it is written; null for anything else. */
export const writtenAt = (text: string, path: Path): string | null => {
  const { value } = JsonScan.locate(text, path)
  return /^(?:[-\d.eE+]+|true|false)/.exec(text.slice(value, value + 400))?.[0] ?? null
}

/** A JSON document with the places of its values; or what is wrong with it. */
export const make = (source: SourceText): SourceTree | ReadonlyArray<SyntaxProblem> => {
  const { text } = source
  const result = parse(text)
  if ("problem" in result) {
    const { offset, message, first } = result.problem
    const { line, column } = source.position(first ?? 0)
    const where = first === undefined ? "" : `, first defined at ${basename(source.file)}:${line}:${column}`
    return [{ position: source.position(offset), message: message + where, suggestion: null }]
  }
  return {
    file: source.file,
    value: result.value,
    problems: [],
    at: (path: Path) => source.position(JsonScan.locate(text, path).value),
    keyAt: (path: Path) => source.position(JsonScan.locate(text, path).key),
    written: (path: Path) => writtenAt(text, path)
  }
}
