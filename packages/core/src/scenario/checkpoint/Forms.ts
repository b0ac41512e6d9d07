/** Conditions and outcomes in the form of saved documents, and back. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Check, Condition } from "../condition/Condition.ts"
import { Normaliser, Primitive } from "../condition/Primitive.ts"
import { Comparison, type Outcome, type Scope } from "../outcome/Outcome.ts"
import { isMapping, type Json, type NotUnderstood, withoutNulls } from "./SavedJson.ts"

const decodePrimitive = Schema.decodeUnknownResult(Primitive, { onExcessProperty: "error" })
const decodeNormalisers = Schema.decodeUnknownResult(Schema.Array(Normaliser))
const isComparison = Schema.is(Comparison)

const saveTest = ({ field, test }: Check): Json | null =>
  test._tag === "Primitive" ? { field, expected: test.expected ?? null, verify_with: test.primitive } : null

/** A condition as a list of state checks or one; null when it has no such form. */
export const saveCondition = (condition: Condition): unknown => {
  if (condition._tag === "Check") {
    const saved = saveTest(condition)
    return saved === null ? null : { type: "state_check", ...saved }
  }
  if (condition._tag !== "All") return null
  const parts = condition.conditions.map((part) => (part._tag === "Check" ? saveCondition(part) : null))
  return parts.includes(null) ? null : parts
}

const readCheck = (value: unknown, where: string, note: NotUnderstood): Check | null => {
  if (!isMapping(value) || typeof value["field"] !== "string") {
    note(where, "a check without a field")
    return null
  }
  const primitive = decodePrimitive(withoutNulls(value["verify_with"]))
  if (Result.isFailure(primitive)) {
    const type = isMapping(value["verify_with"]) ? String(value["verify_with"]["type"]) : "nothing"
    note(where, `the comparison ${type}, or a part of it`)
    return null
  }
  const test = { _tag: "Primitive", primitive: primitive.success, expected: value["expected"] ?? null } as const
  return { _tag: "Check", field: value["field"], test }
}

/** A condition of a document; null when it is not understood, which is noted. */
export const readSavedCondition = (value: unknown, where: string, note: NotUnderstood): Condition | null => {
  if (!Array.isArray(value)) return readCheck(value, where, note)
  const checks = value.map((item) => readCheck(item, where, note))
  const known = checks.filter((check) => check !== null)
  return known.length === checks.length ? { _tag: "All", conditions: known } : null
}

const saveScope = (scope: Scope): unknown => {
  switch (scope._tag) {
    case "First":
      return { type: "first_turn" }
    case "Last":
      return { type: "last_turn" }
    case "At":
      return { type: "turn_at", index: scope.index }
    default: {
      if (scope.nodes !== null && scope.nodes.length !== 1) return null
      return { type: scope._tag === "Any" ? "any_turn" : "all_turns", node_id: scope.nodes?.[0] ?? null }
    }
  }
}

const scopeNames: Readonly<Record<string, string>> = {
  FirstTurn: "first_turn",
  LastTurn: "last_turn",
  TurnAt: "turn_at",
  AnyTurn: "any_turn",
  AllTurns: "all_turns"
}

/** A node, several, or all (null); undefined = it says something else. */
const nodesOf = (value: unknown): ReadonlyArray<string> | null | undefined => {
  if (value === undefined || value === null) return null
  if (typeof value === "string") return [value]
  if (!Array.isArray(value)) return undefined
  const names = value.filter((item) => typeof item === "string")
  return names.length === value.length ? names : undefined
}

const readScope = (value: unknown): Scope | null => {
  if (!isMapping(value)) return null
  const type = String(value["type"])
  const node = nodesOf(value["node_id"])
  // Who asks for nodes in a form that is not known must not be given all of them.
  if (node === undefined) return null
  switch (scopeNames[type] ?? type) {
    case "first_turn":
      return { _tag: "First" }
    case "last_turn":
      return { _tag: "Last" }
    case "turn_at":
      return typeof value["index"] === "number" ? { _tag: "At", index: value["index"] } : null
    case "any_turn":
      return { _tag: "Any", nodes: node }
    case "all_turns":
      return { _tag: "All", nodes: node }
    default:
      return null
  }
}

/** The filter of a count; null when it asks for more than nodes and a verdict. */
const saveFilter = ({
  nodes,
  where
}: Extract<Outcome, { readonly _tag: "CountTurns" | "FirstMatchIndex" }>): Json | null => {
  const node_id = nodes === null ? null : nodes.length === 1 ? nodes[0] : nodes
  if (where === null) return { node_id, verify_result: null }
  if (where._tag !== "Check" || where.field !== "verify_result" || where.test._tag !== "Primitive") return null
  const { expected, primitive } = where.test
  const isVerdict = primitive.type === "BooleanMatch" && typeof expected === "boolean"
  return isVerdict ? { node_id, verify_result: expected } : null
}

