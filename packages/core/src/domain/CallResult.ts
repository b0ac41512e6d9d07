import * as Schema from "effect/Schema"
import { AnsweredFrom, Step, TokenUsage } from "./Generation.ts"
import { GenerationReason } from "./GenerationError.ts"
import { CaseId, ContestantKey } from "./Ids.ts"
import { ScorerResult } from "./Score.ts"

const Quantity = Schema.NullOr(Schema.Finite)

/** Coordinates of a cell of the matrix. `trial` is 1-based. */
export const Cell = Schema.Struct({ contestant: ContestantKey, caseId: CaseId, trial: Schema.Int })
export type Cell = typeof Cell.Type

/** How a cell ended. `timeout` = the cell limit; a request limit that was exhausted is an `error`. */
export const CellStopReason = Schema.Literals(["answered", "timeout", "error", "run_stopped"])
export type CellStopReason = typeof CellStopReason.Type

/** Where a cost came from: the provider's bill, the target itself, or the price book. */
export const CostSource = Schema.Literals(["provider", "price_book"])
export type CostSource = typeof CostSource.Type

/** What went wrong in a cell. `kind` says whose fault it was. */
export const CellError = Schema.Struct({
  kind: Schema.Literals(["generation", "scorer", "hook", "timeout", "cancelled", "internal"]),
  /** Set for `kind: generation`. */
  reason: Schema.NullOr(GenerationReason),
  status: Schema.NullOr(Schema.Int),
  /** The scorer or hook that failed. */
  source: Schema.NullOr(Schema.String),
  message: Schema.String
})
export type CellError = typeof CellError.Type

/** One try of the cell's request. All times in ms. */
export const Attempt = Schema.Struct({
  startedAt: Schema.Finite,
  durationMs: Schema.Finite,
  error: Schema.NullOr(CellError),
  /** Tokens and cost (USD) of a failed attempt, where the provider counted them; absent = it did not say. */
  usage: Schema.optionalKey(TokenUsage),
  costUsd: Schema.optionalKey(Quantity),
  /** Sleep before the next attempt (backoff or Retry-After); 0 when there is none. */
  waitMs: Schema.Finite
})
export type Attempt = typeof Attempt.Type

/**
 * The recorded outcome of one cell; everything a report, a re-score or a resume needs. Unknown quantities are null.
 *
 * Times are ms (`startedAt`, `finishedAt`: Unix epoch), costs USD, scores 0..1.
 */
export const CallResult = Schema.Struct({
  ...Cell.fields,
  status: Schema.Literals(["ok", "error"]),
  stopReason: CellStopReason,
  model: Schema.String,
  provider: Schema.String,
  servedModel: Schema.NullOr(Schema.String),
  /** The answer that was scored (after `post_process`). */
  output: Schema.NullOr(Schema.String),
  /** The contestant's own words, when a hook changed them; else null. */
  originalOutput: Schema.NullOr(Schema.String),
  reasoning: Schema.NullOr(Schema.String),
  score: Quantity,
  passed: Schema.NullOr(Schema.Boolean),
  reason: Schema.String,
  scores: Schema.Array(ScorerResult),
  error: Schema.NullOr(CellError),
  /** Latency of the successful attempt: the fair clock for ranking. */
  latencyMs: Quantity,
  timeToFirstTokenMs: Quantity,
  /** Waiting for rate limits, and sleeping between attempts. */
  rateLimitWaitMs: Schema.Finite,
  retryWaitMs: Schema.Finite,
  /** From the start of the first attempt to the end of scoring. */
  durationMs: Schema.Finite,
  usage: TokenUsage,
  costUsd: Quantity,
  costSource: Schema.NullOr(CostSource),
  attempts: Schema.Array(Attempt),
  /** Inner calls of a pipeline target, in order of completion. */
  steps: Schema.Array(Step),
  /** Calls made to judge the answer; paid for, but no part of the contestant's own cost. */
  scoringSteps: Schema.optionalKey(Schema.Array(Step)),
  metrics: Schema.Record(Schema.String, Schema.Finite),
  finishReason: Schema.NullOr(Schema.String),
  responseId: Schema.NullOr(Schema.String),
  requestId: Schema.NullOr(Schema.String),
  toolCalls: Schema.Array(Schema.Unknown),
  settingsApplied: Schema.Array(Schema.String),
  settingsDropped: Schema.Array(Schema.String),
  /** Absent = answered live. From the cache: no latency, and no money spent now. */
  answeredFrom: Schema.optionalKey(AnsweredFrom),
  trace: Schema.Unknown,
  startedAt: Schema.Finite,
  finishedAt: Schema.Finite
})
export type CallResult = typeof CallResult.Type
