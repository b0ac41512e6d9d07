import * as Result from "effect/Result"
import { canonicalKind, kindNames, localServers, type ModelRoute, routeModel } from "../domain/ConnectorKinds.ts"
import type { Contestant, ContestantSource } from "../domain/Contestant.ts"
import { didYouMean } from "../domain/DidYouMean.ts"
import type { Project } from "../domain/Project.ts"
import type { ProviderProfile } from "../domain/Settings.ts"
import type { Params } from "../domain/TestCase.ts"
import { type ConnectorConfig, ConnectorError } from "./Connector.ts"

type ModelSource = Extract<ContestantSource, { readonly _tag: "Model" }>

/** What resolution reads of a project. */
export type ResolvableProject = Pick<Project<never>, "root" | "env" | "providers"> & {
  readonly defaults: Pick<Project<never>["defaults"], "params">
  readonly run?: Pick<Project<never>["run"], "idleTimeoutS" | "requestTimeoutS">
}

export interface ResolveOptions {
  /** Variables that win over the project's `.env`; the process's own by default. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Kinds that an embedding program has registered beyond the known ones. */
  readonly kinds?: Iterable<string>
}

/** A model that is not a contestant of its own: a judge, or an inner call by model id. */
export interface ModelEntry {
  readonly model: string
  readonly provider: string | null
  readonly apiKeyEnv: string | null
  readonly apiBase: string | null
  readonly params: Params
}

const fail = (detail: string, suggestion: string | null = null) =>
  Result.fail(new ConnectorError({ detail, suggestion }))

const targetKind = { Callable: "callable", Command: "command", Url: "url", Inline: "inline" } as const

/** A JSON string is a valid YAML scalar whatever the text. */
const quoted = (text: string): string => (/^[\w./-]+$/.test(text) ? text : JSON.stringify(text))

const cannotRoute = (model: string) =>
  fail(
    `cannot tell which provider serves the model "${model}"`,
    model.includes("/")
      ? `write {model: ${quoted(model)}, provider: openrouter}, or {model: ${quoted(model)}, api_base: "http://HOST:PORT/v1"} for an OpenAI-compatible server`
      : `write {model: ${quoted(model)}, provider: KIND} with KIND one of ${kindNames.join(", ")}; or api_base: "http://HOST:PORT/v1" for an OpenAI-compatible server`
  )

const unknownProvider = (provider: string, profiles: ReadonlyArray<ProviderProfile>, names: ReadonlyArray<string>) => {
  const ids = profiles.map((profile) => profile.id)
  const declared = ids.length === 0 ? "" : `; profiles of this project: ${ids.join(", ")}`
  return fail(
    `unknown provider "${provider}"; kinds: ${names.join(", ")}${declared}`,
    didYouMean(provider, [...ids, ...names])
  )
}

interface Route extends ModelRoute {
  readonly profile: ProviderProfile | null
}

/** Removes `ollama/` and its like when the entry already says where the model is served. */
const withoutServerPrefix = (model: string): string => {
  const slash = model.indexOf("/")
  return slash > 0 && Object.hasOwn(localServers, model.slice(0, slash).toLowerCase()) ? model.slice(slash + 1) : model
}

const routeOfKind = (name: string, model: string, profile: ProviderProfile | null, extra: ReadonlySet<string>) => {
  const kind = extra.has(name) ? name : canonicalKind(name)
  if (kind === null) return null
  const server = Object.hasOwn(localServers, name) ? name : null
  return { kind, server, model: kind === "openai_compatible" ? withoutServerPrefix(model) : model, profile }
}

const findRoute = (
  source: ModelSource,
  project: ResolvableProject,
  extra: ReadonlySet<string>
): Result.Result<Route, ConnectorError> => {
  const names = [...kindNames, ...extra]
  if (source.provider !== null) {
    const profile = project.providers.find((candidate) => candidate.id === source.provider) ?? null
    const route = routeOfKind(profile?.kind ?? source.provider, source.model, profile, extra)
    if (route !== null) return Result.succeed(route)
    if (profile === null) return unknownProvider(source.provider, project.providers, names)
    return fail(
      `profile "${profile.id}" has the unknown kind "${profile.kind}"; kinds: ${names.join(", ")}`,
      didYouMean(profile.kind, names)
    )
  }
  if (source.apiBase !== null) {
    const model = withoutServerPrefix(source.model)
    return Result.succeed({ kind: "openai_compatible", server: null, model, profile: null })
  }
  const route = routeModel(source.model)
  return route === null ? cannotRoute(source.model) : Result.succeed({ ...route, profile: null })
}

