import * as Context from "effect/Context"
import type * as Semaphore from "effect/Semaphore"

/**
 * The cap on requests in flight that is in force here; null = none. The outermost batch that has one sets it, batches
 * inside share it. A permit is held from sending a request to its answer, never while waiting or backing off.
 */
export const RequestCap = Context.Reference<Semaphore.Semaphore | null>(
  "@agent-arena/core/scenario/executor/RequestCap",
  { defaultValue: () => null }
)
