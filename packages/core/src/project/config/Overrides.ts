/** Settings given from outside (flags, a program): they replace those of the file and are checked like them. */
import { isAbsolute, resolve } from "node:path"
import type { IssueLog } from "../source/IssueLog.ts"
import { isWithin, type Path } from "../source/Path.ts"
import type { SourceTree } from "../source/SourceTree.ts"
import { quote, suggest } from "../source/Suggestion.ts"

/** What may be said beside the file. Paths are relative to the working directory; times are seconds. */
export interface ProjectOverrides {
  /** Contestant keys or model ids; only these take part. */
  readonly contestants?: ReadonlyArray<string>
  readonly trials?: number
  readonly concurrency?: number
  readonly requestTimeoutS?: number
  readonly idleTimeoutS?: number
  readonly cellTimeoutS?: number
  readonly maxWallS?: number
  readonly drainS?: number
  readonly termDrainS?: number
  readonly retries?: number
  readonly retryBackoffS?: number
  readonly maxRetryAfterS?: number
  readonly failFast?: boolean
  readonly seed?: number
  readonly cache?: boolean | string
  readonly record?: string
  readonly replay?: string
  readonly ids?: ReadonlyArray<string>
  readonly tags?: ReadonlyArray<string>
  readonly allTags?: ReadonlyArray<string>
  readonly excludeTags?: ReadonlyArray<string>
  readonly limit?: number
  /** Case files, folders or globs instead of those of the file. */
  readonly tests?: ReadonlyArray<string>
  readonly outputDir?: string
  readonly db?: string
  readonly formats?: ReadonlyArray<string>
  readonly maxRunUsd?: number
  readonly maxModelUsd?: number
  readonly confirmAboveUsd?: number
  readonly onExceed?: "stop" | "warn"
  readonly allowUnpriced?: boolean
  readonly minMargin?: number
  readonly driftThreshold?: number
}

interface Target {
  /** Where the setting stands in the file. */
  readonly path: readonly [string, string]
  /** Its other names there, which the override replaces too. */
  readonly others?: ReadonlyArray<string>
  readonly isPath?: boolean
}

type OverrideName = Exclude<keyof ProjectOverrides, "contestants">

const targets: Readonly<Record<OverrideName, Target>> = {
  trials: { path: ["run", "trials"] },
  concurrency: { path: ["run", "concurrency"] },
  requestTimeoutS: { path: ["run", "request_timeout_s"], others: ["timeout_s"] },
  idleTimeoutS: { path: ["run", "idle_timeout_s"] },
  cellTimeoutS: { path: ["run", "cell_timeout_s"] },
  maxWallS: { path: ["run", "max_wall_s"] },
  drainS: { path: ["run", "drain_s"] },
  termDrainS: { path: ["run", "term_drain_s"] },
  retries: { path: ["run", "retries"] },
  retryBackoffS: { path: ["run", "retry_backoff_s"] },
  maxRetryAfterS: { path: ["run", "max_retry_after_s"] },
  failFast: { path: ["run", "fail_fast"] },
  seed: { path: ["run", "seed"] },
  cache: { path: ["run", "cache"], isPath: true },
  record: { path: ["run", "record"], isPath: true },
  replay: { path: ["run", "replay"], isPath: true },
  ids: { path: ["tests", "ids"] },
  tags: { path: ["tests", "tags"], others: ["tags_any"] },
  allTags: { path: ["tests", "all_tags"], others: ["tags_all"] },
  excludeTags: { path: ["tests", "exclude_tags"] },
  limit: { path: ["tests", "limit"] },
  tests: { path: ["tests", "paths"], isPath: true },
  outputDir: { path: ["output", "dir"], isPath: true },
  db: { path: ["output", "db"], isPath: true },
  formats: { path: ["output", "formats"] },
  maxRunUsd: { path: ["budgets", "max_run_usd"] },
  maxModelUsd: { path: ["budgets", "max_model_usd"] },
  confirmAboveUsd: { path: ["budgets", "confirm_above_usd"] },
  onExceed: { path: ["budgets", "on_exceed"] },
  allowUnpriced: { path: ["budgets", "allow_unpriced"] },
  minMargin: { path: ["statistics", "min_margin"] },
  driftThreshold: { path: ["watch", "drift_threshold"] }
}

const isOverride = (name: string): name is OverrideName => Object.hasOwn(targets, name)

/** `excludeTags` as the flag `--exclude-tags`: what a message points at instead of a file. `ids` are asked for by `--cases`. */
export const flagName = (name: string): string =>
  `--${(name === "ids" ? "cases" : name).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

const toAbsolute = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(toAbsolute)
  return typeof value === "string" && value !== "" && !isAbsolute(value) ? resolve(value) : value
}

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A block in its long form, so that one of its settings can be replaced. */
const longForm = (name: string, block: unknown): unknown => {
  if (block === null || block === undefined) return {}
  if (name === "tests" && (typeof block === "string" || Array.isArray(block))) return { paths: block }
  return name === "statistics" && typeof block === "boolean" ? { enabled: block } : block
}

const replace = (
  config: Readonly<Record<string, unknown>>,
  target: Target,
  value: unknown
): Record<string, unknown> => {
  const [name, key] = target.path
  const block = longForm(name, config[name])
  // A block that is no mapping is reported as such; there is nothing to replace in it.
  if (!isMapping(block)) return { ...config }
  const kept = Object.entries(block).filter(([other]) => target.others?.includes(other) !== true)
  return {
    ...config,
    [name]: { ...Object.fromEntries(kept), [key]: target.isPath === true ? toAbsolute(value) : value }
  }
}

/** The config with the overrides laid over it; positions of overridden values name the flag. */
export const applyOverrides = (tree: SourceTree, overrides: ProjectOverrides, log: IssueLog): SourceTree => {
  const value = tree.value ?? {}
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined)
  const flags: Array<{ readonly path: Path; readonly flag: string }> = []
  let config = value
  for (const [name, setting] of given) {
    if (name === "contestants") continue
    if (!isOverride(name)) {
      const known = ["contestants", ...Object.keys(targets)]
      const position = { file: flagName(name), line: null, column: null }
      log.error(position, `unknown override ${quote(name)}`, suggest(name, known, "known overrides"))
    } else if (isMapping(config)) {
      config = replace(config, targets[name], setting)
      flags.push({ path: targets[name].path, flag: flagName(name) })
    }
  }
  if (flags.length === 0) return tree
  const flagOf = (path: Path) => flags.find((candidate) => isWithin(path, candidate.path))?.flag
  // `tests: [a, b]` became `tests: {paths: [a, b]}`: its items still stand where they were written.
  const written = (path: Path): Path =>
    path[0] === "tests" && path[1] === "paths" && isMapping(value) && !isMapping(value["tests"])
      ? ["tests", ...path.slice(2)]
      : path
  const locate = (path: Path, find: SourceTree["at"]) => {
    const flag = flagOf(path)
    return flag === undefined ? find(written(path)) : { file: flag, line: null, column: null }
  }
  return {
    file: tree.file,
    value: config,
    problems: tree.problems,
    at: (path) => locate(path, tree.at),
    keyAt: (path) => locate(path, tree.keyAt),
    written: (path) => (flagOf(path) === undefined ? tree.written(written(path)) : null)
  }
}
