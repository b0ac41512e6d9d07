import * as fs from "node:fs"
import * as tls from "node:tls"
import { ConnectorError } from "@agent-arena/core/connector/Connector"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici"

/** How to reach a server. */
export interface AgentOptions {
  /** Explicit proxy; null = those of the environment. May contain credentials. */
  readonly proxy: string | null
  readonly verifyTls: boolean
  /** Absolute path of a PEM bundle, trusted besides the system's own; null = only those. */
  readonly caFile: string | null
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Hosts that the proxies of the environment are never used for; a model server on this machine is not behind a proxy. */
const loopback = "localhost,127.0.0.1,[::1]"

const readCa = (path: string): Effect.Effect<ReadonlyArray<string>, ConnectorError> =>
  Effect.try({
    try: () => [...tls.getCACertificates("default"), fs.readFileSync(path, "utf8")],
    catch: (cause) =>
      new ConnectorError({
        detail: `the CA bundle ${path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`,
        suggestion: "check `verify_tls` of this provider"
      })
  })

const variable = (env: AgentOptions["env"], name: string): string => env[name.toLowerCase()] ?? env[name] ?? ""

/** The proxies in force; "" = none. Addresses may contain credentials. */
export const proxies = (options: AgentOptions): { httpProxy: string; httpsProxy: string; noProxy: string } => {
  const noProxy = variable(options.env, "NO_PROXY")
  if (options.proxy !== null) return { httpProxy: options.proxy, httpsProxy: options.proxy, noProxy }
  const all = variable(options.env, "ALL_PROXY")
  return {
    httpProxy: variable(options.env, "HTTP_PROXY") || all,
    httpsProxy: variable(options.env, "HTTPS_PROXY") || all,
    noProxy: noProxy === "" ? loopback : `${noProxy},${loopback}`
  }
}

const build = (options: AgentOptions, ca: ReadonlyArray<string> | null): Dispatcher => {
  const tlsOptions = { rejectUnauthorized: options.verifyTls, ...(ca === null ? {} : { ca: [...ca] }) }
  const shared = {
    // Time is limited by the engine's clock, not here.
    headersTimeout: 0,
    bodyTimeout: 0,
    // One call per connection, so that interrupting a call closes its socket and no other.
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: 64 * 1024
  }
  const { httpProxy, httpsProxy, noProxy } = proxies(options)
  if (httpProxy === "" && httpsProxy === "") return new Agent({ ...shared, connect: tlsOptions })
  return new EnvHttpProxyAgent({
    ...shared,
    connect: tlsOptions,
    requestTls: tlsOptions,
    proxyTls: tlsOptions,
    httpProxy,
    httpsProxy,
    noProxy
  })
}

/** A connection pool that lives as long as the scope: when it closes, its sockets are destroyed. */
export const make = Effect.fnUntraced(function* (
  options: AgentOptions
): Effect.fn.Return<Dispatcher, ConnectorError, Scope.Scope> {
  const ca = options.caFile === null ? null : yield* readCa(options.caFile)
  return yield* Effect.acquireRelease(
    Effect.try({
      try: () => build(options, ca),
      catch: () =>
        new ConnectorError({
          detail: "the proxy address is not valid",
          suggestion: "write it as http://host:port, in `proxy` of this provider or in HTTPS_PROXY"
        })
    }),
    (agent) => Effect.promise(() => agent.destroy().catch(() => undefined))
  )
})
