import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { GenerationError } from "./GenerationError.ts"
import { type CaseId, ContestantKey } from "./Ids.ts"
import type { Message } from "./Message.ts"
import type { Params } from "./TestCase.ts"

const Count = Schema.NullOr(Schema.Finite)

/**
 * Tokens as the provider reported them; null = it did not say. Never estimated.
 *
 * `prompt` is the whole prompt, cached parts included; `completion` the whole answer, reasoning included.
 */
export const TokenUsage = Schema.Struct({
  prompt: Count,
  completion: Count,
  cachedRead: Count,
  cachedWrite: Count,
  reasoning: Count
})
export type TokenUsage = typeof TokenUsage.Type

export const unknownUsage: TokenUsage = {
  prompt: null,
  completion: null,
  cachedRead: null,
  cachedWrite: null,
  reasoning: null
}

/** What is asked of a connector. Absent settings are left to the provider. */
export interface GenerationRequest {
  readonly messages: readonly [Message, ...ReadonlyArray<Message>]
  /** The conversation flattened to text (`Message.toPrompt`), for targets that take a prompt. */
  readonly prompt: string
  readonly system: string | null
  readonly maxTokens: number | null
  readonly temperature: number | null
  readonly seed: number | null
  /** Merged request params (`defaults < profile < contestant`), passed through untouched. */
  readonly params: Params
}

/** A request written by a target or a hook: only what differs from the cell's own request. */
export type InnerRequest = Partial<Omit<GenerationRequest, "messages" | "prompt">> & {
  readonly messages?: GenerationRequest["messages"]
  readonly prompt?: string
  /** The turn of a scenario that the call belongs to; absent = that of whoever calls. */
  readonly scenario?: ScenarioTurn
}

/** An answer that was not asked for now: taken from the response cache, or replayed from a recording. */
export const AnsweredFrom = Schema.Literals(["cache", "replay"])
export type AnsweredFrom = typeof AnsweredFrom.Type

/** One call made inside a cell by a pipeline target, kept in the cell's record. */
export const Step = Schema.Struct({
  contestant: ContestantKey,
  model: Schema.String,
  prompt: Schema.String,
  output: Schema.NullOr(Schema.String),
  error: Schema.NullOr(Schema.String),
  usage: TokenUsage,
  costUsd: Schema.NullOr(Schema.Finite),
  latencyMs: Schema.NullOr(Schema.Finite),
  attempts: Schema.Int,
  /** Absent = answered live. */
  answeredFrom: Schema.optionalKey(AnsweredFrom),
  /** Made by the target of another step that has answered: what it cost is part of what that one did. */
  inside: Schema.optionalKey(Schema.Boolean)
})
export type Step = typeof Step.Type

/** The answer of an inner call. */
export interface InnerGeneration {
  readonly text: string
  readonly usage: TokenUsage
  readonly costUsd: number | null
  readonly latencyMs: number
  /** Tools that the model called, as the provider told it; absent = none. */
  readonly toolCalls?: ReadonlyArray<unknown>
  /** What these tools returned, as the answering side told it; absent = nothing. */
  readonly toolResults?: ReadonlyArray<unknown>
}

/**
 * The turn of a scenario that a call or a check belongs to. Plain data; nothing in it tells what is expected.
 */
export interface ScenarioTurn {
  readonly node: string
  /** 0-based. */
  readonly turn: number
  /** Folder of the turn, absolute, for whoever answers and whoever checks; null = there is none. */
  readonly workspace: string | null
  /** For checks: the conversation up to the answer, one `<turn>` element for each turn. Null for calls that answer. */
  readonly trace: string | null
  /** Where it can be read when it is long, with long blocks in files beside it; null = it is short, or has no place. */
  readonly traceFile: string | null
}

/** Which cell a call belongs to, and what a target may do inside it. */
export interface CellContext {
  readonly contestant: ContestantKey
  readonly caseId: CaseId
  /** 1-based. */
  readonly trial: number
  /** 1-based number of the attempt. */
  readonly attempt: number
  readonly tags: ReadonlyArray<string>
  readonly metadata: Params
  /**
   * The expected answer. Present for the mock connector, and for targets with `expose_reference: true`; real providers
   * never read it.
   */
  readonly reference?: unknown
  /** Absent outside of scenarios, and where a turn has neither folder nor trace. */
  readonly scenario?: ScenarioTurn
  /**
   * An inner call through the arena: limited, retried, priced and counted for this cell, and kept as a `Step`.
   * `name` is a contestant key or a model id.
   */
  readonly generate: (name: string, request: InnerRequest) => Effect.Effect<InnerGeneration, GenerationError>
}

/** What is left of one allowance of an account, as the provider's headers said; null = it did not say. */
export interface Allowance {
  readonly limit: number | null
  readonly remaining: number | null
  /** Until the allowance is full again, ms. */
  readonly resetMs: number | null
}

/** Remaining quota of the account that served a request. */
export interface RemainingQuota {
  readonly requests: Allowance | null
  readonly tokens: Allowance | null
}

/** What a connector returns for one request. Unknown quantities are null. */
export interface Generation {
  readonly text: string
  readonly reasoning: string | null
  /** Model id that really served the request, as the provider named it. */
  readonly servedModel: string | null
  readonly usage: TokenUsage
  /** Cost reported by the provider or the target itself, USD; null = ask the price book. */
  readonly costUsd: number | null
  /** Latency reported by the source itself (a mock, a target), ms; null = the engine's own measurement. */
  readonly latencyMs: number | null
  /** Time to the first token, ms; null when the answer was not streamed. */
  readonly timeToFirstTokenMs: number | null
  readonly finishReason: string | null
  readonly responseId: string | null
  readonly requestId: string | null
  readonly toolCalls: ReadonlyArray<unknown>
  /** What these tools returned: `{name, output}` each; absent = nothing is known. */
  readonly toolResults?: ReadonlyArray<unknown>
  /** Custom metrics by name, usable in `metrics.weights`. */
  readonly metrics: Readonly<Record<string, number>>
  /** Anything the target wants kept in the record. */
  readonly trace: unknown
  /** Settings that the provider was given, and those it does not support. */
  readonly settingsApplied: ReadonlyArray<string>
  readonly settingsDropped: ReadonlyArray<string>
  /** Absent = answered live. */
  readonly answeredFrom?: AnsweredFrom
  /** What the provider's headers said about the account's remaining quota; absent = nothing. */
  readonly quota?: RemainingQuota
}

/** What a target may return besides plain text. */
export interface TargetOutput {
  readonly output: string
  readonly usage?: Partial<TokenUsage>
  readonly costUsd?: number
  readonly latencyMs?: number
  readonly metrics?: Readonly<Record<string, number>>
  /** Tools that the target called: `{name, input}` each. */
  readonly toolCalls?: ReadonlyArray<unknown>
  /** What these tools returned: `{name, output}` each, in the order of the calls. */
  readonly toolResults?: ReadonlyArray<unknown>
  readonly trace?: unknown
}

const empty: Generation = {
  text: "",
  reasoning: null,
  servedModel: null,
  usage: unknownUsage,
  costUsd: null,
  latencyMs: null,
  timeToFirstTokenMs: null,
  finishReason: null,
  responseId: null,
  requestId: null,
  toolCalls: [],
  metrics: {},
  trace: null,
  settingsApplied: [],
  settingsDropped: []
}

/** A generation with everything unknown but what is given. */
export const make = (fields: Partial<Generation> & { readonly text: string }): Generation => ({ ...empty, ...fields })
