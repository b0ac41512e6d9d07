/** `providers:` and `judge:`. */
import { resolve } from "node:path"
import * as Redacted from "effect/Redacted"
import type { JudgeSettings, ProviderProfile } from "../../domain/Settings.ts"
import type { Path } from "../source/Path.ts"
import { quote, suggest } from "../source/Suggestion.ts"
import type { Block } from "./ConfigFile.ts"
import type { ProviderEntry } from "./ProviderEntry.ts"
import {
  type Chosen,
  choose,
  error,
  isDamaged,
  place,
  position,
  type ReadContext,
  valueOf,
  warn
} from "./ReadContext.ts"
import { isReference } from "./Secrets.ts"

const schemes = ["env", "file", "keyring", "cmd"]

/** A credential: a reference is kept for later, a literal is taken with a warning. */
const readKey = (context: ReadContext, key: Chosen<string> | null): ProviderProfile["apiKeyRef"] => {
  if (key === null || key.value.trim() === "") return null
  const scheme = /^\s*\$\{([^:}]*):?/.exec(key.value)?.[1]
  if (scheme === undefined) {
    const advice = `write \${env:NAME} and put the key into the environment or into .env`
    warn(context, key.path, "the key itself stands in the file", advice)
  } else if (!isReference(key.value) || !schemes.includes(scheme)) {
    error(context, key.path, `unknown kind of reference ${quote(`\${${scheme}:…}`)}`, suggest(scheme, schemes, "known"))
  }
  return Redacted.make(key.value)
}

const redactedMap = (headers: Readonly<Record<string, string>> | null | undefined) =>
  Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name, Redacted.make(value)]))

const checkRetry = (context: ReadContext, path: Path, retry: NonNullable<ProviderEntry["retry"]>): void => {
  for (const key of ["jitter", "respect_retry_after"] as const) {
    if (retry[key] === false) warn(context, [...path, key], "has no effect: it cannot be switched off")
  }
}

/** The name and kind of an entry, complained about when they are missing or unknown. */
const identify = (context: ReadContext, path: Path, entry: ProviderEntry, kinds: ReadonlyArray<string>) => {
  const id = choose(context, path, entry, ["id", "name"])
  const kind = choose(context, path, entry, ["kind", "type"])
  if (!isDamaged(context, path)) {
    if (id === null) error(context, path, "id is missing")
    if (kind === null) error(context, path, "kind is missing", `write kind: KIND with KIND one of ${kinds.join(", ")}`)
  }
  if (kind !== null && !kinds.includes(kind.value)) {
    error(context, kind.path, `unknown kind ${quote(kind.value)}`, suggest(kind.value, kinds, "known kinds"))
  }
  if (kind?.value === "ai-sdk" && entry.package == null) {
    error(context, path, "kind: ai-sdk needs the name of an npm package", 'add package: "@scope/provider"')
  }
  return { id, kind: kind?.value ?? "" }
}

const readProvider = (
  context: ReadContext,
  path: Path,
  entry: ProviderEntry,
  kinds: ReadonlyArray<string>
): ProviderProfile => {
  const { id, kind } = identify(context, path, entry, kinds)
  const tls = choose(context, path, entry, ["verify_tls", "verify"])
  const caFile = typeof tls?.value === "string" ? tls.value : null
  if (tls !== null && caFile !== null) context.claims.push({ path: tls.path, written: caFile, kind: "file" })
  const limit = entry.rate_limit ?? {}
  const retry = entry.retry ?? {}
  checkRetry(context, [...path, "retry"], retry)
  return {
    id: id?.value ?? "",
    kind,
    baseUrl: valueOf(context, path, entry, ["base_url", "api_base"], null),
    apiKeyRef: readKey(context, choose(context, path, entry, ["api_key_ref", "api_key"])),
    headers: redactedMap(entry.headers),
    timeoutS: entry.timeout_s ?? null,
    verifyTls: tls?.value !== false,
    caFile: caFile === null ? null : resolve(context.root, caFile),
    proxy: entry.proxy ?? null,
    modelPrefix: entry.model_prefix ?? null,
    package: entry.package ?? null,
    rateLimit: {
      rpm: limit.rpm ?? null,
      tpm: limit.tpm ?? null,
      concurrency: limit.concurrency ?? null,
      burst: limit.burst ?? null
    },
    retry: { attempts: retry.attempts ?? null, backoffS: retry.backoff_s ?? null },
    params: entry.params ?? {},
    position: position(context, path)
  }
}

/** The profiles of a project; `kinds` are the kinds that can be written. */
export const readProviders = (
  context: ReadContext,
  entries: ReadonlyArray<ProviderEntry>,
  kinds: ReadonlyArray<string>
): ReadonlyArray<ProviderProfile> => {
  const seen = new Map<string, Path>()
  return entries.map((entry, index) => {
    const path: Path = ["providers", index]
    const profile = readProvider(context, path, entry, kinds)
    const first = seen.get(profile.id)
    if (profile.id !== "" && first !== undefined) {
      error(context, path, `duplicate id ${quote(profile.id)}, first defined at ${place(context.tree.at(first))}`)
    }
    seen.set(profile.id, path)
    return profile
  })
}

export const readJudge = (context: ReadContext, judge: Block<"judge">): JudgeSettings => ({
  model: judge.model ?? null,
  provider: judge.provider ?? null,
  apiKeyEnv: judge.api_key_env ?? null,
  apiBase: valueOf(context, ["judge"], judge, ["api_base", "base_url"], null),
  system: judge.system ?? null,
  maxTokens: judge.max_tokens ?? 512,
  temperature: judge.temperature ?? null,
  params: judge.params ?? {}
})

/** A `provider` must be a declared profile or a known kind. */
export const checkProvider = (
  context: ReadContext,
  path: Path,
  provider: string | null,
  profiles: ReadonlyArray<ProviderProfile>,
  kinds: ReadonlyArray<string>
): void => {
  const ids = profiles.map(({ id }) => id).filter((id) => id !== "")
  if (provider === null || ids.includes(provider) || kinds.includes(provider) || isDamaged(context, ["providers"]))
    return
  const declared = ids.length === 0 ? "" : `; providers of this project: ${ids.join(", ")}`
  error(
    context,
    path,
    `unknown provider ${quote(provider)}`,
    suggest(provider, [...ids, ...kinds], "") ?? `known kinds: ${kinds.join(", ")}${declared}`
  )
}
