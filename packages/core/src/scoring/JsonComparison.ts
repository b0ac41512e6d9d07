/** Compares two JSON values leaf by leaf. */
import { wholeNumber } from "./NumberReading.ts"
import { normaliseAnswer, quote } from "./TextNormalisation.ts"

export interface JsonComparisonOptions {
  /** Keys must match both ways, and values exactly. */
  readonly exact: boolean
  /** Text that is a number equals that number. */
  readonly coerceNumbers: boolean
  /** Key names, or dotted paths (without indices), that do not count. */
  readonly ignoreKeys: ReadonlySet<string>
}

export interface JsonComparison {
  /** Leaves of the reference, and items or (exact) keys that should not be there. */
  readonly total: number
  readonly matched: number
  /** Paths that differ, at most `maxPaths`. */
  readonly mismatched: ReadonlyArray<string>
  /** What differs, for a person, at most three. */
  readonly notes: ReadonlyArray<string>
}

const maxPaths = 50
const maxNotes = 3
/** Nesting of a reference beyond which it is refused. */
export const maxDepth = 200

type JsonObject = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)

/** Why a value cannot be written as JSON; null = it can. */
export const notJson = (value: unknown, depth = 0): string | null => {
  if (depth > maxDepth) return `is nested deeper than ${maxDepth} levels`
  if (value === null || typeof value === "string" || typeof value === "boolean") return null
  if (typeof value === "number") return Number.isFinite(value) ? null : `contains ${value}, which JSON cannot write`
  if (isList(value) || isObject(value)) {
    for (const item of Object.values(value)) {
      const why = notJson(item, depth + 1)
      if (why !== null) return why
    }
    return null
  }
  return `contains a ${typeof value}, which JSON cannot write`
}

/** Relative difference under which two numbers are the same. */
const closeEnough = 1e-9

const isClose = (a: number, b: number): boolean =>
  a === b || Math.abs(a - b) <= closeEnough * Math.max(Math.abs(a), Math.abs(b))

const asNumber = (value: unknown): number | null =>
  typeof value === "number" ? value : typeof value === "string" ? wholeNumber(value) : null

const sameLeaf = (expected: unknown, actual: unknown, options: JsonComparisonOptions): boolean => {
  if (expected === actual) return true
  if (typeof expected === "number" && typeof actual === "number") return !options.exact && isClose(expected, actual)
  if (typeof expected === "string" && typeof actual === "string") {
    return !options.exact && normaliseAnswer(expected) === normaliseAnswer(actual)
  }
  if (!options.coerceNumbers || typeof expected === "boolean" || typeof actual === "boolean") return false
  const a = asNumber(expected)
  const b = asNumber(actual)
  return a !== null && b !== null && isClose(a, b)
}

const show = (value: unknown): string => {
  if (isObject(value)) return "an object"
  if (isList(value)) return "a list"
  return typeof value === "string" ? quote(value) : String(value)
}

class Comparison implements JsonComparison {
  total = 0
  matched = 0
  readonly mismatched: Array<string> = []
  readonly notes: Array<string> = []
  private readonly options: JsonComparisonOptions

  constructor(options: JsonComparisonOptions) {
    this.options = options
  }

  /** `path` names the value for people, `keys` is the same without indices. */
  compare(expected: unknown, actual: unknown, path: string, keys: string): void {
    if (isObject(expected) && isObject(actual)) this.objects(expected, actual, path, keys)
    else if (isList(expected) && isList(actual)) this.lists(expected, actual, path, keys)
    else if (isObject(expected) || isList(expected)) {
      this.differs(this.leavesOf(expected, keys), path, `expected ${show(expected)}, got ${show(actual)}`)
    } else this.leaf(sameLeaf(expected, actual, this.options), path, expected, actual)
  }

  private ignored(key: string, keys: string): boolean {
    return this.options.ignoreKeys.has(key) || this.options.ignoreKeys.has(keys)
  }

  private leaf(same: boolean, path: string, expected: unknown, actual: unknown): void {
    if (same) {
      this.total += 1
      this.matched += 1
    } else this.differs(1, path, `expected ${show(expected)}, got ${show(actual)}`)
  }

  private differs(leaves: number, path: string, note: string): void {
    if (leaves === 0) return
    this.total += leaves
    if (this.mismatched.length < maxPaths) this.mismatched.push(path)
    if (this.notes.length < maxNotes) this.notes.push(`${path}: ${note}`)
  }

  private objects(expected: JsonObject, actual: JsonObject, path: string, keys: string): void {
    const names = Object.keys(expected)
    if (names.length === 0 && path !== root) this.leaf(true, path, expected, actual)
    for (const name of names) {
      const childKeys = keys === "" ? name : `${keys}.${name}`
      if (this.ignored(name, childKeys)) continue
      const childPath = path === root ? name : `${path}.${name}`
      if (Object.hasOwn(actual, name)) this.compare(expected[name], actual[name], childPath, childKeys)
      else this.differs(this.leavesOf(expected[name], childKeys), childPath, "missing")
    }
    if (this.options.exact) this.unexpected(expected, actual, path, keys)
  }

  private unexpected(expected: JsonObject, actual: JsonObject, path: string, keys: string): void {
    for (const name of Object.keys(actual)) {
      if (Object.hasOwn(expected, name) || this.ignored(name, keys === "" ? name : `${keys}.${name}`)) continue
      this.differs(1, path === root ? name : `${path}.${name}`, "not expected")
    }
  }

  private lists(expected: ReadonlyArray<unknown>, actual: ReadonlyArray<unknown>, path: string, keys: string): void {
    const prefix = path === root ? "" : path
    if (expected.length === 0 && actual.length === 0) this.leaf(true, path, expected, actual)
    for (let index = 0; index < expected.length; index++) {
      const itemPath = `${prefix}[${index}]`
      if (index < actual.length) this.compare(expected[index], actual[index], itemPath, keys)
      else this.differs(this.leavesOf(expected[index], keys), itemPath, "missing")
    }
    const extra = actual.length - expected.length
    if (extra > 0) this.differs(extra, path, `${extra} more ${extra === 1 ? "item" : "items"} than expected`)
  }

  /** Leaves of a part of the reference that has no counterpart. */
  private leavesOf(value: unknown, keys: string): number {
    if (isList(value)) {
      return value.length === 0 ? 1 : value.reduce<number>((sum, item) => sum + this.leavesOf(item, keys), 0)
    }
    if (!isObject(value)) return 1
    const entries = Object.entries(value)
    if (entries.length === 0) return 1
    let sum = 0
    for (const [name, item] of entries) {
      const childKeys = keys === "" ? name : `${keys}.${name}`
      if (!this.ignored(name, childKeys)) sum += this.leavesOf(item, childKeys)
    }
    return sum
  }
}

const root = "$"

/**
 * Walks the reference: every scalar, empty object and empty list of it is a leaf. Lists are compared by position, and
 * their items that are too many count as wrong leaves. A missing key is never equal to null.
 */
export const compareJson = (expected: unknown, actual: unknown, options: JsonComparisonOptions): JsonComparison => {
  const comparison = new Comparison(options)
  comparison.compare(expected, actual, root, "")
  return comparison
}
