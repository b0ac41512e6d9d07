import { basename, extname, join, resolve } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ConnectorRegistry } from "../connector/ConnectorRegistry.ts"
import { kindNames } from "../domain/ConnectorKinds.ts"
import type { Contestant } from "../domain/Contestant.ts"
import { isModuleFile, isScorerModule } from "../domain/ModuleFile.ts"
import type { Project } from "../domain/Project.ts"
import { ProjectError } from "../domain/ProjectError.ts"
import type { PricingSettings } from "../domain/Settings.ts"
import { readCases } from "./cases/CaseFiles.ts"
import { filterCases } from "./cases/FilterCases.ts"
import * as ConfigFile from "./config/ConfigFile.ts"
import { applyOverrides, type ProjectOverrides } from "./config/Overrides.ts"
import { layer, readPriceFile } from "./config/ReadCards.ts"
import { type ConfigReading, readConfig } from "./config/ReadConfig.ts"
import type { FileClaim } from "./config/ReadContext.ts"
import type { PathEntry } from "./config/ReadPlaces.ts"
import { withoutSecrets } from "./config/Secrets.ts"
import { loadEnv } from "./LoadEnv.ts"
import { locateProject, type ProjectPlace } from "./LocateProject.ts"
import * as RankingRules from "./RankingRules.ts"
import * as FileSearch from "./source/FileSearch.ts"
import { IssueLog } from "./source/IssueLog.ts"
import * as JsonTree from "./source/JsonTree.ts"
import { formatPath } from "./source/Path.ts"
import * as ProjectFiles from "./source/ProjectFiles.ts"
import * as SchemaFindings from "./source/SchemaFindings.ts"
import type { SourceTree } from "./source/SourceTree.ts"
import { quote, suggest } from "./source/Suggestion.ts"
import * as YamlTree from "./source/YamlTree.ts"

/** Configs and price files are written by people: larger ones are mistakes, and YAML needs much memory for each byte. */
const documentLimit = 2 * 1024 * 1024

/** What the steps of loading share. */
interface Loading {
  readonly place: ProjectPlace
  readonly log: IssueLog
  /** The config, overrides applied. */
  readonly tree: SourceTree
}

/** Reads a YAML or JSON document; what is wrong goes to the log. */
const readDocument = Effect.fnUntraced(function* (path: string, file: string, log: IssueLog) {
  log.reading(file)
  const source = yield* Effect.result(ProjectFiles.readText(path, file, documentLimit))
  if (source._tag === "Failure") {
    log.error(source.failure.position, source.failure.message, source.failure.suggestion)
    return null
  }
  const made = extname(path).toLowerCase() === ".json" ? JsonTree.make(source.success) : YamlTree.make(source.success)
  const problems = "value" in made ? made.problems : made
  for (const { position, message, suggestion } of problems) log.error(position, message, suggestion)
  return "value" in made ? made : null
})

/** A name in the folder of `written` that was probably meant. */
const nearby = Effect.fnUntraced(function* (root: string, written: string, reason: string) {
  if (reason !== ProjectFiles.noSuchFile) return null
  const names = yield* Effect.orElseSucceed(FileSearch.namesIn(resolve(root, written, "..")), () => [])
  const others = names.filter((name) => name !== basename(written))
  return suggest(basename(written), others.length > 200 ? [] : others, "present")
})

const checkClaim = Effect.fnUntraced(function* ({ place, log, tree }: Loading, claim: FileClaim) {
  const kind = yield* Effect.result(ProjectFiles.kindOf(resolve(place.root, claim.written)))
  const label = `${formatPath(claim.path)}: `
  if (kind._tag === "Failure") {
    const message = `${label}${quote(claim.written)}: ${kind.failure}`
    log.error(tree.at(claim.path), message, yield* nearby(place.root, claim.written, kind.failure))
  } else if (kind.success !== "file" && claim.kind === "file") {
    log.error(tree.at(claim.path), `${label}${quote(claim.written)} is not a file`)
  }
})

/** Cards of the price file, if the config names one, under those of the config. */
const loadPricing = Effect.fnUntraced(function* (
  { place, log, tree }: Loading,
  pricing: PricingSettings,
  entry: PathEntry | null
) {
  if (entry === null) return pricing
  const path = resolve(place.root, entry.written)
  const kind = yield* Effect.result(ProjectFiles.kindOf(path))
  if (kind._tag === "Failure") {
    const message = `${formatPath(entry.path)}: ${quote(entry.written)}: ${kind.failure}`
    log.error(tree.at(entry.path), message, yield* nearby(place.root, entry.written, kind.failure))
    return pricing
  }
  const document = yield* readDocument(path, place.display(path), log)
  if (document === null) return pricing
  const decoded = ConfigFile.decodePriceFile(document.value ?? {})
  if (Result.isFailure(decoded)) {
    SchemaFindings.report(log, document, SchemaFindings.findings(decoded.failure.issue))
    return pricing
  }
  const context = { tree: document, log, root: place.root, damaged: [], claims: [] }
  return layer(readPriceFile(context, decoded.success), pricing)
})

