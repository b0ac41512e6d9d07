/** Named results of a scenario, as data. */
import * as Schema from "effect/Schema"
import { Check, Condition, Test } from "../condition/Condition.ts"
import { Normaliser } from "../condition/Primitive.ts"

/** Which turns are looked at. */
export const Scope = Schema.Union([
  Schema.TaggedStruct("First", {}),
  Schema.TaggedStruct("Last", {}),
  /** Negative numbers count from the end. */
  Schema.TaggedStruct("At", { index: Schema.Int }),
  Schema.TaggedStruct("Any", { nodes: Schema.NullOr(Schema.Array(Schema.String)) }),
  Schema.TaggedStruct("All", { nodes: Schema.NullOr(Schema.Array(Schema.String)) })
])
export type Scope = typeof Scope.Type

/** Turns that count: by node, and by a condition on the turn. */
const turnFilter = { nodes: Schema.NullOr(Schema.Array(Schema.String)), where: Schema.NullOr(Condition) }

export const Comparison = Schema.Literals(["eq", "neq", "gt", "gte", "lt", "lte", "contains"])
export type Comparison = typeof Comparison.Type

const TurnCheck = Schema.TaggedStruct("TurnCheck", { scope: Scope, where: Condition })
const ResultCheck = Schema.TaggedStruct("ResultCheck", { check: Check })
const CrossTurn = Schema.TaggedStruct("CrossTurn", {
  source: Scope,
  sourceField: Schema.String,
  target: Scope,
  targetField: Schema.String,
  comparison: Comparison,
  normalize: Schema.Array(Normaliser)
})
const CountTurns = Schema.TaggedStruct("CountTurns", turnFilter)
const FirstMatchIndex = Schema.TaggedStruct("FirstMatchIndex", turnFilter)
const FunctionOutcome = Schema.TaggedStruct("Function", { function: Schema.String })
/** The value of an outcome that stands before this one. */
const Reference = Schema.TaggedStruct("Reference", { outcome: Schema.String })
const Constant = Schema.TaggedStruct("Constant", { value: Schema.Union([Schema.Boolean, Schema.Finite]) })

export type Outcome =
  | typeof TurnCheck.Type
  | typeof ResultCheck.Type
  | typeof CrossTurn.Type
  | typeof CountTurns.Type
  | typeof FirstMatchIndex.Type
  | typeof FunctionOutcome.Type
  | typeof Reference.Type
  | typeof Constant.Type
  | { readonly _tag: "AllOf" | "AnyOf"; readonly conditions: ReadonlyArray<Outcome> }
  | { readonly _tag: "AtLeastN"; readonly n: number; readonly conditions: ReadonlyArray<Outcome> }
  | { readonly _tag: "Not"; readonly condition: Outcome }
  /** Whether the value of another outcome, such as a count, passes a test. */
  | { readonly _tag: "Compare"; readonly of: Outcome; readonly tests: ReadonlyArray<Test> }

const Inner = Schema.suspend((): Schema.Codec<Outcome> => Outcome)

export const Outcome: Schema.Codec<Outcome> = Schema.Union([
  TurnCheck,
  ResultCheck,
  CrossTurn,
  CountTurns,
  FirstMatchIndex,
  FunctionOutcome,
  Reference,
  Constant,
  Schema.Struct({ _tag: Schema.Literals(["AllOf", "AnyOf"]), conditions: Schema.Array(Inner) }),
  Schema.TaggedStruct("AtLeastN", { n: Schema.Int, conditions: Schema.Array(Inner) }),
  Schema.TaggedStruct("Not", { condition: Inner }),
  Schema.TaggedStruct("Compare", { of: Inner, tests: Schema.Array(Test) })
])

/** An outcome and everything inside it. */
export const partsOf = (outcome: Outcome): ReadonlyArray<Outcome> => {
  switch (outcome._tag) {
    case "AllOf":
    case "AnyOf":
    case "AtLeastN":
      return [outcome, ...outcome.conditions.flatMap(partsOf)]
    case "Not":
      return [outcome, ...partsOf(outcome.condition)]
    case "Compare":
      return [outcome, ...partsOf(outcome.of)]
    default:
      return [outcome]
  }
}
