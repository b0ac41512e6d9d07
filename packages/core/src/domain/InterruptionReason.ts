import * as Context from "effect/Context"
import type { StopRequest } from "./Run.ts"

/**
 * What it means when the fiber of a run is interrupted, asked when that happens. A program that knows better than
 * `interrupted`, because a signal has told it, provides it.
 */
export const InterruptionReason = Context.Reference<() => StopRequest>("@agent-arena/core/domain/InterruptionReason", {
  defaultValue: () => () => "interrupted"
})
