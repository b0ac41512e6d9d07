/** One recorded exchange, as a line of a cassette. */
import { createHash } from "node:crypto"
import * as Schema from "effect/Schema"
import type { CellContext, GenerationRequest } from "../../domain/Generation.ts"
import * as Generation from "../../domain/Generation.ts"
import { TokenUsage } from "../../domain/Generation.ts"
import * as GenerationErrors from "../../domain/GenerationError.ts"
import { GenerationError, GenerationReason } from "../../domain/GenerationError.ts"
import { placeless } from "./Placeless.ts"

/** Format of the lines; a reader refuses what is newer. */
export const version = 1

const Quantity = Schema.NullOr(Schema.Finite)
const Text = Schema.NullOr(Schema.String)

const Answer = Schema.Struct({
  text: Schema.String,
  reasoning: Text,
  servedModel: Text,
  usage: TokenUsage,
  costUsd: Quantity,
  timeToFirstTokenMs: Quantity,
  finishReason: Text,
  responseId: Text,
  requestId: Text,
  toolCalls: Schema.Array(Schema.Unknown),
  metrics: Schema.Record(Schema.String, Schema.Finite),
  trace: Schema.Unknown,
  settingsApplied: Schema.Array(Schema.String),
  settingsDropped: Schema.Array(Schema.String)
})

const Failure = Schema.Struct({
  reason: GenerationReason,
  detail: Schema.String,
  status: Schema.NullOr(Schema.Int),
  retryAfterMs: Quantity,
  requestId: Text
})

/** Begins a recording. Two may write to one file at once, so each line names its own. */
export const Session = Schema.Struct({
  type: Schema.Literal("session"),
  version: Schema.Int,
  session: Schema.String,
  provider: Schema.String,
  model: Schema.String,
  /** Unix epoch ms. */
  recordedAt: Schema.Finite
})

/** What was asked, what came back, and how long it took, ms. Exactly one of `answer` and `failure` is not null. */
export const Exchange = Schema.Struct({
  type: Schema.Literal("exchange"),
  session: Schema.String,
  key: Schema.String,
  caseId: Schema.String,
  trial: Schema.Int,
  attempt: Schema.Int,
  latencyMs: Schema.Finite,
  answer: Schema.NullOr(Answer),
  failure: Schema.NullOr(Failure),
  /** For people; a replay compares keys only. */
  request: Schema.Unknown
})
export type Exchange = typeof Exchange.Type

export const Line = Schema.Union([Session, Exchange])

/** JSON with the keys of every map in order, so that equal values have equal texts. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null"
  const entries = Object.entries(value)
    .filter(([, child]) => child !== undefined)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
  return `{${entries.map(([name, child]) => `${JSON.stringify(name)}:${canonical(child)}`).join(",")}}`
}

const asked = (request: GenerationRequest) => ({
  system: request.system,
  messages: request.messages,
  maxTokens: request.maxTokens,
  temperature: request.temperature,
  seed: request.seed,
  params: request.params
})

/**
 * What identifies an exchange: the whole request, the model, which trial of which case it is, and the conversation that
 * a check of a scenario is about.
 */
export const keyOf = (
  model: string,
  request: GenerationRequest,
  cell: Pick<CellContext, "caseId" | "trial" | "scenario">
): string => {
  const trace = cell.scenario?.trace ?? null
  const identity = { model, request: asked(placeless(request, cell)), caseId: cell.caseId, trial: cell.trial }
  return createHash("sha256")
    .update(canonical(trace === null ? identity : { ...identity, trace }))
    .digest("hex")
}

/** An exchange to be written. */
export const make = (
  session: string,
  model: string,
  request: GenerationRequest,
  cell: CellContext,
  latencyMs: number,
  outcome: Generation.Generation | GenerationError
): Exchange => {
  const failed = outcome instanceof GenerationError
  return {
    type: "exchange",
    session,
    key: keyOf(model, request, cell),
    caseId: cell.caseId,
    trial: cell.trial,
    attempt: cell.attempt,
    latencyMs: failed ? latencyMs : (outcome.latencyMs ?? latencyMs),
    answer: failed ? null : { ...outcome, trace: outcome.trace ?? null },
    failure: failed
      ? {
          reason: outcome.reason,
          detail: outcome.detail,
          status: outcome.status,
          retryAfterMs: outcome.retryAfterMs,
          requestId: outcome.requestId
        }
      : null,
    request: asked(request)
  }
}

/** The outcome of a recorded exchange, marked as replayed. Nobody is waited for again, so a failure asks for no wait. */
export const outcomeOf = (exchange: Exchange): Generation.Generation | GenerationError => {
  if (exchange.answer !== null) {
    return Generation.make({ ...exchange.answer, latencyMs: exchange.latencyMs, answeredFrom: "replay" })
  }
  const failure = exchange.failure ?? { reason: "unknown" as const, detail: "the recording has no outcome" }
  return GenerationErrors.make({ ...failure, retryAfterMs: 0 })
}