const withPrefix = (model: string, prefix: string | null | undefined): string =>
  prefix === null || prefix === undefined || model.startsWith(prefix) ? model : prefix + model

const isTargetKind = (kind: string): boolean => kind === "callable" || kind === "command" || kind === "url"

const checkRoute = (source: ModelSource, route: Route, apiBase: string | null) => {
  if (isTargetKind(route.kind) || route.kind === "inline") {
    const form = { callable: "run: file.ts:function", command: "command: [program, argument]", url: "url: https://..." }
    const example = form[isTargetKind(route.kind) ? (route.kind as keyof typeof form) : "callable"]
    return fail(`"${source.model}" is given the provider "${route.kind}", which runs a target`, `write ${example}`)
  }
  if (route.kind === "openai_compatible" && apiBase === null) {
    return fail(
      `"${source.model}" uses an OpenAI-compatible server, but its address is not given`,
      `add api_base: "http://HOST:PORT/v1" to the entry, base_url to the profile, or use provider: ollama`
    )
  }
  return null
}

const shared = (project: ResolvableProject, options: ResolveOptions) => ({
  root: project.root,
  env: { ...project.env, ...(options.env ?? process.env) },
  ...(project.run === undefined
    ? {}
    : { idleTimeoutS: project.run.idleTimeoutS, requestTimeoutS: project.run.requestTimeoutS })
})

/**
 * The configuration of a model's connector, decided from its entry and the project's profiles; nothing is built or read.
 *
 * An explicit `provider` (profile id, kind or alias) decides; else `api_base` means an OpenAI-compatible server; else
 * the id itself (`routeModel`). `source.apiBase` of the result is the address in force: the entry's, the profile's or,
 * for local servers, their usual one.
 */
export const resolveModel = (
  entry: ModelEntry,
  project: ResolvableProject,
  options: ResolveOptions = {}
): Result.Result<ConnectorConfig, ConnectorError> => {
  const source: ModelSource = {
    _tag: "Model",
    model: entry.model,
    provider: entry.provider,
    apiKeyEnv: entry.apiKeyEnv,
    apiBase: entry.apiBase
  }
  const found = findRoute(source, project, new Set(options.kinds ?? []))
  if (Result.isFailure(found)) return Result.fail(found.failure)
  const route = found.success
  const usual = route.server === null ? null : (localServers[route.server] ?? null)
  const apiBase = source.apiBase ?? route.profile?.baseUrl ?? usual
  const wrong = checkRoute(source, route, apiBase)
  if (wrong !== null) return wrong
  return Result.succeed({
    source: { ...source, apiBase },
    kind: route.kind,
    profile: route.profile,
    model: withPrefix(route.model, route.profile?.modelPrefix),
    params: { ...project.defaults.params, ...route.profile?.params, ...entry.params },
    ...shared(project, options),
    exposeReference: false,
    blocking: false
  })
}

/** The configuration of a contestant's connector; see `resolveModel`. Pure: nothing is built, read or called. */
export const resolveConnector = <R>(
  contestant: Contestant<R>,
  project: ResolvableProject,
  options: ResolveOptions = {}
): Result.Result<ConnectorConfig<R>, ConnectorError> => {
  const source = contestant.source
  if (source._tag === "Model") return resolveModel({ ...source, params: contestant.params }, project, options)
  return Result.succeed({
    source,
    kind: targetKind[source._tag],
    profile: null,
    model: contestant.model,
    params: { ...project.defaults.params, ...contestant.params },
    ...shared(project, options),
    exposeReference: contestant.exposeReference,
    blocking: contestant.blocking
  })
}
