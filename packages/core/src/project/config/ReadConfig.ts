/** From a config document to everything of a project that does not need other files. Pure. */

import { basename } from "node:path"
import * as Result from "effect/Result"
import type { Project } from "../../domain/Project.ts"
import type { PricingSettings } from "../../domain/Settings.ts"
import type { IssueLog } from "../source/IssueLog.ts"
import type { Path } from "../source/Path.ts"
import * as SchemaFindings from "../source/SchemaFindings.ts"
import type { SourceTree } from "../source/SourceTree.ts"
import * as ConfigFile from "./ConfigFile.ts"
import { readCards } from "./ReadCards.ts"
import { readContestants } from "./ReadContestants.ts"
import { type FileClaim, type ReadContext, valueOf } from "./ReadContext.ts"
import { readBudgets, readDefaults, readRun, readStatistics, readWatch } from "./ReadLimits.ts"
import { misspeltMetricKey, readConstraints, readMetrics } from "./ReadMetrics.ts"
import { type PathEntry, readHooks, readOutput, readScorers, readTests, type TestSelection } from "./ReadPlaces.ts"
import { checkProvider, readJudge, readProviders } from "./ReadProviders.ts"

/** What a config says: the settings, and the files that remain to be read. */
export interface ConfigReading {
  readonly settings: Omit<
    Project,
    "root" | "configFile" | "cases" | "env" | "raw" | "customScorers" | "rules" | "warnings"
  >
  readonly tests: TestSelection
  readonly scorerFiles: ReadonlyArray<PathEntry>
  /** A price file under the cards of the config. */
  readonly priceFile: PathEntry | null
  /** Files that must exist. */
  readonly claims: ReadonlyArray<FileClaim>
}

export interface ConfigSource {
  readonly tree: SourceTree
  readonly log: IssueLog
  readonly root: string
  /** What `provider:` and `kind:` may name. */
  readonly kinds: ReadonlyArray<string>
}

const member = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined

/** Inside a misspelt key of `metrics:` every key is unknown; only the misspelt one is told. */
const isMisspelt = (config: unknown, [block, name, ...rest]: Path): boolean => {
  if (block !== "metrics" || rest.length === 0 || typeof name !== "string") return false
  const weights = member(member(config, "metrics"), "weights")
  return misspeltMetricKey(name) !== null && member(weights, name) === undefined
}

/** Decodes what fits the schema; what does not is reported and left out. */
const decode = ({ tree, log }: ConfigSource): { config: ConfigFile.ConfigFile; damaged: ReadonlyArray<Path> } => {
  const decoded = ConfigFile.decode(tree.value ?? {})
  if (Result.isSuccess(decoded)) return { config: decoded.success, damaged: [] }
  const found = SchemaFindings.findings(decoded.failure.issue)
  SchemaFindings.report(
    log,
    tree,
    found.filter(({ path }) => !isMisspelt(tree.value, path))
  )
  const rest = ConfigFile.decode(SchemaFindings.prune(tree.value, found) ?? {})
  const damaged = found.filter(({ _tag }) => _tag !== "UnknownKey").map(({ path }) => path)
  return Result.isSuccess(rest)
    ? { config: rest.success, damaged }
    : { config: {}, damaged: [...damaged, ["models"], ["targets"]] }
}

const readPricing = (
  context: ReadContext,
  pricing: ConfigFile.ConfigFile["pricing"]
): { readonly pricing: PricingSettings; readonly priceFile: PathEntry | null } => {
  if (typeof pricing === "string") {
    return { pricing: { cards: {}, aliases: {} }, priceFile: { written: pricing, path: ["pricing"] } }
  }
  const block = pricing ?? {}
  return {
    pricing: { cards: readCards(context, ["pricing", "models"], block.models), aliases: block.aliases ?? {} },
    priceFile: block.path == null ? null : { written: block.path, path: ["pricing", "path"] }
  }
}

export const readConfig = (source: ConfigSource): ConfigReading => {
  const { config, damaged } = decode(source)
  const { tree, log, root, kinds } = source
  const context: ReadContext = { tree, log, root, damaged, claims: [] }
  const output = readOutput(context, config.output ?? {})
  const providers = readProviders(context, config.providers ?? [], kinds)
  const { pricing, priceFile } = readPricing(context, config.pricing)
  const scorers = readScorers(context, config.scorers ?? {}, config.judge?.prompt)
  const judge = readJudge(context, config.judge ?? {})
  checkProvider(context, ["judge", "provider"], judge.provider, providers, kinds)
  return {
    settings: {
      name: valueOf(context, [], config, ["project", "name"], basename(root)),
      description: config.description ?? "",
      contestants: readContestants(context, config, { profiles: providers, kinds }),
      providers,
      run: readRun(context, config.run ?? {}, output.dir),
      defaults: readDefaults(config.defaults ?? {}),
      metrics: readMetrics(context, config.metrics ?? {}),
      constraints: readConstraints(context, config.constraints ?? {}),
      statistics: readStatistics(config.statistics),
      budgets: readBudgets(config.budgets ?? {}),
      watch: readWatch(config.watch ?? {}),
      scorers: scorers.settings,
      judge,
      hooks: readHooks(context, config.hooks ?? {}),
      pricing,
      output
    },
    tests: readTests(context, config.tests),
    scorerFiles: scorers.files,
    priceFile,
    claims: context.claims
  }
}
