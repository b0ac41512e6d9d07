/** Outcomes as they are written in files. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Path } from "../../project/source/Path.ts"
import { show, suggest } from "../../project/source/Suggestion.ts"
import type { Condition } from "../condition/Condition.ts"
import { operators } from "../condition/Condition.ts"
import { Normaliser } from "../condition/Primitive.ts"
import { Comparison, type Outcome, type Scope } from "../outcome/Outcome.ts"
import { complain, expected, isMapping, onlyKeys, type Pen, textsAt } from "./Pen.ts"
import { readCondition, readTests } from "./ReadCondition.ts"

type Mapping = Readonly<Record<string, unknown>>

const always: Condition = { _tag: "All", conditions: [] }
const isComparison = Schema.is(Comparison)
const decodeNormalisers = Schema.decodeUnknownResult(Schema.Array(Normaliser))

/** `0`, `-1`, `first`, `last`. */
const readScope = (pen: Pen, path: Path, value: unknown): Scope | null => {
  if (value === "first") return { _tag: "First" }
  if (value === "last") return { _tag: "Last" }
  if (typeof value === "number" && Number.isInteger(value)) return { _tag: "At", index: value }
  expected(pen, path, "the number of a turn (0 = the first, -1 = the last), first or last", value)
  return null
}

/** The fields of a turn that must hold, without the keys in `besides`. */
const fieldsOf = (pen: Pen, path: Path, value: Mapping, besides: ReadonlyArray<string>): Condition | null => {
  const rest = Object.fromEntries(Object.entries(value).filter(([key]) => !besides.includes(key)))
  return Object.keys(rest).length === 0 ? null : readCondition(pen, path, rest)
}

const nodesOf = (pen: Pen, path: Path, value: Mapping): ReadonlyArray<string> | null =>
  value["node"] === undefined || value["node"] === null ? null : textsAt(pen, [...path, "node"], value["node"])

const mappingAt = (pen: Pen, path: Path, value: unknown): Mapping | null => {
  if (isMapping(value)) return value
  expected(pen, path, "a mapping of the fields of a turn", value)
  return null
}

const readTurnCheck = (pen: Pen, path: Path, key: string, value: unknown): Outcome | null => {
  const fields = mappingAt(pen, path, value)
  if (fields === null) return null
  const quantified = key === "any_turn" || key === "all_turns"
  const nodes = quantified ? nodesOf(pen, path, fields) : null
  const where = fieldsOf(pen, path, fields, quantified ? ["node"] : []) ?? always
  switch (key) {
    case "any_turn":
      return { _tag: "TurnCheck", scope: { _tag: "Any", nodes }, where }
    case "all_turns":
      return { _tag: "TurnCheck", scope: { _tag: "All", nodes }, where }
    default:
      return { _tag: "TurnCheck", scope: { _tag: key === "last_turn" ? "Last" : "First" }, where }
  }
}

const crossKeys = ["source", "source_field", "target", "target_field", "comparison", "normalize"]

const readCrossTurn = (pen: Pen, path: Path, value: unknown): Outcome | null => {
  const fields = mappingAt(pen, path, value)
  if (fields === null) return null
  onlyKeys(pen, path, fields, crossKeys)
  const source = readScope(pen, [...path, "source"], fields["source"])
  const target = readScope(pen, [...path, "target"], fields["target"])
  const { comparison = "eq", normalize = [], source_field: sourceField, target_field: targetField } = fields
  if (!isComparison(comparison)) {
    expected(pen, [...path, "comparison"], `one of ${Comparison.literals.join(", ")}`, comparison)
    return null
  }
  if (typeof sourceField !== "string" || typeof targetField !== "string") {
    complain(pen, path, "source_field and target_field must name fields of a turn")
    return null
  }
  const steps = decodeNormalisers(normalize)
  if (Result.isFailure(steps)) {
    expected(
      pen,
      [...path, "normalize"],
      "a list of lowercase, strip, remove_punctuation, collapse_whitespace",
      normalize
    )
    return null
  }
  if (source === null || target === null) return null
  return { _tag: "CrossTurn", source, sourceField, target, targetField, comparison, normalize: steps.success }
}

const readCount = (pen: Pen, path: Path, tag: "CountTurns" | "FirstMatchIndex", value: Mapping): Outcome | null => {
  const key = tag === "CountTurns" ? "count_turns" : "first_match_index"
  const fields = value[key] === null ? {} : mappingAt(pen, [...path, key], value[key])
  if (fields === null) return null
  const nodes = nodesOf(pen, [...path, key], fields)
  const of: Outcome = { _tag: tag, nodes, where: fieldsOf(pen, [...path, key], fields, ["node"]) }
  const rest = Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))
  if (Object.keys(rest).length === 0) return of
  onlyKeys(pen, path, rest, operators)
  return { _tag: "Compare", of, tests: readTests(pen, path, rest) }
}

