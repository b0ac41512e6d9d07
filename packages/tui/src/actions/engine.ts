import * as Connectors from "@agent-arena/connectors/Connectors"
import { Arena } from "@agent-arena/core/engine/Arena"
import * as Layer from "effect/Layer"

/** The engine with every provider; providers load when a contestant needs them. */
export const engine = Layer.mergeAll(Arena.layer, Connectors.layer)
