/** The one language of conditions: on edges, in outcomes, in state updates. Plain data, so that it can be saved. */
import * as Schema from "effect/Schema"
import { Primitive } from "./Primitive.ts"

/** Comparisons by name. `exists: false` asks for a missing value; everything else on a missing value is false. */
export const Operator = Schema.Literals(["eq", "ne", "gt", "gte", "lt", "lte", "in", "contains", "matches", "exists"])
export type Operator = typeof Operator.Type
export const operators: ReadonlyArray<string> = Operator.literals

/** What is asked of a value. */
export const Test = Schema.Union([
  Schema.TaggedStruct("Operator", { operator: Operator, value: Schema.Unknown }),
  Schema.TaggedStruct("Primitive", { primitive: Primitive, expected: Schema.Unknown })
])
export type Test = typeof Test.Type

/** One field and what is asked of it. */
export const Check = Schema.TaggedStruct("Check", { field: Schema.String, test: Test })
export type Check = typeof Check.Type

/** A function of the project by name, `file.ts:function`. */
export const FunctionCondition = Schema.TaggedStruct("Function", { function: Schema.String })

export type Condition =
  | Check
  | typeof FunctionCondition.Type
  | { readonly _tag: "All" | "Any"; readonly conditions: ReadonlyArray<Condition> }
  | { readonly _tag: "Not"; readonly condition: Condition }

const Inner = Schema.suspend((): Schema.Codec<Condition> => Condition)

export const Condition: Schema.Codec<Condition> = Schema.Union([
  Check,
  FunctionCondition,
  Schema.Struct({ _tag: Schema.Literals(["All", "Any"]), conditions: Schema.Array(Inner) }),
  Schema.TaggedStruct("Not", { condition: Inner })
])

/** Every check in a condition. */
export const checksOf = (condition: Condition): ReadonlyArray<Check> => {
  switch (condition._tag) {
    case "Check":
      return [condition]
    case "Not":
      return checksOf(condition.condition)
    case "Function":
      return []
    default:
      return condition.conditions.flatMap(checksOf)
  }
}

/** Names of the functions in a condition. */
export const functionsOf = (condition: Condition): ReadonlyArray<string> => {
  switch (condition._tag) {
    case "Function":
      return [condition.function]
    case "Not":
      return functionsOf(condition.condition)
    case "Check":
      return []
    default:
      return condition.conditions.flatMap(functionsOf)
  }
}

const number = new Intl.NumberFormat("en", { maximumFractionDigits: 6 })

const shown = (value: unknown): string =>
  typeof value === "number" ? number.format(value) : (JSON.stringify(value) ?? "nothing")

const testText = (test: Test): string => {
  if (test._tag === "Operator") return `${test.operator} ${shown(test.value)}`
  const { expected, primitive } = test
  const { type, ...params } = primitive
  if (Object.keys(params).length === 0)
    return type === "BooleanMatch" || type === "NumericExact" || type === "ExactMatch" || type === "LiteralMatch"
      ? `= ${shown(expected)}`
      : `${type} ${shown(expected)}`
  return `${type} ${shown(params)}${expected === undefined || expected === null ? "" : ` ${shown(expected)}`}`
}

/** A condition in one line, for drawings and messages. */
export const conditionText = (condition: Condition): string => {
  switch (condition._tag) {
    case "Check":
      return `${condition.field} ${testText(condition.test)}`
    case "Function":
      return condition.function
    case "Not":
      return `not (${conditionText(condition.condition)})`
    case "All":
      return condition.conditions.length === 0 ? "always" : condition.conditions.map(conditionText).join(" and ")
    case "Any":
      return condition.conditions.length === 0 ? "never" : condition.conditions.map(conditionText).join(" or ")
  }
}
