import { scrubber } from "@agent-arena/core/domain/Secrets"
/** Builds the connector of a kind: credential, address, connections, provider package, in this order. */

import * as path from "node:path"
import { Connector, type ConnectorConfig, ConnectorError } from "@agent-arena/core/connector/Connector"
import { userInfoOf } from "@agent-arena/core/domain/SecretText"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { fromAiSdk } from "../adapter/FromAiSdk.ts"
import * as Credential from "../credentials/Credential.ts"
import * as Reference from "../credentials/Reference.ts"
import * as Agent from "../transport/Agent.ts"
import * as BaseUrl from "../transport/BaseUrl.ts"
import * as Fetch from "../transport/Fetch.ts"
import * as ModelList from "../transport/ModelList.ts"
import type { KindSpec, Setup } from "./KindSpec.ts"

type Secret = Redacted.Redacted<string>

const writtenUrl = (spec: KindSpec, config: ConnectorConfig): string | null => {
  const own = config.source._tag === "Model" ? config.source.apiBase : null
  const fromEnv = spec.urlVariables.map((name) => config.env[name]?.trim() ?? "").find((value) => value !== "")
  return own ?? config.profile?.baseUrl ?? fromEnv ?? spec.defaultUrl
}

const invalidUrl = new ConnectorError({
  detail: "the base_url is not a valid http(s) address",
  suggestion: "write it as https://host/v1"
})

const address = Effect.fnUntraced(function* (spec: KindSpec, config: ConnectorConfig) {
  const written = writtenUrl(spec, config)
  if (written === null) return null
  const { text, secrets } = yield* Reference.resolve(written, { env: config.env, root: config.root })
  const parsed = BaseUrl.parse(text, spec.versionPath)
  if (parsed === null) return yield* invalidUrl
  return { ...parsed, secrets: [...secrets, ...parsed.secrets] }
})

/** Credentials of a proxy, be it written in the profile or in the environment. */
const proxySecrets = (proxy: string): ReadonlyArray<Secret> =>
  URL.canParse(proxy) ? userInfoOf(new URL(proxy)).secrets : []

const variables = (spec: KindSpec, config: ConnectorConfig): ReadonlyArray<Secret> =>
  (spec.secretVariables ?? []).flatMap((name) => {
    const value = config.env[name]?.trim() ?? ""
    return value === "" ? [] : [Redacted.make(value)]
  })

const openAgent = Effect.fnUntraced(function* (config: ConnectorConfig) {
  const { profile, env, root } = config
  const written = profile?.proxy ?? null
  const proxy = written === null ? null : (yield* Reference.resolve(written, { env, root })).text
  const caFile = profile?.caFile ?? null
  const options: Agent.AgentOptions = {
    proxy,
    verifyTls: profile?.verifyTls ?? true,
    caFile: caFile === null ? null : path.resolve(root, caFile),
    env
  }
  const { httpProxy, httpsProxy } = Agent.proxies(options)
  return { agent: yield* Agent.make(options), secrets: [httpProxy, httpsProxy].flatMap(proxySecrets) }
})

const timeoutS = (config: ConnectorConfig): number | undefined => {
  const own = config.profile?.timeoutS ?? config.requestTimeoutS ?? 0
  return own > 0 ? own : undefined
}

/** Finds the credential and the address, and opens connections; nothing of the provider is loaded. */
const open = Effect.fnUntraced(function* (spec: KindSpec, config: ConnectorConfig) {
  const key = yield* Credential.find(config, spec.keyVariables, spec.keyRequired)
  const extra = yield* Credential.headers(config)
  const base = yield* address(spec, config)
  const { agent, secrets: ofProxies } = yield* openAgent(config)
  const secrets = [
    ...(key === null ? [] : [key]),
    ...extra.secrets,
    ...(base?.secrets ?? []),
    ...ofProxies,
    ...variables(spec, config)
  ]
  const setup: Setup = {
    config,
    baseUrl: base?.url ?? null,
    query: base?.query ?? {},
    key: key === null ? null : Redacted.value(key),
    headers: { ...(base?.authorization == null ? {} : { authorization: base.authorization }), ...extra.values },
    // Most packages take an address without a query.
    fetch: Fetch.withQuery(Fetch.make(agent), base?.query ?? {})
  }
  return { setup, secrets }
})

const build = Effect.fnUntraced(function* (spec: KindSpec, config: ConnectorConfig) {
  const { setup, secrets } = yield* open(spec, config)
  const scrub = scrubber(secrets)
  // A package that refuses its settings may repeat them.
  const model = yield* Effect.mapError(
    spec.model(setup),
    ({ detail, suggestion }) => new ConnectorError({ detail: scrub(detail), suggestion })
  )
  const limit = timeoutS(config)
  return fromAiSdk({
    model,
    provider: spec.kind,
    secrets,
    root: config.root,
    ...(spec.extras === null ? {} : { extras: spec.extras }),
    ...(config.idleTimeoutS === undefined ? {} : { idleTimeoutS: config.idleTimeoutS }),
    ...(limit === undefined ? {} : { timeoutS: limit }),
    ...(setup.baseUrl === null ? {} : { address: setup.baseUrl }),
    ...(spec.reportedCost === undefined ? {} : { reportedCost: spec.reportedCost }),
    ...(spec.probed ? { healthCheck: ModelList.healthCheck(setup, scrub) } : {})
  })
})

/** The Layer of a connector of this kind. Its sockets close with the Layer's scope. */
export const make = (spec: KindSpec, config: ConnectorConfig): Layer.Layer<Connector, ConnectorError> =>
  Layer.effect(Connector, build(spec, config))

/** The models that the server of a configuration lists. */
export const listModels = Effect.fnUntraced(function* (spec: KindSpec, config: ConnectorConfig) {
  const { setup, secrets } = yield* open(spec, config)
  if (!spec.probed || setup.baseUrl === null) {
    return yield* new ConnectorError({ detail: `kind ${spec.kind} lists no models`, suggestion: null })
  }
  return yield* ModelList.discover(setup, scrubber(secrets)).pipe(
    Effect.mapError((detail) => new ConnectorError({ detail, suggestion: null }))
  )
}, Effect.scoped)