const readAtLeast = (pen: Pen, path: Path, value: unknown): Outcome | null => {
  if (!isMapping(value) || typeof value["n"] !== "number" || !Number.isInteger(value["n"]) || value["n"] < 0) {
    expected(pen, path, "a mapping with n (a whole number) and of (a list)", value)
    return null
  }
  onlyKeys(pen, path, value, ["n", "of"])
  return { _tag: "AtLeastN", n: value["n"], conditions: readOutcomes(pen, [...path, "of"], value["of"]) }
}

const readOutcomes = (pen: Pen, path: Path, value: unknown): ReadonlyArray<Outcome> => {
  if (!Array.isArray(value)) {
    expected(pen, path, "a list of outcomes", value)
    return []
  }
  return value.flatMap((item, index) => readOutcome(pen, [...path, index], item) ?? [])
}

const named = (pen: Pen, path: Path, value: unknown, tag: "Function" | "Reference"): Outcome | null => {
  if (typeof value === "string" && value !== "") {
    return tag === "Function" ? { _tag: tag, function: value } : { _tag: tag, outcome: value }
  }
  expected(pen, path, tag === "Function" ? 'a function "file.ts:function"' : "the name of an outcome", value)
  return null
}

/** Forms that are told by one key. */
const readKeyed = (pen: Pen, path: Path, key: string, value: Mapping): Outcome | null | undefined => {
  const at: Path = [...path, key]
  const item = value[key]
  switch (key) {
    case "all_of":
    case "any_of":
      return { _tag: key === "all_of" ? "AllOf" : "AnyOf", conditions: readOutcomes(pen, at, item) }
    case "at_least":
      return readAtLeast(pen, at, item)
    case "not": {
      const condition = readOutcome(pen, at, item)
      return condition === null ? null : { _tag: "Not", condition }
    }
    case "first_turn":
    case "last_turn":
    case "any_turn":
    case "all_turns":
      return readTurnCheck(pen, at, key, item)
    case "cross_turn":
      return readCrossTurn(pen, at, item)
    case "function":
      return named(pen, at, item, "Function")
    case "outcome":
      return named(pen, at, item, "Reference")
    default:
      return undefined
  }
}

const resultFields = ["status", "turn_count", "path", "limit", "replicate", "cost", "elapsed"]
const forms = [
  "all_of",
  "any_of",
  "at_least",
  "not",
  "turn",
  "first_turn",
  "last_turn",
  "any_turn",
  "all_turns",
  "count_turns",
  "first_match_index",
  "cross_turn",
  "function",
  "outcome"
]

const isResultField = (key: string): boolean =>
  resultFields.includes(key) || /^(?:accumulated|node_visits|node_results|terminal_failure)(?:\.|$)/.test(key)

const readResultChecks = (pen: Pen, path: Path, value: Mapping): Outcome | null => {
  const checks = Object.entries(value).flatMap(([field, wanted]): ReadonlyArray<Outcome> => {
    if (isResultField(field)) {
      return readTests(pen, [...path, field], wanted).map((test) => ({
        _tag: "ResultCheck",
        check: { _tag: "Check", field, test }
      }))
    }
    complain(
      pen,
      [...path, field],
      `unknown outcome ${JSON.stringify(field)}`,
      suggest(field, [...forms, ...resultFields], "known")
    )
    return []
  })
  const [only] = checks
  return checks.length === 1 && only !== undefined ? only : { _tag: "AllOf", conditions: checks }
}

/** An outcome; null when it is none, which is reported. */
export const readOutcome = (pen: Pen, path: Path, value: unknown): Outcome | null => {
  if (typeof value === "boolean" || typeof value === "number") return { _tag: "Constant", value }
  if (typeof value === "string") return named(pen, path, value, value.includes(":") ? "Function" : "Reference")
  if (!isMapping(value)) {
    complain(pen, path, `expected an outcome such as {turn: 0, verify_result: true}, got ${show(value)}`)
    return null
  }
  if ("turn" in value) {
    const scope = readScope(pen, [...path, "turn"], value["turn"])
    return scope === null ? null : { _tag: "TurnCheck", scope, where: fieldsOf(pen, path, value, ["turn"]) ?? always }
  }
  if ("count_turns" in value) return readCount(pen, path, "CountTurns", value)
  if ("first_match_index" in value) return readCount(pen, path, "FirstMatchIndex", value)
  const key = forms.find((form) => form in value)
  const keyed = key === undefined ? undefined : readKeyed(pen, path, key, value)
  if (keyed === undefined || key === undefined) return readResultChecks(pen, path, value)
  onlyKeys(pen, path, value, [key])
  return keyed
}
