/** `scorers:`, `hooks:`, `output:` and `tests:`: what the config says about files and functions. */
import { join, resolve } from "node:path"
import type { FunctionRef, HookSettings, OutputSettings, ScorerSettings } from "../../domain/Settings.ts"
import type { Params } from "../../domain/TestCase.ts"
import type { Path } from "../source/Path.ts"
import type { Block, ConfigFile } from "./ConfigFile.ts"
import { parseFunctionName } from "./FunctionName.ts"
import { type Chosen, choose, position, type ReadContext, toList, warn } from "./ReadContext.ts"

/** Which cases take part; null or empty = no such filter. */
export interface CaseFilter {
  readonly ids: Chosen<ReadonlyArray<string>> | null
  readonly tags: Chosen<ReadonlyArray<string>> | null
  readonly allTags: Chosen<ReadonlyArray<string>> | null
  readonly excludeTags: Chosen<ReadonlyArray<string>> | null
  readonly limit: number | null
}

/** A path or glob as written, and where. */
export interface PathEntry {
  readonly written: string
  readonly path: Path
}

export interface TestSelection {
  /** Empty = discovery. */
  readonly paths: ReadonlyArray<PathEntry>
  readonly filter: CaseFilter
}

const noFilter: CaseFilter = { ids: null, tags: null, allTags: null, excludeTags: null, limit: null }

const pathEntries = (value: string | ReadonlyArray<string> | null | undefined, path: Path): ReadonlyArray<PathEntry> =>
  typeof value === "string"
    ? [{ written: value, path }]
    : toList(value).map((written, index) => ({ written, path: [...path, index] }))

type TestsBlock = Block<"tests">

export const readTests = (context: ReadContext, tests: ConfigFile["tests"]): TestSelection => {
  const path: Path = ["tests"]
  if (tests === null || tests === undefined) return { paths: [], filter: noFilter }
  if (typeof tests === "string" || isList(tests)) return { paths: pathEntries(tests, path), filter: noFilter }
  const words = <K extends "ids" | "tags" | "tags_any" | "all_tags" | "tags_all" | "exclude_tags">(
    ...keys: ReadonlyArray<K>
  ): Chosen<ReadonlyArray<string>> | null => {
    const chosen = choose(context, path, tests, keys)
    if (chosen === null) return null
    return { path: chosen.path, value: toList(chosen.value).map((item) => String(item)) }
  }
  const filter: CaseFilter = {
    ids: words("ids"),
    tags: words("tags", "tags_any"),
    allTags: words("all_tags", "tags_all"),
    excludeTags: words("exclude_tags"),
    limit: tests.limit === 0 ? null : (tests.limit ?? null)
  }
  return { paths: pathEntries(tests.paths, [...path, "paths"]), filter }
}

const isList = (tests: TestsBlock | ReadonlyArray<string>): tests is ReadonlyArray<string> => Array.isArray(tests)

/** `scorers:` before its files are looked up; `files` empty = the folder `scorers/`, if there is one. */
export interface ScorerPlaces {
  readonly settings: ScorerSettings
  readonly files: ReadonlyArray<PathEntry>
}

export const readScorers = (
  context: ReadContext,
  scorers: Block<"scorers">,
  judgePrompt: string | null | undefined
): ScorerPlaces => {
  const options: Record<string, Params> = {}
  for (const [name, given] of Object.entries(scorers.options ?? {})) options[name] = given ?? {}
  const own = options["llm_judge"]?.["prompt"]
  if (judgePrompt !== null && judgePrompt !== undefined) {
    if (own === undefined) options["llm_judge"] = { prompt: judgePrompt, ...options["llm_judge"] }
    else if (own !== judgePrompt) {
      warn(context, ["judge", "prompt"], "not used: scorers.options.llm_judge.prompt says something else")
    }
  }
  return {
    settings: { default: scorers.default ?? "exact_match", paths: [], options },
    files: pathEntries(scorers.paths, ["scorers", "paths"])
  }
}

const readHook = (context: ReadContext, name: string, text: string | null | undefined): FunctionRef | null => {
  if (text === null || text === undefined || text.trim() === "") return null
  const path: Path = ["hooks", name]
  const named = parseFunctionName(context, path, text)
  return named === null ? null : { ...named, position: position(context, path) }
}

export const readHooks = (context: ReadContext, hooks: Block<"hooks">): HookSettings => ({
  preRequest: readHook(context, "pre_request", hooks.pre_request),
  postProcess: readHook(context, "post_process", hooks.post_process),
  onResult: readHook(context, "on_result", hooks.on_result)
})

export const readOutput = (context: ReadContext, output: Block<"output">): OutputSettings => {
  const dir = resolve(context.root, output.dir ?? "results")
  const formats =
    output.formats === null || output.formats === undefined ? (["markdown", "json"] as const) : output.formats
  const named = toList(formats).map((format) => (format === "md" ? "markdown" : format))
  return {
    dir,
    db: output.db == null ? join(dir, "arena.sqlite") : resolve(context.root, output.db),
    formats: [...new Set(named)],
    ...(output.workspaces === true ? { workspaces: join(dir, "workspaces") } : {}),
    ...(typeof output.workspaces === "string" ? { workspaces: resolve(context.root, output.workspaces) } : {}),
    ...(output.keep_workspaces === false ? { keepWorkspaces: false as const } : {})
  }
}
