import * as Context from "effect/Context"
import type { ConnectorFactory } from "./Connector.ts"

/** Connector factories by kind, beyond the built-in `mock`, `callable`, `command`, `url`; provided by `Connectors.layer`. */
export const ConnectorRegistry = Context.Reference<ReadonlyMap<string, ConnectorFactory>>(
  "@agent-arena/core/connector/ConnectorRegistry",
  { defaultValue: () => new Map() }
)
