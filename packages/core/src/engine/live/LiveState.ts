/** How a run that goes on stands in detail: for a program that looks on, and for the live file beside its database. */
import * as Schema from "effect/Schema"
import { Cell } from "../../domain/CallResult.ts"
import { CaseId } from "../../domain/Ids.ts"
import { RunHost } from "../../domain/Run.ts"
import { RunEvent, RunSnapshot } from "../../domain/RunEvent.ts"

/** A cell that has begun and is not over. */
export const CellInFlight = Schema.Struct({
  ...Cell.fields,
  /** Unix epoch ms. */
  startedAt: Schema.Finite,
  /** Tries of its calls that have failed so far. */
  failedAttempts: Schema.Int,
  /** When the try after the last failed one begins, Unix epoch ms; null = none has failed. */
  retryAt: Schema.NullOr(Schema.Finite),
  /** It only waits for leave to send its first request. */
  queued: Schema.Boolean
})
export type CellInFlight = typeof CellInFlight.Type

export const LiveState = Schema.Struct({
  snapshot: RunSnapshot,
  inFlight: Schema.Array(CellInFlight),
  /** The latest events, oldest first, but for beginnings and ends of cells. */
  events: Schema.Array(RunEvent),
  /** How many events of these kinds there were in all. */
  told: Schema.Int
})
export type LiveState = typeof LiveState.Type

/** Version of the live file; raised when a field changes its meaning. */
export const liveVersion = 1

/** What does not change while a part of the run goes on. */
export const LiveFacts = Schema.Struct({
  host: RunHost,
  /** Number of this part of the run: 1 for its start, more after it was resumed. */
  segment: Schema.Int,
  /** `budgets.max_run_usd`; null = none. */
  maxRunUsd: Schema.NullOr(Schema.Finite),
  /** How long cells in flight may take to finish after a stop, ms. */
  drainMs: Schema.Finite,
  /** The same after SIGTERM, ms. */
  termDrainMs: Schema.Finite,
  /** Which outcomes of earlier parts are asked again, and so do not stand for now; null = nothing was there before. */
  repeat: Schema.NullOr(
    Schema.Struct({
      errors: Schema.Boolean,
      failed: Schema.Boolean,
      cases: Schema.Array(CaseId),
      cells: Schema.Array(Cell)
    })
  )
})
export type LiveFacts = typeof LiveFacts.Type

/** The document of a live file. `at` is when it was written, Unix epoch ms. */
export const LiveDocument = Schema.Struct({
  v: Schema.Literal(liveVersion),
  at: Schema.Finite,
  ...LiveFacts.fields,
  ...LiveState.fields
})
export type LiveDocument = typeof LiveDocument.Type
