/** `models:` and `targets:`. */

import type { Contestant, ContestantSource } from "../../domain/Contestant.ts"
import { ContestantKey } from "../../domain/Ids.ts"
import { withoutUrlSecrets } from "../../domain/SecretText.ts"
import type { ProviderProfile } from "../../domain/Settings.ts"
import type { Path } from "../source/Path.ts"
import { quote } from "../source/Suggestion.ts"
import { shellWord, splitCommand } from "./CommandLine.ts"
import type { ConfigFile } from "./ConfigFile.ts"
import type { ContestantFields } from "./ContestantEntry.ts"
import { parseFunctionName } from "./FunctionName.ts"
import { readCard } from "./ReadCards.ts"
import { type Chosen, choose, error, isDamaged, place, position, type ReadContext, valueOf } from "./ReadContext.ts"
import { checkProvider } from "./ReadProviders.ts"

/** What an entry may refer to. */
export interface KnownProviders {
  readonly profiles: ReadonlyArray<ProviderProfile>
  readonly kinds: ReadonlyArray<string>
}

/** The source of an entry and the text that names it when it has no model id; the name is shown, so it holds no secret. */
interface Source {
  readonly source: ContestantSource
  readonly name: string
}

const readCommand = (context: ReadContext, path: Path, entry: ContestantFields): Source | null => {
  const written = entry.command
  if (written === undefined || written === null) return null
  const at = [...path, "command"]
  const words = typeof written === "string" ? splitCommand(written) : written
  if ("problem" in words) {
    error(context, at, words.problem)
    return null
  }
  const [program, ...rest] = words
  if (program === undefined || program === "") {
    error(context, at, "expected a program and its arguments, got nothing", "write command: [program, argument]")
    return null
  }
  const shell = typeof written === "string" ? shellWord(words) : null
  if (shell !== null) {
    error(context, at, `there is no shell that would understand ${quote(shell)}`, 'write command: [sh, -c, "…"]')
  }
  const name = typeof written === "string" ? written : words.join(" ")
  return { source: { _tag: "Command", argv: [program, ...rest], env: entry.env ?? {} }, name: withoutUrlSecrets(name) }
}

const readUrl = (context: ReadContext, path: Path, entry: ContestantFields): Source | null => {
  const url = entry.url
  if (url === undefined || url === null) return null
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    error(context, [...path, "url"], `expected an http or https address, got ${quote(withoutUrlSecrets(url))}`)
  }
  const source: ContestantSource = {
    _tag: "Url",
    url,
    headers: entry.headers ?? {},
    body: entry.body ?? null,
    responsePath: entry.response_path ?? null
  }
  return { source, name: withoutUrlSecrets(url) }
}

const readCallable = (context: ReadContext, path: Path, entry: ContestantFields): Source | null => {
  const run = choose(context, path, entry, ["run", "target", "callable"])
  if (run === null) return null
  const named = parseFunctionName(context, run.path, run.value)
  return { source: { _tag: "Callable", ...(named ?? { module: run.value, exportName: "" }) }, name: run.value }
}

/** Keys that mean nothing without the key they belong to. */
const belongings: ReadonlyArray<readonly [keyof ContestantFields & string, keyof ContestantFields & string]> = [
  ["env", "command"],
  ["headers", "url"],
  ["body", "url"],
  ["response_path", "url"]
]

const checkBelongings = (context: ReadContext, path: Path, entry: ContestantFields): void => {
  for (const [key, owner] of belongings) {
    if (entry[key] != null && entry[owner] == null && !isDamaged(context, [...path, owner])) {
      context.log.error(context.tree.keyAt([...path, key]), `"${key}" has no effect without "${owner}"`)
    }
  }
}

const readTarget = (context: ReadContext, path: Path, entry: ContestantFields): Source | null => {
  const found = [
    readCallable(context, path, entry),
    readCommand(context, path, entry),
    readUrl(context, path, entry)
  ].filter((source) => source !== null)
  if (found.length > 1) error(context, path, 'only one of "run", "command" and "url" may be given')
  checkBelongings(context, path, entry)
  return found[0] ?? null
}