const saveAll = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<unknown> | null => {
  const saved = outcomes.map(saveOutcome)
  return saved.includes(null) ? null : saved
}

/** An outcome as a tree of class names; null when it has no such form. */
export const saveOutcome = (outcome: Outcome): unknown => {
  switch (outcome._tag) {
    case "AllOf":
    case "AnyOf":
    case "AtLeastN": {
      const conditions = saveAll(outcome.conditions)
      if (conditions === null) return null
      return outcome._tag === "AtLeastN"
        ? { type: "AtLeastN", n: outcome.n, conditions }
        : { type: outcome._tag, conditions }
    }
    case "TurnCheck": {
      const scope = saveScope(outcome.scope)
      const check = outcome.where._tag === "Check" ? saveTest(outcome.where) : null
      return scope === null || check === null ? null : { type: "TurnCheck", scope, ...check }
    }
    case "ResultCheck": {
      const check = saveTest(outcome.check)
      return check === null ? null : { type: "ResultCheck", ...check }
    }
    case "CrossTurn": {
      const [source_turn, target_turn] = [saveScope(outcome.source), saveScope(outcome.target)]
      const { comparison, normalize, sourceField, targetField } = outcome
      return source_turn === null || target_turn === null
        ? null
        : {
            type: "CrossTurnCheck",
            source_turn,
            source_field: sourceField,
            target_turn,
            target_field: targetField,
            comparison,
            normalize
          }
    }
    case "CountTurns":
    case "FirstMatchIndex": {
      const filter = saveFilter(outcome)
      return filter === null ? null : { type: outcome._tag, ...filter }
    }
    default:
      return null
  }
}

const verdictIs = (expected: boolean): Condition => ({
  _tag: "Check",
  field: "verify_result",
  test: { _tag: "Primitive", primitive: { type: "BooleanMatch" }, expected }
})

/** The turns that are counted; null when they are asked for in a form that is not known. */
const readFilter = (value: Json) => {
  const nodes = nodesOf(value["node_id"])
  const verdict = value["verify_result"] ?? null
  if (nodes === undefined || (verdict !== null && typeof verdict !== "boolean")) return null
  return { nodes, where: verdict === null ? null : verdictIs(verdict) }
}

const readCrossTurn = (value: Json): Outcome | null => {
  const [source, target] = [readScope(value["source_turn"]), readScope(value["target_turn"])]
  const { comparison, source_field: sourceField, target_field: targetField } = value
  const normalize = decodeNormalisers(value["normalize"] ?? [])
  if (source === null || target === null || !isComparison(comparison) || Result.isFailure(normalize)) return null
  if (typeof sourceField !== "string" || typeof targetField !== "string") return null
  return { _tag: "CrossTurn", source, sourceField, target, targetField, comparison, normalize: normalize.success }
}

const readParts = (value: Json, where: string, note: NotUnderstood): ReadonlyArray<Outcome> | null => {
  const parts = Array.isArray(value["conditions"])
    ? value["conditions"].map((part) => readSavedOutcome(part, where, note))
    : [null]
  const known = parts.filter((part) => part !== null)
  return known.length === parts.length ? known : null
}

/** An outcome of a document; null when it is not understood, which is noted. */
export const readSavedOutcome = (value: unknown, where: string, note: NotUnderstood): Outcome | null => {
  const type = isMapping(value) ? value["type"] : undefined
  if (!isMapping(value)) {
    note(where, "an outcome without a type")
    return null
  }
  switch (type) {
    case "AllOf":
    case "AnyOf": {
      const conditions = readParts(value, where, note)
      return conditions === null ? null : { _tag: type, conditions }
    }
    case "AtLeastN": {
      const conditions = readParts(value, where, note)
      return conditions === null || typeof value["n"] !== "number" ? null : { _tag: type, n: value["n"], conditions }
    }
    case "TurnCheck": {
      const scope = readScope(value["scope"])
      const check = readCheck(value, where, note)
      return scope === null || check === null ? null : { _tag: type, scope, where: check }
    }
    case "ResultCheck": {
      const check = readCheck(value, where, note)
      return check === null ? null : { _tag: type, check }
    }
    case "CrossTurnCheck":
      return readCrossTurn(value)
    case "CountTurns":
    case "FirstMatchIndex": {
      const filter = readFilter(value)
      return filter === null ? null : { _tag: type, ...filter }
    }
    default:
      note(where, `the outcome ${String(type)}`)
      return null
  }
}
