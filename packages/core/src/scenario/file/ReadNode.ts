import * as Schema from "effect/Schema"
import { ToolFilter } from "../../domain/ToolFilter.ts"
import type { Path } from "../../project/source/Path.ts"
import { suggest } from "../../project/source/Suggestion.ts"
import type { FieldParser, FieldType, ScenarioNode, Verifier } from "../model/Scenario.ts"
import type { StateUpdate } from "../state/StateUpdate.ts"
import { complain, expected, isMapping, onlyKeys, type Pen } from "./Pen.ts"
import { readCondition } from "./ReadCondition.ts"
import type { NodeEntry } from "./ScenarioFile.ts"

type Mapping = Readonly<Record<string, unknown>>

const longForm = ["type", "expected", "reference", "params", "options", "weight"]

const readLongVerifier = (pen: Pen, path: Path, value: Mapping): Verifier | null => {
  onlyKeys(pen, path, value, longForm)
  const { expected: wanted, options, params = options ?? {}, reference = wanted, type, weight = 1 } = value
  if (typeof type !== "string" || type === "") {
    expected(pen, [...path, "type"], "the name of a scorer", type)
    return null
  }
  if (typeof weight !== "number" || !(weight > 0)) expected(pen, [...path, "weight"], "a number > 0", weight)
  if (!isMapping(params)) expected(pen, [...path, "params"], "a mapping", params)
  return {
    type,
    weight: typeof weight === "number" ? weight : 1,
    params: isMapping(params) ? params : {},
    ...(reference === undefined ? {} : { expected: reference })
  }
}

/** `contains`, `{contains: Canberra}`, `{type: contains, expected: Canberra}`, or a list of these. */
const readVerify = (pen: Pen, path: Path, value: unknown): ReadonlyArray<Verifier> => {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item, index) => readVerify(pen, [...path, index], item))
  if (typeof value === "string") return [{ type: value, weight: 1, params: {} }]
  if (!isMapping(value)) {
    expected(pen, path, "scorers such as {contains: Canberra}", value)
    return []
  }
  if ("type" in value) {
    const verifier = readLongVerifier(pen, path, value)
    return verifier === null ? [] : [verifier]
  }
  return Object.entries(value).map(([type, wanted]) => ({ type, weight: 1, params: {}, expected: wanted }))
}

const types: ReadonlyArray<string> = ["text", "number", "boolean", "list", "any"]
const isFieldType = (value: unknown): value is FieldType => typeof value === "string" && types.includes(value)

const readParser = (pen: Pen, path: Path, value: unknown): FieldParser | null => {
  if (!isMapping(value)) {
    expected(pen, path, "a mapping with regex, json or judge", value)
    return null
  }
  onlyKeys(pen, path, value, ["regex", "json", "judge", "group", "type"])
  const { group = 1, json, judge, regex } = value
  const fallback: FieldType = regex === undefined ? "any" : "text"
  const type = value["type"] ?? fallback
  if (!isFieldType(type)) {
    expected(pen, [...path, "type"], `one of ${types.join(", ")}`, type)
    return null
  }
  if (typeof regex === "string") {
    if (typeof group === "string" || (typeof group === "number" && Number.isInteger(group))) {
      return { _tag: "Regex", pattern: regex, group, type }
    }
    expected(pen, [...path, "group"], "the number or name of a group", group)
    return null
  }
  if (typeof json === "string") return { _tag: "Json", path: json, type }
  if (typeof judge === "string") return { _tag: "Judge", instruction: judge, type }
  complain(pen, path, "give one of regex, json (a path) or judge (an instruction), as text")
  return null
}

const readParse = (pen: Pen, path: Path, value: Mapping): ScenarioNode["parse"] =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      const parser = readParser(pen, [...path, name], item)
      return parser === null ? [] : [[name, parser]]
    })
  )

const operations = { set: "Set", add: "Add", append: "Append", merge: "Merge" } as const
const isOperation = (key: string): key is keyof typeof operations => Object.hasOwn(operations, key)

const readUpdate = (pen: Pen, path: Path, value: unknown): ReadonlyArray<StateUpdate> => {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item, index) => readUpdate(pen, [...path, index], item))
  if (typeof value === "string") return [{ _tag: "Function", function: value, when: null }]
  if (!isMapping(value)) {
    expected(pen, path, "a mapping with set, add, append or merge", value)
    return []
  }
  const when = value["when"] === undefined ? null : readCondition(pen, [...path, "when"], value["when"])
  return Object.entries(value).flatMap(([key, item]): ReadonlyArray<StateUpdate> => {
    if (key === "when") return []
    if (key === "function" && typeof item === "string") return [{ _tag: "Function", function: item, when }]
    if (isOperation(key) && isMapping(item)) return [{ _tag: operations[key], values: item, when }]
    if (isOperation(key)) expected(pen, [...path, key], "a mapping of names to values", item)
    else
      complain(
        pen,
        [...path, key],
        `unknown update ${JSON.stringify(key)}`,
        suggest(key, [...Object.keys(operations), "function", "when"], "known")
      )
    return []
  })
}

const isToolFilter = Schema.is(ToolFilter)

const checkRemoved = (pen: Pen, path: Path, value: unknown): void => {
  if (!isMapping(value)) {
    expected(pen, path, "a mapping with server and, for one tool of it, tool", value)
    return
  }
  onlyKeys(pen, path, value, ["server", "tool"])
  for (const key of ["server", "tool"]) {
    const name = value[key]
    if (key === "tool" && name === undefined) continue
    if (typeof name !== "string" || name === "") expected(pen, [...path, key], "a name", name)
  }
}

/** The filter is a request param: it goes to whoever answers, as the others do. */
const readToolFilter = (pen: Pen, path: Path, value: unknown): Mapping => {
  if (value === undefined || value === null) return {}
  if (!isMapping(value) || !Array.isArray(value["remove"])) {
    expected(pen, path, "{remove: [{server: files, tool: delete}]}", value)
    return {}
  }
  onlyKeys(pen, path, value, ["remove"])
  for (const [index, item] of value["remove"].entries()) checkRemoved(pen, [...path, "remove", index], item)
  return isToolFilter(value) ? { tool_filter: value } : {}
}

/** A node as written. */
export const readNode = (pen: Pen, id: string, entry: NodeEntry, retries: number): ScenarioNode => {
  const path: Path = ["nodes", id]
  return {
    id,
    prompt: entry.prompt,
    system: entry.system ?? null,
    contestant: entry.contestant ?? null,
    agentIdentity: entry.agent_identity ?? null,
    verify: readVerify(pen, [...path, "verify"], entry.verify),
    parse: entry.parse == null ? {} : readParse(pen, [...path, "parse"], entry.parse),
    update: readUpdate(pen, [...path, "update"], entry.update),
    params: { ...entry.params, ...readToolFilter(pen, [...path, "tool_filter"], entry.tool_filter) },
    maxTokens: entry.max_tokens ?? null,
    temperature: entry.temperature ?? null,
    timeoutS: entry.timeout_s ?? null,
    retries: entry.retries ?? retries,
    maxVisits: entry.max_visits ?? null,
    metadata: entry.metadata ?? {}
  }
}