/** The modules of one place that holds scorers. */
const scorerModules = Effect.fnUntraced(function* ({ place, log, tree }: Loading, entry: PathEntry) {
  const path = resolve(place.root, entry.written)
  const fail = (message: string, suggestion: string | null = null) => {
    log.error(tree.at(entry.path), `${formatPath(entry.path)}: ${quote(entry.written)}: ${message}`, suggestion)
    return []
  }
  const kind = yield* Effect.result(ProjectFiles.kindOf(path))
  if (kind._tag === "Failure") return fail(kind.failure, yield* nearby(place.root, entry.written, kind.failure))
  if (kind.success === "file") {
    return isModuleFile(path) ? [path] : fail("not a module", "scorers are written in TypeScript or JavaScript")
  }
  const found = yield* Effect.result(FileSearch.filesUnder(path, isScorerModule))
  if (found._tag === "Failure") return fail(found.failure)
  return found.success.length === 0 ? fail("the folder holds no module (.ts, .js)") : found.success
})

/** The project's own scorers: those that are named, else those of `scorers/`. Absolute paths of files. */
const findScorers = Effect.fnUntraced(function* (loading: Loading, entries: ReadonlyArray<PathEntry>) {
  const found: Array<string> = []
  for (const entry of entries) found.push(...(yield* scorerModules(loading, entry)))
  if (entries.length > 0) return [...new Set(found)]
  const { place, log } = loading
  const folder = join(place.root, "scorers")
  const kind = yield* Effect.orElseSucceed(ProjectFiles.kindOf(folder), () => null)
  if (kind !== "folder") return found
  const all = yield* Effect.orElseSucceed(
    FileSearch.filesUnder(folder, (name) => isScorerModule(name) || extname(name) === ".py"),
    () => []
  )
  for (const path of all.filter((name) => extname(name) === ".py")) {
    const position = { file: place.display(path), line: null, column: null }
    log.warn(position, "left out: scorers in Python cannot be called from here", "rewrite it in TypeScript")
  }
  return all.filter((path) => extname(path) !== ".py")
})

/** Only the contestants that are asked for, by key or by model id. */
const selectContestants = (
  log: IssueLog,
  contestants: ReadonlyArray<Contestant>,
  wanted: ReadonlyArray<string> | undefined
): ReadonlyArray<Contestant> => {
  if (wanted === undefined) return contestants
  const keys = contestants.map(({ key }) => key)
  const known = new Set<string>(contestants.flatMap(({ key, model }) => [key, model]))
  const position = { file: "--contestants", line: null, column: null }
  for (const name of wanted) {
    if (known.has(name)) continue
    const near = suggest(name, [...known], "contestants") ?? `contestants: ${keys.slice(0, 20).join(", ")}, …`
    log.error(position, `there is no contestant ${quote(name)}`, near)
  }
  if (wanted.length === 0) log.error(position, "names no contestant", `contestants: ${keys.slice(0, 20).join(", ")}`)
  const names = new Set(wanted)
  const isWanted = ({ key, model }: Contestant) => names.has(key) || names.has(model)
  // Who is not chosen stays known, like a disabled entry: the chosen ones may call it.
  return contestants.map((contestant) => (isWanted(contestant) ? contestant : { ...contestant, enabled: false }))
}

const assemble = Effect.fnUntraced(function* (loading: Loading, reading: ConfigReading, overrides: ProjectOverrides) {
  const { place, log, tree } = loading
  const { settings } = reading
  for (const claim of reading.claims) yield* checkClaim(loading, claim)
  const pricing = yield* loadPricing(loading, settings.pricing, reading.priceFile)
  const paths = yield* findScorers(loading, reading.scorerFiles)
  const scorers = { ...settings.scorers, paths }
  const env = yield* loadEnv(place.root, place.display, log)
  const context = { root: place.root, log, tree, display: place.display, scorers }
  const all = yield* readCases(context, reading.tests.paths)
  const project = {
    ...settings,
    root: place.root,
    configFile: place.configFile,
    contestants: selectContestants(log, settings.contestants, overrides.contestants),
    cases: filterCases({ tree, log }, all, reading.tests.filter),
    scorers,
    pricing,
    env,
    raw: withoutSecrets(tree.value),
    customScorers: [],
    warnings: log.warnings
  }
  return { ...project, rules: RankingRules.make(project) }
})

const failWith = (log: IssueLog): Effect.Effect<never, ProjectError> => {
  const [first, ...rest] = log.errors
  return first === undefined
    ? Effect.die(new Error("a project cannot fail without a reason"))
    : Effect.fail(new ProjectError({ issues: [first, ...rest] }))
}

/** Loads a project from its folder (or its config), telling everything that is wrong with it at once. */
const load = Effect.fn("ProjectLoader.load")(function* (path: string, overrides: ProjectOverrides = {}) {
  const log = new IssueLog()
  const place = yield* Effect.mapError(locateProject(path), (issue) => new ProjectError({ issues: [issue] }))
  const document = yield* readDocument(place.configFile, place.display(place.configFile), log)
  if (document === null) return yield* failWith(log)
  const tree = applyOverrides(document, overrides, log)
  const registered = yield* ConnectorRegistry
  const kinds = [...new Set([...kindNames, ...registered.keys()])]
  const reading = readConfig({ tree, log, root: place.root, kinds })
  const project: Project = yield* assemble({ place, log, tree }, reading, overrides)
  return log.failed ? yield* failWith(log) : project
})

/** Turns a folder into a `Project`. */
export interface ProjectLoader {
  readonly load: (path: string, overrides?: ProjectOverrides) => Effect.Effect<Project, ProjectError>
}

/** Reads the real file system unless a program provides something else. */
export const ProjectLoader = Context.Reference<ProjectLoader>("@agent-arena/core/project/ProjectLoader", {
  defaultValue: () => ({ load })
})
