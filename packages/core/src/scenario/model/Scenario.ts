/** A scenario: a graph of turns, played as one case. Plain data; nothing in it can run. */
import * as Schema from "effect/Schema"
import type { SourcePosition } from "../../domain/SourcePosition.ts"
import { Params } from "../../domain/TestCase.ts"
import { Condition } from "../condition/Condition.ts"
import { Outcome } from "../outcome/Outcome.ts"
import { StateUpdate } from "../state/StateUpdate.ts"

/** The target of an edge that ends the scenario. Written `END` in files. */
export const END = "__end__"

/** The label of what the scenario itself says; no agent may have it. */
export const userLabel = "__user__"

/** Named ways of handing a conversation to the next node. */
export const HandoverStrategy = Schema.Literals(["transcript_prepend", "transcript_append", "transcript_materialize"])
export type HandoverStrategy = typeof HandoverStrategy.Type
export const handoverStrategies: ReadonlyArray<string> = HandoverStrategy.literals

/** How the target of an edge hears of what went before; a function is named `file.ts:function`. */
export const Handover = Schema.Union([HandoverStrategy, Schema.Struct({ function: Schema.String })])
export type Handover = typeof Handover.Type

/** A scorer of a node; `expected` never leaves the scorer. */
export const Verifier = Schema.Struct({
  type: Schema.NonEmptyString,
  weight: Schema.Finite,
  expected: Schema.optionalKey(Schema.Unknown),
  params: Params
})
export type Verifier = typeof Verifier.Type

export const FieldType = Schema.Literals(["text", "number", "boolean", "list", "any"])
export type FieldType = typeof FieldType.Type

/** How a field is read from an answer. */
export const FieldParser = Schema.Union([
  Schema.TaggedStruct("Regex", {
    pattern: Schema.String,
    group: Schema.Union([Schema.Int, Schema.String]),
    type: FieldType
  }),
  /** A dotted path into the JSON of the answer; "" = all of it. */
  Schema.TaggedStruct("Json", { path: Schema.String, type: FieldType }),
  /** Asked of the judge, all fields of a node in one call. */
  Schema.TaggedStruct("Judge", { instruction: Schema.String, type: FieldType })
])
export type FieldParser = typeof FieldParser.Type

export const ScenarioNode = Schema.Struct({
  id: Schema.NonEmptyString,
  /** A template over the state. */
  prompt: Schema.NonEmptyString,
  /** A template; null = that of the scenario, else of the project. */
  system: Schema.NullOr(Schema.String),
  /** A contestant key or model that answers here instead of the contestant under test. */
  contestant: Schema.NullOr(Schema.String),
  agentIdentity: Schema.NullOr(Schema.String),
  verify: Schema.Array(Verifier),
  parse: Schema.Record(Schema.String, FieldParser),
  update: Schema.Array(StateUpdate),
  params: Params,
  maxTokens: Schema.NullOr(Schema.Int),
  temperature: Schema.NullOr(Schema.Finite),
  /** Limit of one turn, seconds; null = none. */
  timeoutS: Schema.NullOr(Schema.Finite),
  /** Tries after a failed one. */
  retries: Schema.Int,
  /** Visits after which the scenario is cut off instead of coming here again; null = no limit. */
  maxVisits: Schema.NullOr(Schema.Int),
  metadata: Params
})
export type ScenarioNode = typeof ScenarioNode.Type

export const ScenarioEdge = Schema.Struct({
  from: Schema.String,
  to: Schema.String,
  /** Null = always. */
  when: Schema.NullOr(Condition),
  handover: Schema.NullOr(Handover)
})
export type ScenarioEdge = typeof ScenarioEdge.Type

export const NamedOutcome = Schema.Struct({ name: Schema.NonEmptyString, description: Schema.String, check: Outcome })
export type NamedOutcome = typeof NamedOutcome.Type

/** Limits of the whole scenario; null = none. */
export const ScenarioLimits = Schema.Struct({
  turns: Schema.Int,
  /** Seconds. */
  timeS: Schema.NullOr(Schema.Finite),
  /** Prompt and completion together. */
  tokens: Schema.NullOr(Schema.Int),
  costUsd: Schema.NullOr(Schema.Finite)
})
export type ScenarioLimits = typeof ScenarioLimits.Type

/** The score: named outcomes with weights (> 0). */
export const ScoreShares = Schema.Record(Schema.String, Schema.Finite)
export type ScoreShares = typeof ScoreShares.Type

export const Scenario = Schema.Struct({
  /** Unique name; the case id in a project. */
  name: Schema.NonEmptyString,
  description: Schema.String,
  entry: Schema.String,
  nodes: Schema.Array(ScenarioNode),
  /** Their order decides which one is followed. */
  edges: Schema.Array(ScenarioEdge),
  outcomes: Schema.Array(NamedOutcome),
  score: ScoreShares,
  limits: ScenarioLimits,
  /** System prompt of nodes that have none. */
  system: Schema.NullOr(Schema.String),
  /** The accumulated state at the start. */
  state: Params,
  tags: Schema.Array(Schema.String),
  weight: Schema.Finite,
  metadata: Params
})
export type Scenario = typeof Scenario.Type

/** A scenario as read from a file, with the place of each of its parts. */
export interface LocatedScenario {
  readonly scenario: Scenario
  readonly position: SourcePosition
  /** Place of a node, an edge (by index) or an outcome. */
  readonly at: (part: "nodes" | "edges" | "outcomes", key: string | number) => SourcePosition
}

export const defaultTurnLimit = 20

/** A node with everything unset but what is given. */
export const makeNode = (fields: Pick<ScenarioNode, "id" | "prompt"> & Partial<ScenarioNode>): ScenarioNode => ({
  system: null,
  contestant: null,
  agentIdentity: null,
  verify: [],
  parse: {},
  update: [],
  params: {},
  maxTokens: null,
  temperature: null,
  timeoutS: null,
  retries: 0,
  maxVisits: null,
  metadata: {},
  ...fields
})
