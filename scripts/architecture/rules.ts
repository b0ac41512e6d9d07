/** The rules of the architecture, numbered so that a finding can be talked about. */
import { reachable, type Source, type SourceGraph } from "./SourceGraph.ts"

export interface Violation {
  readonly rule: string
  readonly path: string
  readonly line: number
  readonly message: string
}

interface Rule {
  readonly id: string
  readonly says: string
  readonly check: (graph: SourceGraph) => ReadonlyArray<Violation>
}

const libraryOf = (path: string): string | null => /^packages\/([^/]+)\/src\//.exec(path)?.[1] ?? null
const coreFolderOf = (path: string): string | null => /^packages\/core\/src\/([^/]+)\//.exec(path)?.[1] ?? null

/** A rule about single imports: the check returns what is wrong with one, or null. */
const importRule = (
  id: string,
  says: string,
  wrong: (source: Source, one: Source["imports"][number]) => string | null
): Rule => ({
  id,
  says,
  check: (graph) =>
    [...graph.values()].flatMap((source) =>
      source.imports.flatMap((one) => {
        const message = wrong(source, one)
        return message === null ? [] : [{ rule: id, path: source.path, line: one.line, message }]
      })
    )
})

const packageRank: Readonly<Record<string, number>> = { core: 0, connectors: 1, tui: 2 }

const packageDirection = importRule(
  "ARCH001",
  "tui -> connectors -> core, never the other way",
  (source, { specifier, target }) => {
    const from = libraryOf(source.path)
    const to = target === null ? null : libraryOf(target)
    if (from === null || to === null) return null
    return (packageRank[to] ?? 0) > (packageRank[from] ?? 0) ? `${from} imports ${specifier}` : null
  }
)

/** What a folder of core may import besides itself and `domain`. */
const coreLayers: Readonly<Record<string, ReadonlyArray<string>>> = {
  domain: [],
  project: [],
  connector: [],
  pricing: [],
  scoring: [],
  ranking: [],
  store: [],
  scenario: ["project", "connector", "pricing", "scoring", "ranking", "store"],
  engine: ["project", "connector", "pricing", "scoring", "ranking", "store", "scenario"],
  report: ["ranking", "scenario", "store"]
}

const moduleUsers = ["connector", "scoring"]

/** What peers share: loading and running the project's modules, and the names of the registered kinds of connectors. */
const sharedByPeers: Readonly<Record<string, ReadonlyArray<string>>> = {
  "packages/core/src/project/ProjectModule.ts": moduleUsers,
  "packages/core/src/project/NodeModule.ts": moduleUsers,
  "packages/core/src/project/WorkerPool.ts": moduleUsers,
  "packages/core/src/connector/ConnectorRegistry.ts": ["project"]
}

const coreDirection = importRule(
  "ARCH002",
  "inside core: domain <- peers <- scenario, engine <- report",
  (source, { target }) => {
    const from = coreFolderOf(source.path)
    const to = target === null ? null : coreFolderOf(target)
    if (from === null || to === null || from === to || to === "domain") return null
    if (target !== null && sharedByPeers[target]?.includes(from) === true) return null
    return coreLayers[from]?.includes(to) === true ? null : `${from} imports ${target}`
  }
)

const barrel = /^(effect(\/[a-z-]+)*|@effect\/platform-node(-shared)?)$/

const noBarrels = importRule("ARCH003", "subpaths of effect only: an index costs start-up time", (_, { specifier }) =>
  barrel.test(specifier) ? `imports the index ${specifier}` : null
)

const noPackagePaths = importRule(
  "ARCH004",
  "other packages by name, never by path",
  (source, { specifier, target }) => {
    if (!specifier.startsWith(".") || target === null) return null
    const from = libraryOf(source.path)
    return from !== null && libraryOf(target) !== from ? `reaches into another package: ${specifier}` : null
  }
)

const noCycles: Rule = {
  id: "ARCH005",
  says: "no circular imports",
  check: (graph) => {
    const found = new Map<string, Violation>()
    for (const source of graph.values()) {
      for (const one of source.imports) {
        if (one.kind !== "static" || one.target === null) continue
        const way = reachable(graph, one.target).get(source.path)
        if (way === undefined) continue
        const name = [...way].sort().join(" ")
        const message = `cycle: ${[source.path, ...way].join(" -> ")}`
        if (!found.has(name)) found.set(name, { rule: "ARCH005", path: source.path, line: one.line, message })
      }
    }
    return [...found.values()]
  }
}

