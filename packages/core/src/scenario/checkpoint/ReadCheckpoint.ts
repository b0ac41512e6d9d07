/** Reads scenarios from a JSON-LD document. Nothing in it is ever executed. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ToolFilter } from "../../domain/ToolFilter.ts"
import { checkGraph } from "../check/CheckGraph.ts"
import { Condition } from "../condition/Condition.ts"
import {
  defaultTurnLimit,
  Handover,
  makeNode,
  type NamedOutcome,
  Scenario,
  type ScenarioEdge,
  type ScenarioNode
} from "../model/Scenario.ts"
import { Outcome } from "../outcome/Outcome.ts"
import { type NotUnderstood, readSavedCondition, readSavedOutcome } from "./Forms.ts"

/** A document that is no checkpoint of scenarios. */
export class CheckpointError extends Schema.TaggedError<CheckpointError>()("CheckpointError", {
  detail: Schema.String
}) {
  override get message(): string {
    return `is no checkpoint of scenarios: ${this.detail}`
  }
}

export interface ReadCheckpoint {
  readonly scenarios: ReadonlyArray<Scenario>
  /** What the document says and this program does not know, one sentence each. */
  readonly notUnderstood: ReadonlyArray<string>
  /** What is wrong with the scenarios as read; they can be looked at, not played. */
  readonly problems: ReadonlyArray<string>
}

type Json = Readonly<Record<string, unknown>>

const isMapping = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const mapping = (value: unknown): Json => (isMapping(value) ? value : {})
const text = (value: unknown): string => (typeof value === "string" ? value : "")
const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null)

const decodeScenario = Schema.decodeUnknownResult(Scenario)
const decodeCondition = Schema.decodeUnknownResult(Condition)
const decodeOutcome = Schema.decodeUnknownResult(Outcome)
const isHandover = Schema.is(Handover)

/** A condition that was not understood must not turn its edge into one that is always followed. */
const never: Condition = { _tag: "Any", conditions: [] }

const knownNodeKeys = new Set([
  "@type",
  "nodeId",
  "question",
  "agentIdentity",
  "metadata",
  "questionData",
  "toolFilter"
])

/** Parts of a node that other programs write and this one cannot use. */
const noteNode = (saved: Json, where: string, note: NotUnderstood): void => {
  const question = mapping(saved["question"])
  const hasOwnScorers = "arena:verify" in saved
  if (!hasOwnScorers && Array.isArray(question["hasPart"]) && question["hasPart"].length > 0) {
    note(where, "the answer template, which is source text: give the node scorers under verify")
  }
  if (isMapping(saved["questionData"]) && Object.keys(mapping(saved["questionData"]["question_rubric"])).length > 0) {
    note(where, "the rubric")
  }
  for (const key of Object.keys(saved)) {
    if (knownNodeKeys.has(key) || key.startsWith("arena:") || key === "modelOverride") continue
    note(where, key === "stateUpdateSource" ? "the state update, which is source text" : key)
  }
}

const isToolFilter = Schema.is(ToolFilter)

const paramsOf = (saved: Json, where: string, note: NotUnderstood): Json => {
  const params = mapping(saved["arena:params"])
  const { toolFilter } = saved
  if (toolFilter === undefined || toolFilter === null) return params
  // Without a tool some programs write null for every tool of a server.
  const filter = withoutNulls(toolFilter)
  if (isToolFilter(filter)) return { ...params, tool_filter: filter }
  note(where, "toolFilter")
  return params
}

const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isMapping(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item === null ? [] : [[key, withoutNulls(item)]]))
  )
}

const overrideOf = (saved: Json, where: string, note: NotUnderstood) => {
  const override = mapping(saved["modelOverride"])
  const answering = mapping(override["answering_model"])
  if (isMapping(override["parsing_model"])) note(where, "the override of the parsing model")
  return {
    contestant: textOrNull(answering["model_name"]) ?? textOrNull(answering["id"]),
    system: textOrNull(answering["system_prompt"])
  }
}

const readNode = (id: string, value: unknown, note: NotUnderstood): unknown => {
  const saved = mapping(value)
  const where = `node "${id}"`
  noteNode(saved, where, note)
  const override = overrideOf(saved, where, note)
  const node: ScenarioNode = makeNode({
    id,
    prompt: text(mapping(saved["question"])["text"]),
    agentIdentity: textOrNull(saved["agentIdentity"]),
    metadata: mapping(saved["metadata"]),
    system: textOrNull(saved["arena:system"]) ?? override.system,
    contestant: textOrNull(saved["arena:contestant"]) ?? override.contestant,
    params: paramsOf(saved, where, note)
  })
  return {
    ...node,
    verify: saved["arena:verify"] ?? [],
    parse: saved["arena:parse"] ?? {},
    update: saved["arena:update"] ?? [],
    maxTokens: saved["arena:maxTokens"] ?? null,
    temperature: saved["arena:temperature"] ?? null,
    timeoutS: saved["arena:timeoutSeconds"] ?? null,
    retries: saved["arena:retries"] ?? 0,
    maxVisits: saved["arena:maxVisits"] ?? null
  }
}

