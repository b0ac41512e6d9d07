import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LayerMap from "effect/LayerMap"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { didYouMean } from "../domain/DidYouMean.ts"
import { Connector, type ConnectorConfig, ConnectorError, type ConnectorFactory } from "./Connector.ts"
import { ConnectorRegistry } from "./ConnectorRegistry.ts"
import { layerCallable } from "./callable/CallableConnector.ts"
import { layerCommand } from "./command/CommandConnector.ts"
import { layerInline } from "./InlineConnector.ts"
import { layerMock } from "./mock/MockConnector.ts"
import { layerUrl } from "./url/UrlConnector.ts"

/** Factories that need nothing but this package. `inline` is not among them: it needs the program's context. */
const builtIn: ReadonlyMap<string, ConnectorFactory> = new Map([
  ["mock", layerMock],
  ["callable", layerCallable],
  ["command", layerCommand],
  ["url", layerUrl]
])

export interface ConnectorMapOptions {
  /** Finds the configuration of a key that is not among the entries: a model id named by an inner call, for one. */
  readonly resolve?: (key: string) => Result.Result<ConnectorConfig, ConnectorError>
}

const isPlain = <R>(config: ConnectorConfig<R>): config is ConnectorConfig<R> & ConnectorConfig =>
  config.source._tag !== "Inline"

const unavailable = (kind: string, registry: ReadonlyMap<string, ConnectorFactory>) => {
  const available = [...builtIn.keys(), ...registry.keys()]
  return new ConnectorError({
    detail: `no connector of kind "${kind}" is available in this program; available: ${available.join(", ")}`,
    suggestion:
      registry.size === 0 ? "provide Connectors.layer of @agent-arena/connectors" : didYouMean(kind, available)
  })
}

/** Connectors of one run by contestant key (or any other id): built on first use, shared, released with the run's scope. */
export class ConnectorMap extends Context.Service<
  ConnectorMap,
  {
    /**
     * The connector of a key; the same one for everybody who asks, until the map's own scope closes. Ask once per
     * contestant and call `generate` of what comes back: there is no look-up on the path of a cell.
     */
    readonly get: (key: string) => Effect.Effect<Connector["Service"], ConnectorError, Scope.Scope>
  }
>()("@agent-arena/core/connector/ConnectorMap") {
  static readonly get = (
    key: string
  ): Effect.Effect<Connector["Service"], ConnectorError, Scope.Scope | ConnectorMap> =>
    Effect.flatMap(ConnectorMap, (map) => map.get(key))

  /**
   * Makes the map of a run. Inline targets run with the context in which it is made, which is why their requirements
   * `R` are the requirements of this effect. Kinds that are not built in come from `ConnectorRegistry`.
   */
  static readonly make = Effect.fnUntraced(function* <R = never>(
    entries: ReadonlyMap<string, ConnectorConfig<R>>,
    options: ConnectorMapOptions = {}
  ) {
    const context = yield* Effect.context<R>()
    const registry = yield* ConnectorRegistry
    const layerOf = (config: ConnectorConfig<R>): Layer.Layer<Connector, ConnectorError> => {
      if (config.source._tag === "Inline") return layerInline(config.source.run, context, config.exposeReference)
      const factory = registry.get(config.kind) ?? builtIn.get(config.kind)
      return factory === undefined || !isPlain(config)
        ? Layer.effect(Connector, Effect.fail(unavailable(config.kind, registry)))
        : factory(config)
    }
    const find = (key: string): Result.Result<ConnectorConfig<R>, ConnectorError> => {
      const config = entries.get(key)
      if (config !== undefined) return Result.succeed(config)
      const detail = `no contestant or model "${key}" is configured`
      return (
        options.resolve?.(key) ??
        Result.fail(new ConnectorError({ detail, suggestion: didYouMean(key, entries.keys()) }))
      )
    }
    // An infinite time to live keeps a connector, once built, until the scope of the map closes.
    const layers = yield* LayerMap.make(
      (key: string) =>
        Result.match(find(key), {
          onFailure: (error) => Layer.effect(Connector, Effect.fail(error)),
          onSuccess: layerOf
        }),
      { idleTimeToLive: "Infinity" }
    )
    const get = (key: string) => Effect.map(layers.contextEffect(key), Context.get(Connector))
    return ConnectorMap.of({ get })
  })

  static readonly layer = <R = never>(
    entries: ReadonlyMap<string, ConnectorConfig<R>>,
    options: ConnectorMapOptions = {}
  ) => Layer.effect(ConnectorMap, ConnectorMap.make(entries, options))
}
