import * as Context from "effect/Context"
import type * as Semaphore from "effect/Semaphore"

/**
 * The cap on requests in flight that is in force here; null = none. The outermost batch that has one sets it, batches
 * inside share it. A permit is held from sending a request to its answer, never while waiting or backing off.
 *
 * Inside: what `respond` and the judge do. Outside: scorers, functions, files, waiting for an answer of another play.
 * Plays in the cells of a run take no permit of it: their turns are calls of the run, and `run.concurrency` and the
 * limits of the account hold for them as for plain cells.
 */
export const RequestCap = Context.Reference<Semaphore.Semaphore | null>(
  "@agent-arena/core/scenario/executor/RequestCap",
  { defaultValue: () => null }
)
