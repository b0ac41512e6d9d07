/** What is recorded of a played scenario. */
import * as Schema from "effect/Schema"
import { TokenUsage } from "../../domain/Generation.ts"
import { Message } from "../../domain/Message.ts"
import { ScorerResult } from "../../domain/Score.ts"

const Quantity = Schema.NullOr(Schema.Finite)
const Values = Schema.Record(Schema.String, Schema.Unknown)

/**
 * How a scenario ended. `completed`: END or a node without a way on. `limit_reached`: cut off by a limit of turns, visits,
 * tokens or cost. `timeout`: out of time. `error`: a turn failed. `run_stopped`: interrupted from outside.
 */
export const ScenarioStatus = Schema.Literals(["completed", "limit_reached", "timeout", "error", "run_stopped"])
export type ScenarioStatus = typeof ScenarioStatus.Type

/** Whose fault a failed turn is. */
export const FailureCategory = Schema.Literals([
  "timeout",
  "connection",
  "rate_limit",
  "server_error",
  "authentication",
  "content_filter",
  "invalid_request",
  "target",
  "parsing",
  "scorer",
  "handover",
  "unexpected_error"
])
export type FailureCategory = typeof FailureCategory.Type

/** Why a scenario ended in `error` or `timeout`. */
export const TurnFailure = Schema.Struct({
  node: Schema.String,
  /** 0-based. */
  turn: Schema.Int,
  category: FailureCategory,
  /** `GenerateAnswer`, `ParseAnswer`, `VerifyAnswer`, `Handover`. */
  stage: Schema.Literals(["GenerateAnswer", "ParseAnswer", "VerifyAnswer", "Handover"]),
  reason: Schema.String
})
export type TurnFailure = typeof TurnFailure.Type

/** Something that went wrong without ending the scenario: a comparison that could not be made, an update rolled back. */
export const SoftFault = Schema.Struct({
  /** Turns finished when it happened. */
  turn: Schema.Int,
  /** `edge ask -> press`, `update of ask`, `outcome firm`, … */
  where: Schema.String,
  field: Schema.String,
  message: Schema.String
})
export type SoftFault = typeof SoftFault.Type

/** Where an answer came from. */
export const AnswerSource = Schema.Literals(["live", "cache", "replay"])
export type AnswerSource = typeof AnswerSource.Type

/** One visit of one node. Times in ms, cost in USD; unknown quantities are null. */
export const TurnRecord = Schema.Struct({
  /** 0-based position in the path. */
  index: Schema.Int,
  node: Schema.String,
  /** How often the node had been visited before. */
  visit: Schema.Int,
  agent: Schema.String,
  contestant: Schema.String,
  /** What the node asks, templates filled in. */
  question: Schema.String,
  /** What was really sent as the last message: with the transcript of a handover. */
  prompt: Schema.String,
  system: Schema.NullOr(Schema.String),
  /** Index of the first turn of the conversation that was sent along: prompts and answers from there on. */
  since: Schema.Int,
  /** Messages that a handover by function put before that conversation; null = none. */
  given: Schema.NullOr(Schema.Array(Message)),
  /** Null when the turn failed. */
  output: Schema.NullOr(Schema.String),
  verifyResult: Schema.NullOr(Schema.Boolean),
  score: Quantity,
  reason: Schema.String,
  scores: Schema.Array(ScorerResult),
  parsed: Values,
  toolCalls: Schema.Array(Schema.Unknown),
  /** What the tools returned, in the order of the calls; absent = nothing is known. */
  toolResults: Schema.optionalKey(Schema.Array(Schema.Unknown)),
  usage: TokenUsage,
  costUsd: Quantity,
  latencyMs: Quantity,
  /** Tries of this turn, repeated ones included. */
  tries: Schema.Int,
  source: AnswerSource,
  handover: Schema.NullOr(Schema.String),
  error: Schema.NullOr(Schema.String)
})
export type TurnRecord = typeof TurnRecord.Type

/** What a node came to on its last visit. */
export const NodeResult = Schema.Struct({
  verify_result: Schema.NullOr(Schema.Boolean),
  score: Quantity,
  output: Schema.String,
  parsed: Values,
  /** Score by scorer. */
  rubric: Schema.Record(Schema.String, Quantity)
})
export type NodeResult = typeof NodeResult.Type

/** The state that conditions, templates and updates see. It never holds an expected answer. */
export const ScenarioState = Schema.Struct({
  /** Turns finished so far. */
  turn: Schema.Int,
  currentNode: Schema.String,
  verifyResult: Schema.NullOr(Schema.Boolean),
  score: Quantity,
  output: Schema.String,
  parsed: Values,
  toolCalls: Schema.Array(Schema.String),
  nodeVisits: Schema.Record(Schema.String, Schema.Int),
  accumulated: Values,
  nodeResults: Schema.Record(Schema.String, NodeResult),
  costUsd: Quantity,
  elapsedMs: Schema.Finite,
  turns: Schema.Array(TurnRecord)
})
export type ScenarioState = typeof ScenarioState.Type

/** A named result of a scenario; null = it could not be assessed. */
export const OutcomeValue = Schema.NullOr(Schema.Union([Schema.Boolean, Schema.Finite]))
export type OutcomeValue = typeof OutcomeValue.Type

/** What a played scenario came to. */
export const ScenarioResult = Schema.Struct({
  scenario: Schema.String,
  /** Content hash of the scenario that was played. */
  hash: Schema.String,
  contestant: Schema.String,
  judge: Schema.NullOr(Schema.String),
  /** 0 is a replicate like any other; null = not replicated. */
  replicate: Schema.NullOr(Schema.Int),
  status: ScenarioStatus,
  /** Which limit cut it off: `turns`, `visits`, `tokens`, `cost`, `time`; null = none. */
  limit: Schema.NullOr(Schema.Literals(["turns", "visits", "tokens", "cost", "time"])),
  path: Schema.Array(Schema.String),
  turns: Schema.Array(TurnRecord),
  accumulated: Values,
  nodeVisits: Schema.Record(Schema.String, Schema.Int),
  outcomes: Schema.Record(Schema.String, OutcomeValue),
  /** 0..1; null unless the scenario ended by itself or at a limit, and its outcomes could be assessed. */
  score: Quantity,
  failure: Schema.NullOr(TurnFailure),
  softFaults: Schema.Array(SoftFault),
  usage: TokenUsage,
  costUsd: Quantity,
  elapsedMs: Schema.Finite
})
export type ScenarioResult = typeof ScenarioResult.Type
