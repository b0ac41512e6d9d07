/** The sources as a graph of imports, from their text alone. */
import { dirname, join, normalize } from "node:path/posix"
import { parseSync } from "rolldown/utils"

export interface Import {
  readonly specifier: string
  /** 1-based. */
  readonly line: number
  /** `type` is erased; `dynamic` is loaded only when that line runs. */
  readonly kind: "static" | "type" | "dynamic"
  /** Path of the imported source of this repository; null = a package or a Node module. */
  readonly target: string | null
}

export interface Source {
  /** Relative to the repository, with `/`. */
  readonly path: string
  readonly lines: number
  readonly imports: ReadonlyArray<Import>
}

export type SourceGraph = ReadonlyMap<string, Source>

/** Own packages by name, as in `exports` of their manifests. */
const packages: Readonly<Record<string, string>> = {
  "@agent-arena/core": "packages/core/src",
  "@agent-arena/connectors": "packages/connectors/src",
  "@agent-arena/tui": "packages/tui/src"
}

const candidates = (base: string): ReadonlyArray<string> => [base, `${base}.ts`, `${base}.tsx`, `${base}/index.ts`]

const targetOf = (specifier: string, from: string, exists: (path: string) => boolean): string | null => {
  if (specifier.startsWith(".")) return candidates(normalize(join(dirname(from), specifier))).find(exists) ?? null
  const [scope = "", name = "", ...rest] = specifier.split("/")
  const folder = packages[`${scope}/${name}`]
  return folder === undefined ? null : (candidates([folder, ...rest].join("/")).find(exists) ?? null)
}

const parse = (path: string, text: string, exists: (path: string) => boolean): Source => {
  const { module } = parseSync(path, text)
  const lineAt = (offset: number) => text.slice(0, offset).split("\n").length
  const make = (specifier: string, offset: number, kind: Import["kind"]): Import => ({
    specifier,
    line: lineAt(offset),
    kind,
    target: targetOf(specifier, path, exists)
  })
  const onlyTypes = (entries: ReadonlyArray<{ readonly isType: boolean }>) =>
    entries.length > 0 && entries.every(({ isType }) => isType)
  const imports = [
    ...module.staticImports.map(({ entries, moduleRequest, start }) =>
      make(moduleRequest.value, start, onlyTypes(entries) ? "type" : "static")
    ),
    ...module.staticExports.flatMap(({ entries, start }) => {
      const from = entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])[0]
      return from === undefined ? [] : [make(from, start, onlyTypes(entries) ? "type" : "static")]
    }),
    ...module.dynamicImports.flatMap(({ moduleRequest, start }) => {
      const literal = /^(["'])(.*)\1$/s.exec(text.slice(moduleRequest.start, moduleRequest.end))
      return literal?.[2] === undefined ? [] : [make(literal[2], start, "dynamic")]
    })
  ]
  // An import that is exported again is reported by the parser as both.
  const first = new Map(imports.toReversed().map((one) => [`${one.kind} ${one.specifier}`, one]))
  return {
    path,
    lines: text.split("\n").length - (text.endsWith("\n") ? 1 : 0),
    imports: imports.filter((one) => first.get(`${one.kind} ${one.specifier}`) === one)
  }
}

/** Parses sources given by path. */
export const make = (texts: ReadonlyMap<string, string>): SourceGraph => {
  const exists = (path: string) => texts.has(path)
  return new Map([...texts].map(([path, text]) => [path, parse(path, text, exists)]))
}

/** Sources that are loaded when `from` is: static imports, followed to the end; each with the way that leads there. */
export const reachable = (graph: SourceGraph, from: string): ReadonlyMap<string, ReadonlyArray<string>> => {
  const ways = new Map<string, ReadonlyArray<string>>([[from, [from]]])
  const queue = [from]
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    for (const { kind, target } of graph.get(path)?.imports ?? []) {
      if (kind !== "static" || target === null || ways.has(target)) continue
      ways.set(target, [...(ways.get(path) ?? []), target])
      queue.push(target)
    }
  }
  return ways
}
