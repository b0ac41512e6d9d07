import * as Schema from "effect/Schema"
import { Cell, CellError, CellStopReason } from "./CallResult.ts"
import { ContestantKey, RunId } from "./Ids.ts"
import { CellCounts, RunEnding } from "./Run.ts"

/** Version of the event format; raised when a field changes its meaning. */
export const eventVersion = 1

/** `at` is Unix epoch ms. `seq` grows by one per event of a run, so a gap tells a slow reader what it missed. */
const stamp = { v: Schema.Literal(eventVersion), seq: Schema.Int, at: Schema.Finite, runId: RunId }

export const RunStarted = Schema.TaggedStruct("RunStarted", {
  ...stamp,
  project: Schema.String,
  contestants: Schema.Array(ContestantKey),
  skipped: Schema.Record(Schema.String, Schema.String),
  cases: Schema.Int,
  trials: Schema.Int,
  planned: Schema.Int
})
export const CellStarted = Schema.TaggedStruct("CellStarted", { ...stamp, ...Cell.fields })
export const AttemptFailed = Schema.TaggedStruct("AttemptFailed", {
  ...stamp,
  ...Cell.fields,
  attempt: Schema.Int,
  error: CellError,
  /** ms until the next attempt; null when there is none. */
  retryInMs: Schema.NullOr(Schema.Finite)
})
/** Emitted only after the result is durable in the store. */
export const CellFinished = Schema.TaggedStruct("CellFinished", {
  ...stamp,
  ...Cell.fields,
  status: Schema.Literals(["ok", "error"]),
  stopReason: CellStopReason,
  score: Schema.NullOr(Schema.Finite),
  passed: Schema.NullOr(Schema.Boolean),
  latencyMs: Schema.NullOr(Schema.Finite),
  costUsd: Schema.NullOr(Schema.Finite),
  promptTokens: Schema.NullOr(Schema.Finite),
  completionTokens: Schema.NullOr(Schema.Finite),
  attempts: Schema.Int,
  error: Schema.NullOr(CellError),
  /** Whether the outcome was taken over from an earlier run. */
  reused: Schema.Boolean
})
export const RateLimited = Schema.TaggedStruct("RateLimited", {
  ...stamp,
  provider: Schema.String,
  waitMs: Schema.Finite
})
export const BudgetWarning = Schema.TaggedStruct("BudgetWarning", {
  ...stamp,
  contestant: Schema.NullOr(ContestantKey),
  spentUsd: Schema.Finite,
  limitUsd: Schema.Finite
})
export const RunPaused = Schema.TaggedStruct("RunPaused", stamp)
export const RunResumed = Schema.TaggedStruct("RunResumed", stamp)
export const RunStopping = Schema.TaggedStruct("RunStopping", {
  ...stamp,
  reason: Schema.String,
  inFlight: Schema.Int,
  drainMs: Schema.Finite
})
export const RunFinished = Schema.TaggedStruct("RunFinished", {
  ...stamp,
  ending: RunEnding,
  counts: CellCounts,
  totalCostUsd: Schema.NullOr(Schema.Finite)
})

/** Everything that happens in a run, as it is streamed to subscribers and written as NDJSON. */
export const RunEvent = Schema.Union([
  RunStarted,
  CellStarted,
  AttemptFailed,
  CellFinished,
  RateLimited,
  BudgetWarning,
  RunPaused,
  RunResumed,
  RunStopping,
  RunFinished
])
export type RunEvent = typeof RunEvent.Type

/** The run as a whole at one moment; a late or slow subscriber rebuilds itself from it. */
export const RunSnapshot = Schema.Struct({
  runId: RunId,
  project: Schema.String,
  /** `seq` of the last event that this snapshot contains. */
  seq: Schema.Int,
  phase: Schema.Literals(["running", "paused", "stopping", "finished"]),
  stopReason: Schema.NullOr(Schema.String),
  counts: CellCounts,
  inFlight: Schema.Int,
  retries: Schema.Int,
  passed: Schema.Int,
  /** Sum of known costs, USD; null when none is known. */
  spentUsd: Schema.NullOr(Schema.Finite),
  startedAt: Schema.Finite,
  elapsedMs: Schema.Finite
})
export type RunSnapshot = typeof RunSnapshot.Type
