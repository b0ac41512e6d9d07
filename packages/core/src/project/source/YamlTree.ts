import { basename } from "node:path"
import { type Alias, isAlias, isMap, isScalar, isSeq, type Pair } from "yaml"
import type { Path } from "./Path.ts"
import type { SourceText } from "./SourceText.ts"
import type { SourceTree, SyntaxProblem } from "./SourceTree.ts"
import * as YamlParse from "./YamlParse.ts"
import * as YamlValue from "./YamlValue.ts"

type Aliases = ReadonlyMap<Alias, unknown>

/** The value behind an alias, else the node itself. */
const behind = (node: unknown, aliases: Aliases): unknown => (isAlias(node) ? aliases.get(node) : node)

const pairOf = (map: unknown, key: string, aliases: Aliases): Pair | null => {
  if (!isMap(map)) return null
  let merged: Pair | null = null
  for (const pair of map.items) {
    if (YamlValue.isMergeKey(pair.key)) merged ??= mergedPair(pair.value, key, aliases)
    else if (YamlValue.keyText(pair.key) === key) return pair
  }
  return merged
}

const mergedPair = (node: unknown, key: string, aliases: Aliases): Pair | null => {
  for (const source of isSeq(node) ? node.items : [node]) {
    const pair = pairOf(behind(source, aliases), key, aliases)
    if (pair !== null) return pair
  }
  return null
}

interface Place {
  readonly key: number
  readonly value: number
  readonly node: unknown
  readonly complete: boolean
}

/** Follows `path` as far as it exists. */
const follow = (contents: unknown, path: Path, aliases: Aliases): Place => {
  const start = YamlValue.offsetOf(contents) ?? 0
  let place: Place = { key: start, value: start, node: contents, complete: true }
  for (const part of path) {
    const node = behind(place.node, aliases)
    if (typeof part === "number") {
      const item = isSeq(node) ? node.items[part] : undefined
      const offset = YamlValue.offsetOf(item)
      if (offset === null) return { ...place, complete: false }
      place = { key: offset, value: offset, node: item, complete: true }
    } else {
      const pair = pairOf(node, part, aliases)
      const key = YamlValue.offsetOf(pair?.key)
      if (pair === null || key === null) return { ...place, complete: false }
      place = { key, value: YamlValue.offsetOf(pair.value) ?? key, node: pair.value, complete: true }
    }
  }
  return place
}

const toProblem = (source: SourceText, problem: YamlValue.ValueProblem): SyntaxProblem => {
  const { offset, message, suggestion, first } = problem
  const position = source.position(offset)
  if (first === undefined) return { position, message, suggestion }
  const { line, column } = source.position(first)
  const where = `${basename(source.file)}:${line}:${column}`
  return { position, message: `${message}, first defined at ${where}`, suggestion }
}

/** A YAML document with the places of its values; or what is wrong with it. */
export const make = (source: SourceText): SourceTree | ReadonlyArray<SyntaxProblem> => {
  const parsed = YamlParse.parse(source)
  if ("problems" in parsed) return parsed.problems
  const contents = parsed.document.contents
  const { value, problems, aliases } = YamlValue.make(contents)
  return {
    file: source.file,
    value,
    problems: problems.map((problem) => toProblem(source, problem)),
    at: (path: Path) => source.position(follow(contents, path, aliases).value),
    keyAt: (path: Path) => {
      const place = follow(contents, path, aliases)
      return source.position(place.complete ? place.key : place.value)
    },
    written: (path: Path) => {
      const place = follow(contents, path, aliases)
      const node = behind(place.node, aliases)
      return place.complete && isScalar(node) ? (node.source ?? String(node.value)) : null
    }
  }
}

/** The places of a tree as seen from one of its values. */
export const under = (tree: SourceTree, start: Path): Pick<SourceTree, "at" | "keyAt" | "written"> => ({
  at: (path) => tree.at([...start, ...path]),
  keyAt: (path) => tree.keyAt([...start, ...path]),
  written: (path) => tree.written([...start, ...path])
})
