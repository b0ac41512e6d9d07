/** From YAML nodes to plain values: aliases, merge keys and numbers, everything bounded. */
import { type Alias, isAlias, isMap, isPair, isScalar, isSeq, type ParsedNode, type Scalar, type YAMLMap } from "yaml"
import { maxDepth } from "./SourceTree.ts"
import { quote } from "./Suggestion.ts"

/** Values that aliases may stand for, all together; above it a file is a bomb. */
const maxExpanded = 200_000

/** What is wrong, at an offset of the text. */
export interface ValueProblem {
  readonly offset: number
  readonly message: string
  readonly suggestion: string | null
  /** The duplicate's first definition, as an offset. */
  readonly first?: number
}

interface Anchored {
  readonly node: unknown
  /** Undefined while the anchored value is being made: an alias inside it is a cycle. */
  result: { readonly value: unknown; readonly size: number } | undefined
}

/** Values made from nodes, and what their aliases stand for. */
export interface YamlValue {
  readonly value: unknown
  readonly problems: ReadonlyArray<ValueProblem>
  readonly aliases: ReadonlyMap<Alias, unknown>
}

const integer = /^[-+]?\d+$/

/** A number that JavaScript cannot hold exactly stays as it is written. */
const exact = (scalar: Scalar): unknown =>
  typeof scalar.value === "number" &&
  scalar.source !== undefined &&
  integer.test(scalar.source) &&
  !Number.isSafeInteger(scalar.value)
    ? scalar.source
    : scalar.value

/** The text of a key; null when it is not a scalar. */
export const keyText = (key: unknown): string | null =>
  isScalar(key) ? (typeof key.value === "string" ? key.value : (key.source ?? String(key.value))) : null

/** Whether a key is the merge key `<<` (and not the quoted text). */
export const isMergeKey = (key: unknown): boolean => isScalar(key) && key.value === "<<" && key.type === "PLAIN"

class Reader {
  readonly problems: Array<ValueProblem> = []
  readonly aliases = new Map<Alias, unknown>()
  readonly #anchors = new Map<string, Anchored>()
  #expanded = 0
  #made = 0

  read(node: unknown, depth: number): unknown {
    this.#made++
    if (isAlias(node)) return this.#alias(node)
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return null
    if (depth > maxDepth) return this.#fail(node, `nested more than ${maxDepth} levels deep`)
    if (node.anchor === undefined) return this.#plain(node, depth)
    const anchored: Anchored = { node, result: undefined }
    this.#anchors.set(node.anchor, anchored)
    const before = this.#made + this.#expanded
    const value = this.#plain(node, depth)
    anchored.result = { value, size: this.#made + this.#expanded - before + 1 }
    return value
  }

  #plain(node: unknown, depth: number): unknown {
    if (isScalar(node)) {
      const value = exact(node)
      return typeof value === "number" && !Number.isFinite(value)
        ? this.#fail(node, `${node.source ?? value} is not a number that can be worked with`)
        : value
    }
    if (isSeq(node)) return node.items.map((item) => this.read(item, depth + 1))
    return isMap(node) ? this.#map(node, depth) : null
  }

  #map(node: YAMLMap, depth: number): Record<string, unknown> {
    const merged: Record<string, unknown> = {}
    const own: Record<string, unknown> = {}
    const seen = new Map<string, number>()
    for (const { key, value } of node.items) {
      if (isMergeKey(key)) this.#merge(merged, value, depth)
      else {
        const name = this.#key(key, node, seen)
        const read = this.read(value, depth + 1)
        if (name !== null) own[name] = read
      }
    }
    return { ...merged, ...own }
  }

  #key(key: unknown, map: YAMLMap, seen: Map<string, number>): string | null {
    const name = keyText(key)
    const offset = offsetOf(key) ?? offsetOf(map) ?? 0
    if (name === null) {
      this.problems.push({ offset, message: "a key must be a text", suggestion: null })
      return null
    }
    if (name === "__proto__") {
      this.problems.push({ offset, message: 'the key "__proto__" is not allowed', suggestion: null })
      return null
    }
    const first = seen.get(name)
    if (first !== undefined) {
      this.problems.push({ offset, message: `duplicate key ${quote(name)}`, suggestion: null, first })
      return null
    }
    seen.set(name, offset)
    return name
  }

  #merge(into: Record<string, unknown>, node: unknown, depth: number): void {
    const sources = isSeq(node) ? node.items : [node]
    for (const source of sources) {
      const value = this.read(source, depth + 1)
      if (typeof value !== "object" || value === null || Array.isArray(value)) {
        this.#fail(source, "<< needs a mapping, an alias of one, or a list of them")
      } else {
        // Of several sources the first wins.
        for (const [key, item] of Object.entries(value)) if (!Object.hasOwn(into, key)) into[key] = item
      }
    }
  }

  #alias(node: Alias): unknown {
    const anchored = this.#anchors.get(node.source)
    if (anchored === undefined) return this.#fail(node, `*${node.source} has no anchor &${node.source} before it`)
    if (anchored.result === undefined) return this.#fail(node, `*${node.source} refers to a value that contains it`)
    this.aliases.set(node, anchored.node)
    this.#expanded += anchored.result.size
    if (this.#expanded > maxExpanded) return this.#fail(node, `aliases stand for more than ${maxExpanded} values`)
    return anchored.result.value
  }

  #fail(node: unknown, message: string): null {
    // One problem of a kind is enough: a bomb has thousands.
    if (this.problems.at(-1)?.message !== message) {
      this.problems.push({ offset: offsetOf(node) ?? 0, message, suggestion: null })
    }
    return null
  }
}

/** Where a node begins; null for the absent value of a key. */
export const offsetOf = (node: unknown): number | null => {
  if (isPair(node)) return offsetOf(node.key)
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? (node.range?.[0] ?? null) : null
}

/** The plain value of a document's contents. */
export const make = (contents: ParsedNode | null): YamlValue => {
  const reader = new Reader()
  const value = reader.read(contents, 0)
  return { value, problems: reader.problems, aliases: reader.aliases }
}