const whenOf = (saved: Json, where: string, note: NotUnderstood): Condition | null => {
  if (saved["arena:when"] !== undefined) {
    const own = decodeCondition(saved["arena:when"])
    if (Result.isSuccess(own)) return own.success
    note(where, "its condition")
    return never
  }
  if (saved["condition"] !== undefined && saved["condition"] !== null) {
    return readSavedCondition(saved["condition"], where, note) ?? never
  }
  if (typeof saved["conditionSource"] !== "string") return null
  note(where, "the condition, which is source text: the edge is never followed")
  return never
}

const readEdge = (value: unknown, note: NotUnderstood): ScenarioEdge => {
  const saved = mapping(value)
  const [from, to] = [text(saved["source"]), text(saved["target"])]
  const where = `edge ${from} -> ${to}`
  const handover = saved["handover"] ?? saved["arena:handover"] ?? null
  if (handover !== null && !isHandover(handover)) note(where, "the handover")
  return { from, to, when: whenOf(saved, where, note), handover: isHandover(handover) ? handover : null }
}

const readNamed = (value: unknown, note: NotUnderstood): ReadonlyArray<NamedOutcome> => {
  const saved = mapping(value)
  const name = text(saved["name"])
  const where = `outcome "${name}"`
  const own = saved["arena:check"] === undefined ? null : decodeOutcome(saved["arena:check"])
  if (own === null && saved["check"] === undefined) {
    note(where, "its evaluation, which is source text")
    return []
  }
  const check =
    own === null ? readSavedOutcome(saved["check"], where, note) : Result.isSuccess(own) ? own.success : null
  if (check === null) {
    note(where, "its check")
    return []
  }
  return [{ name, description: text(saved["description"]), check }]
}

const readPart = (value: unknown, note: NotUnderstood): unknown => {
  const saved = mapping(value)
  const name = text(saved["name"])
  const within: NotUnderstood = (where, what) => note(`scenario "${name}", ${where}`, what)
  const list = (key: string): ReadonlyArray<unknown> => (Array.isArray(saved[key]) ? saved[key] : [])
  return {
    name,
    description: text(saved["description"]),
    entry: text(saved["entryNode"]),
    nodes: Object.entries(mapping(saved["nodes"])).map(([id, node]) => readNode(id, node, within)),
    edges: list("edges").map((edge) => readEdge(edge, within)),
    outcomes: list("outcomeCriteria").flatMap((outcome) => readNamed(outcome, within)),
    score: saved["arena:score"] ?? {},
    limits: saved["arena:limits"] ?? { turns: defaultTurnLimit, timeS: null, tokens: null, costUsd: null },
    system: saved["arena:system"] ?? null,
    state: saved["arena:state"] ?? {},
    tags: saved["arena:tags"] ?? [],
    weight: saved["arena:weight"] ?? 1,
    metadata: mapping(saved["metadata"])
  }
}

const fail = (detail: string) => Result.fail(new CheckpointError({ detail }))

/** The scenarios of a document, with everything in it that was not understood. */
export const readCheckpoint = (document: unknown): Result.Result<ReadCheckpoint, CheckpointError> => {
  if (!isMapping(document) || document["@type"] !== "DataFeed") return fail("it is no DataFeed document")
  const parts: unknown = document["hasPart"]
  if (!Array.isArray(parts) || parts.length === 0) return fail("it has no scenarios under hasPart")
  const elements: unknown = document["dataFeedElement"]
  if (Array.isArray(elements) && elements.length > 0) return fail("it holds both questions and scenarios")
  const notUnderstood: Array<string> = []
  if (isMapping(document["rating"])) notUnderstood.push("the global rubric")
  const scenarios: Array<Scenario> = []
  for (const [index, part] of parts.entries()) {
    const decoded = decodeScenario(readPart(part, (where, what) => notUnderstood.push(`${where}: ${what}`)))
    if (Result.isFailure(decoded)) return fail(`scenario ${index + 1}: ${decoded.failure.message}`)
    scenarios.push(decoded.success)
  }
  const problems = scenarios.flatMap((scenario) =>
    checkGraph(scenario).flatMap(({ level, message }) =>
      level === "error" ? [`scenario "${scenario.name}": ${message}`] : []
    )
  )
  return Result.succeed({ scenarios, notUnderstood, problems })
}
