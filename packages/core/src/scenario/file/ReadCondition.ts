/** Conditions as they are written in files. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Path } from "../../project/source/Path.ts"
import { suggest } from "../../project/source/Suggestion.ts"
import { type Condition, Operator, operators, type Test } from "../condition/Condition.ts"
import { inferred, Primitive, primitiveNames } from "../condition/Primitive.ts"
import { complain, expected, isMapping, onlyKeys, type Pen } from "./Pen.ts"

const isOperator = Schema.is(Operator)
const decodePrimitive = Schema.decodeUnknownResult(Primitive, { errors: "all", onExcessProperty: "error" })

/** A primitive in its long form: `{type: NumericRange, min: 1, max: 5}`. */
export const readPrimitive = (pen: Pen, path: Path, value: unknown): Primitive | null => {
  const type = isMapping(value) ? value["type"] : value
  if (typeof type !== "string" || !primitiveNames.includes(type)) {
    const hint = typeof type === "string" ? suggest(type, primitiveNames, "known") : null
    complain(
      pen,
      path,
      "expected a mapping with the type of a comparison",
      hint ?? `known: ${primitiveNames.join(", ")}`
    )
    return null
  }
  const decoded = decodePrimitive(isMapping(value) ? value : { type })
  if (Result.isSuccess(decoded)) return decoded.success
  complain(pen, path, `${type}: ${decoded.failure.message.split("\n").join(" ")}`)
  return null
}

const primitiveTest = (pen: Pen, path: Path, value: Readonly<Record<string, unknown>>): Test | null => {
  const { expected: wanted, ...rest } = value
  const primitive = readPrimitive(pen, path, rest)
  return primitive === null ? null : { _tag: "Primitive", primitive, expected: wanted ?? null }
}

const isTypeName = (value: unknown): boolean => typeof value === "string" && primitiveNames.includes(value)

/** What is asked of one field: a value, operators, or a comparison by type. */
export const readTests = (pen: Pen, path: Path, value: unknown): ReadonlyArray<Test> => {
  if (!isMapping(value)) return [{ _tag: "Primitive", primitive: inferred(value), expected: value }]
  if (isTypeName(value["type"])) {
    const test = primitiveTest(pen, path, value)
    return test === null ? [] : [test]
  }
  const entries = Object.entries(value)
  if (entries.length === 0) expected(pen, path, `one of ${operators.join(", ")}`, value)
  return entries.flatMap(([operator, wanted]): ReadonlyArray<Test> => {
    if (isOperator(operator)) return [{ _tag: "Operator", operator, value: wanted }]
    complain(
      pen,
      [...path, operator],
      `unknown operator ${JSON.stringify(operator)}`,
      suggest(operator, operators, "known")
    )
    return []
  })
}

const all = (conditions: ReadonlyArray<Condition>): Condition => {
  const [first] = conditions
  return first !== undefined && conditions.length === 1 ? first : { _tag: "All", conditions }
}

const readList = (pen: Pen, path: Path, value: unknown): ReadonlyArray<Condition> => {
  if (!Array.isArray(value)) {
    expected(pen, path, "a list of conditions", value)
    return []
  }
  return value.flatMap((item, index) => readCondition(pen, [...path, index], item) ?? [])
}

/** `{field: parsed.x, verify_with: {type: …}, expected: …}`. */
const readStateCheck = (pen: Pen, path: Path, value: Readonly<Record<string, unknown>>): Condition | null => {
  onlyKeys(pen, path, value, ["field", "expected", "verify_with", "type"])
  const { expected: wanted = null, field, verify_with: how } = value
  if (typeof field !== "string") {
    expected(pen, [...path, "field"], "a path into the state", field)
    return null
  }
  const primitive = how === undefined ? inferred(wanted) : readPrimitive(pen, [...path, "verify_with"], how)
  return primitive === null ? null : { _tag: "Check", field, test: { _tag: "Primitive", primitive, expected: wanted } }
}

const readKey = (pen: Pen, path: Path, key: string, value: unknown): Condition | null => {
  switch (key) {
    case "all":
    case "any":
      return { _tag: key === "all" ? "All" : "Any", conditions: readList(pen, path, value) }
    case "not": {
      const condition = readCondition(pen, path, value)
      return condition === null ? null : { _tag: "Not", condition }
    }
    case "function":
      return readCondition(pen, path, value)
    default:
      return all(readTests(pen, path, value).map((test) => ({ _tag: "Check", field: key, test })))
  }
}

/**
 * A condition: a mapping of fields (all of them must hold), a list (all of it), `all`, `any`, `not`, the name of a
 * function, or the long form with `field` and `verify_with`. Null when it is none, which is reported.
 */
export const readCondition = (pen: Pen, path: Path, value: unknown): Condition | null => {
  if (Array.isArray(value)) return { _tag: "All", conditions: readList(pen, path, value) }
  if (typeof value === "string") {
    if (value.includes(":")) return { _tag: "Function", function: value }
    complain(
      pen,
      path,
      "expected a condition, got a text",
      'write {verify_result: true}, or a function "file.ts:function"'
    )
    return null
  }
  if (!isMapping(value)) {
    expected(pen, path, "a condition such as {verify_result: true}", value)
    return null
  }
  if ("field" in value) return readStateCheck(pen, path, value)
  const entries = Object.entries(value)
  if (entries.length === 0) expected(pen, path, "a condition such as {verify_result: true}", value)
  return all(entries.flatMap(([key, item]) => readKey(pen, [...path, key], key, item) ?? []))
}
