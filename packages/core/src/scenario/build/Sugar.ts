/** Short forms for conditions and outcomes written in TypeScript. */

import * as Schema from "effect/Schema"
import { type Condition, Operator, type Test } from "../condition/Condition.ts"
import { inferred, type Normaliser, type Primitive } from "../condition/Primitive.ts"
import type { Comparison, Outcome, Scope } from "../outcome/Outcome.ts"

const isOperator = Schema.is(Operator)

/** What a field must be: a value, or operators such as `{ gte: 2 }`. */
export type FieldInput = unknown

/** Fields that must all hold. */
export type FieldsInput = Readonly<Record<string, FieldInput>>

/** A condition, fields, a list of both (all must hold), or the name of a function `file.ts:function`. */
export type ConditionInput = Condition | FieldsInput | ReadonlyArray<Condition | FieldsInput> | string

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isCondition = (value: ConditionInput): value is Condition =>
  isMapping(value) &&
  typeof value["_tag"] === "string" &&
  ["All", "Any", "Not", "Check", "Function"].includes(value["_tag"])

const testsOf = (value: FieldInput): ReadonlyArray<Test> => {
  const entries = isMapping(value) ? Object.entries(value) : []
  const operators = entries.flatMap(
    ([operator, wanted]): ReadonlyArray<Test> =>
      isOperator(operator) ? [{ _tag: "Operator", operator, value: wanted }] : []
  )
  if (entries.length > 0 && operators.length === entries.length) return operators
  return [{ _tag: "Primitive", primitive: inferred(value), expected: value }]
}

const all = (conditions: ReadonlyArray<Condition>): Condition => {
  const [first] = conditions
  return first !== undefined && conditions.length === 1 ? first : { _tag: "All", conditions }
}

const fields = (input: FieldsInput): Condition =>
  all(
    Object.entries(input).flatMap(([field, value]) =>
      testsOf(value).map((test): Condition => ({ _tag: "Check", field, test }))
    )
  )

/** The condition that an input stands for. */
export const toCondition = (input: ConditionInput): Condition => {
  if (typeof input === "string") return { _tag: "Function", function: input }
  if (Array.isArray(input)) return { _tag: "All", conditions: input.map(toCondition) }
  return isCondition(input) ? input : fields(input as FieldsInput)
}

export const not = (condition: ConditionInput): Condition => ({ _tag: "Not", condition: toCondition(condition) })
export const any = (...conditions: ReadonlyArray<ConditionInput>): Condition => ({
  _tag: "Any",
  conditions: conditions.map(toCondition)
})

/** One field compared by a primitive. */
export const stateCheck = (field: string, verifyWith: Primitive, expected: unknown = null): Condition => ({
  _tag: "Check",
  field,
  test: { _tag: "Primitive", primitive: verifyWith, expected }
})

export const firstTurnScope = (): Scope => ({ _tag: "First" })
export const lastTurnScope = (): Scope => ({ _tag: "Last" })
/** Negative numbers count from the end. */
export const turnAt = (index: number): Scope => ({ _tag: "At", index })

/** Turns of some nodes, on which all fields hold. */
export type TurnsInput = FieldsInput & { readonly node?: string | ReadonlyArray<string> }

const nodesOf = (node: TurnsInput["node"]): ReadonlyArray<string> | null =>
  node === undefined ? null : typeof node === "string" ? [node] : node

const check = (scope: Scope, where: FieldsInput): Outcome => ({ _tag: "TurnCheck", scope, where: fields(where) })

export const turn = (index: number, where: FieldsInput): Outcome => check(turnAt(index), where)
export const firstTurn = (where: FieldsInput): Outcome => check(firstTurnScope(), where)
export const lastTurn = (where: FieldsInput): Outcome => check(lastTurnScope(), where)
/** Some turn on which all fields hold: the same turn for all of them. */
export const anyTurn = ({ node, ...where }: TurnsInput): Outcome => check({ _tag: "Any", nodes: nodesOf(node) }, where)
/** False when there is no such turn. */
export const allTurns = ({ node, ...where }: TurnsInput): Outcome => check({ _tag: "All", nodes: nodesOf(node) }, where)

const filter = ({ node, ...where }: TurnsInput) => ({
  nodes: nodesOf(node),
  where: Object.keys(where).length === 0 ? null : fields(where)
})

export const countTurns = (turns: TurnsInput = {}): Outcome => ({ _tag: "CountTurns", ...filter(turns) })
/** 0-based; -1 when no turn matches. */
export const firstMatchIndex = (turns: TurnsInput = {}): Outcome => ({ _tag: "FirstMatchIndex", ...filter(turns) })

const result = (field: string, value: FieldInput): Outcome => {
  const checks = testsOf(value).map((test): Outcome => ({ _tag: "ResultCheck", check: { _tag: "Check", field, test } }))
  const [first] = checks
  return first !== undefined && checks.length === 1 ? first : { _tag: "AllOf", conditions: checks }
}

/** A field of the result: `status`, `turn_count`, `path`, `accumulated.x`. */
export const resultIs = result
export const statusIs = (status: string): Outcome => result("status", status)
export const turnCountEq = (count: number): Outcome => result("turn_count", count)
export const turnCountGte = (count: number): Outcome => result("turn_count", { gte: count })

export interface CrossTurnInput {
  readonly source: Scope
  readonly sourceField: string
  readonly target: Scope
  readonly targetField: string
  readonly comparison: Comparison
  readonly normalize?: ReadonlyArray<Normaliser>
}

/** Compares a field of one turn with a field of another: `target <comparison> source`. */
export const crossTurn = ({ normalize = [], ...fields }: CrossTurnInput): Outcome => ({
  _tag: "CrossTurn",
  ...fields,
  normalize
})

export const allOf = (...conditions: ReadonlyArray<Outcome>): Outcome => ({ _tag: "AllOf", conditions })
export const anyOf = (...conditions: ReadonlyArray<Outcome>): Outcome => ({ _tag: "AnyOf", conditions })
export const atLeastN = (n: number, ...conditions: ReadonlyArray<Outcome>): Outcome => ({
  _tag: "AtLeastN",
  n,
  conditions
})
export const notSo = (condition: Outcome): Outcome => ({ _tag: "Not", condition })
/** Whether another outcome passes tests: `compare(countTurns(), { gte: 2 })`. */
export const compare = (of: Outcome, value: FieldInput): Outcome => ({ _tag: "Compare", of, tests: testsOf(value) })
/** The value of an outcome that stands before this one. */
export const outcome = (name: string): Outcome => ({ _tag: "Reference", outcome: name })
/** A function of the project, `file.ts:function`. */
export const byFunction = (name: string): Outcome => ({ _tag: "Function", function: name })
