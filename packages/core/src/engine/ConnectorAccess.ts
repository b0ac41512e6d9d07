import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Connector, ConnectorConfig, ConnectorError } from "../connector/Connector.ts"
import type { ConnectorMap } from "../connector/ConnectorMap.ts"
import { contestantHash } from "../connector/ContestantHash.ts"
import * as Cassette from "../connector/cassette/Cassette.ts"
import type { RunSettings } from "../domain/Settings.ts"
import { moduleHash } from "../project/ProjectModule.ts"
import { cachedConnector } from "./cache/CachedConnector.ts"
import type { ResponseCache } from "./cache/ResponseCache.ts"

/** What stands between a run and its connectors: recordings and the response cache. */
export interface ConnectorAccess {
  readonly run: Pick<RunSettings, "record" | "replay">
  readonly connectors: ConnectorMap["Service"]
  /** Null = off. */
  readonly cache: ResponseCache["Service"] | null
  /** Hears of a cache that does not work. */
  readonly cacheFailed: (message: string) => void
}

/** Content of a callable's module; null for everything else, and when it cannot be read (preflight has said so). */
export const sourceHash = (config: ConnectorConfig<unknown>): Effect.Effect<string | null> =>
  config.source._tag === "Callable"
    ? Effect.orElseSucceed(moduleHash(config.root, config.source.module), () => null)
    : Effect.succeed(null)

const withCache = (access: ConnectorAccess, connector: Connector["Service"], config: ConnectorConfig<unknown>) =>
  Effect.map(sourceHash(config), (module) =>
    access.cache === null
      ? connector
      : cachedConnector(
          connector,
          { contestantHash: contestantHash(config, null, module), model: config.model },
          access.cache,
          access.cacheFailed
        )
  )

/**
 * The connector of a contestant, judge or inner model as a run uses it. With `run.replay` nothing is built and no key is
 * needed: its recording answers, and only that.
 */
export const obtain = (
  access: ConnectorAccess,
  key: string,
  config: ConnectorConfig<unknown>
): Effect.Effect<Connector["Service"], ConnectorError, Scope.Scope> => {
  const { connectors, run } = access
  const cassette = { contestant: key, model: config.model }
  if (run.replay !== null) return Cassette.replay({ ...cassette, dir: run.replay })
  const { record } = run
  const built = connectors.get(key)
  const recorded =
    record === null
      ? built
      : Effect.flatMap(built, (connector) => Cassette.record(connector, { ...cassette, dir: record }))
  return Effect.flatMap(recorded, (connector) => withCache(access, connector, config))
}