const targetKinds: Readonly<Record<string, ContestantSource["_tag"]>> = {
  callable: "Callable",
  pipeline: "Callable",
  command: "Command",
  url: "Url"
}

/** `provider: callable` and its like say again what `run`, `command` or `url` say already. */
const checkTargetProvider = (context: ReadContext, provider: Chosen<string>, target: Source): void => {
  if (targetKinds[provider.value] === target.source._tag) return
  const what = `${quote(provider.value)} cannot be the provider of a target`
  error(context, provider.path, what, "remove provider, or give a model instead")
}

const readSource = (
  context: ReadContext,
  path: Path,
  entry: ContestantFields,
  model: string,
  known: KnownProviders
): Source => {
  const target = readTarget(context, path, entry)
  const provider = choose(context, path, entry, ["provider"])
  const apiBase = valueOf(context, path, entry, ["api_base", "base_url"], null)
  if (target !== null) {
    if (provider !== null) checkTargetProvider(context, provider, target)
    return target
  }
  if (provider !== null) checkProvider(context, provider.path, provider.value, known.profiles, known.kinds)
  const source: ContestantSource = {
    _tag: "Model",
    model,
    provider: provider?.value ?? null,
    apiKeyEnv: entry.api_key_env ?? null,
    apiBase
  }
  return { source, name: model }
}

/** An entry with one of these names no model; what is wrong with it is told elsewhere. */
const targetKeys = ["run", "target", "callable", "command", "url"] as const

const readEntry = (
  context: ReadContext,
  path: Path,
  entry: ContestantFields,
  known: KnownProviders
): Contestant | null => {
  // `id` is the model when there is no `model`, and the key in any case.
  const model = choose(context, path, entry, entry.model == null ? ["id", "name"] : ["model", "name"])
  const { source, name } = readSource(context, path, entry, model?.value ?? "", known)
  const id = model?.value ?? name
  const keys: ReadonlyArray<"key" | "id"> = entry.model == null && entry.key != null ? ["key"] : ["key", "id"]
  const key = choose(context, path, entry, keys)?.value ?? id
  if (key === "") {
    const isTarget = targetKeys.some((name) => entry[name] != null)
    if (!isTarget && !isDamaged(context, path)) {
      error(context, path, "model is missing", "or give run, command or url")
    }
    return null
  }
  return {
    key: ContestantKey.make(key),
    label: entry.label ?? key,
    model: id,
    source,
    params: entry.params ?? {},
    card: entry.card == null ? null : readCard(context, [...path, "card"], entry.card),
    enabled: entry.enabled ?? true,
    exposeReference: entry.expose_reference ?? false,
    blocking: entry.blocking ?? false,
    position: position(context, path)
  }
}

const checkDuplicates = (context: ReadContext, contestants: ReadonlyArray<Contestant>): void => {
  const seen = new Map<string, Contestant>()
  for (const contestant of contestants) {
    const first = seen.get(contestant.key)?.position
    if (first === undefined) seen.set(contestant.key, contestant)
    else {
      const message = `duplicate key ${quote(contestant.key)}, first defined at ${place(first)}`
      context.log.error(contestant.position, message, "give one of them another key")
    }
  }
}

/** All contestants, models first. */
export const readContestants = (
  context: ReadContext,
  config: Pick<ConfigFile, "models" | "targets">,
  known: KnownProviders
): ReadonlyArray<Contestant> => {
  const contestants = (["models", "targets"] as const).flatMap((list) => {
    const entries = config[list] ?? []
    return (typeof entries === "string" ? [entries] : entries).flatMap((entry, index) => {
      const fields = typeof entry === "string" ? { model: entry } : entry
      const contestant = readEntry(context, typeof entries === "string" ? [list] : [list, index], fields, known)
      return contestant === null ? [] : [contestant]
    })
  })
  checkDuplicates(context, contestants)
  if (contestants.length === 0 && !isDamaged(context, ["models"]) && !isDamaged(context, ["targets"])) {
    error(context, [], "there is no contestant", "add at least one entry to models or targets")
  }
  return contestants
}