/** Follows static imports from `starts` and reports those that arrive at a forbidden package. */
const neverLoads = (id: string, says: string, starts: (path: string) => boolean, forbidden: RegExp): Rule => ({
  id,
  says,
  check: (graph) => {
    const found = new Map<string, Violation>()
    for (const start of [...graph.keys()].filter(starts)) {
      for (const [path, way] of reachable(graph, start)) {
        for (const { kind, line, specifier } of graph.get(path)?.imports ?? []) {
          if (kind !== "static" || !forbidden.test(specifier) || found.has(`${path}:${line}`)) continue
          const message = `${specifier} is loaded by ${start}${way.length > 1 ? ` through ${way.slice(1).join(" -> ")}` : ""}`
          found.set(`${path}:${line}`, { rule: id, path, line, message })
        }
      }
    }
    return [...found.values()]
  }
})

const isHeadless = (path: string) => /^packages\/tui\/src\/(main|process\/|commands\/|actions\/|progress\/)/.test(path)

const headless = neverLoads("ARCH006", "the headless path never loads React or Ink", isHeadless, /^(react|ink)(\/|$)/)

/** Where React is: the component that mounts, and what mounts it. Everything else of the screen is plain functions. */
const usesReact = /^packages\/tui\/src\/app\/(main\.tsx$|component\/|runtime\/Keys\.ts$)/

const reactAtTheRim = importRule(
  "ARCH011",
  "React and Ink only where the screen is mounted: what it shows is made without them",
  (source, { specifier }) =>
    /^(react|ink)(\/|$)/.test(specifier) && libraryOf(source.path) !== null && !usesReact.test(source.path)
      ? `imports ${specifier}`
      : null
)

const lazyProviders = neverLoads(
  "ARCH007",
  "a provider SDK is loaded only when a contestant needs it",
  (path) => isHeadless(path) || path === "packages/connectors/src/Connectors.ts",
  /^(@ai-sdk\/(?!provider$)|undici$|zod$)/
)

const pureFolders = new Set(["ranking", "report", "domain"])
const sideEffects = /^(node:|@effect\/platform|effect\/(FileSystem|Terminal|Console|Stdio|sql\/|process\/|http\/))/
const pureNode = /^node:(crypto|util)$/

const pure = importRule("ARCH008", "domain, ranking and report are pure: no I/O", (source, { kind, specifier }) => {
  const folder = coreFolderOf(source.path)
  if (folder === null || !pureFolders.has(folder) || kind === "type") return null
  return sideEffects.test(specifier) && !pureNode.test(specifier) ? `${folder} imports ${specifier}` : null
})

const oneSqlite = importRule("ARCH009", "only the store's client knows node:sqlite", (source, { specifier }) =>
  specifier === "node:sqlite" &&
  libraryOf(source.path) !== null &&
  source.path !== "packages/core/src/store/SqliteClient.ts"
    ? "imports node:sqlite"
    : null
)

const longest = 400

const length: Rule = {
  id: "ARCH010",
  says: `a file has at most ${longest} lines`,
  check: (graph) =>
    [...graph.values()]
      .filter(({ lines }) => lines > longest)
      .map(({ lines, path }) => ({
        rule: "ARCH010",
        path,
        line: longest,
        message: `${lines} lines: two ideas share a file`
      }))
}

export const rules: ReadonlyArray<Rule> = [
  packageDirection,
  coreDirection,
  noBarrels,
  noPackagePaths,
  noCycles,
  headless,
  lazyProviders,
  pure,
  oneSqlite,
  length,
  reactAtTheRim
]

/** All violations, by file and line. */
export const check = (graph: SourceGraph): ReadonlyArray<Violation> =>
  rules
    .flatMap((rule) => rule.check(graph))
    .toSorted((a, b) => a.path.localeCompare(b.path) || a.line - b.line || a.rule.localeCompare(b.rule))
