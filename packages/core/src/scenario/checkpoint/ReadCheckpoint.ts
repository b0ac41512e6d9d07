/** Reads scenarios from a JSON-LD document. Nothing in it is ever executed. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { checkGraph } from "../check/CheckGraph.ts"
import { Condition } from "../condition/Condition.ts"
import { defaultTurnLimit, Handover, type NamedOutcome, Scenario, type ScenarioEdge } from "../model/Scenario.ts"
import { Outcome } from "../outcome/Outcome.ts"
import { readSavedCondition, readSavedOutcome } from "./Forms.ts"
import { readSavedNode } from "./ReadSavedNode.ts"
import { isFilled, isMapping, type Json, mapping, type NotUnderstood, noteOthers, text } from "./SavedJson.ts"

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

const decodeScenario = Schema.decodeUnknownResult(Scenario)
const decodeCondition = Schema.decodeUnknownResult(Condition)
const decodeOutcome = Schema.decodeUnknownResult(Outcome)
const isHandover = Schema.is(Handover)

const edgeKeys = [
  "@type",
  "source",
  "target",
  "condition",
  "conditionSource",
  "handover",
  "arena:when",
  "arena:handover"
]
const outcomeKeys = ["@type", "name", "description", "check", "evaluateSource", "arena:check"]
const scenarioKeys = [
  "@type",
  "name",
  "description",
  "entryNode",
  "nodes",
  "edges",
  "outcomeCriteria",
  "metadata",
  ...["score", "limits", "system", "state", "tags", "weight"].map((name) => `arena:${name}`)
]
const documentKeys = [
  "@context",
  "@type",
  "@id",
  "name",
  "description",
  "version",
  "creator",
  "dateCreated",
  "dateModified",
  "dataFeedElement",
  "hasPart",
  "additionalProperty"
]

/** A condition that was not understood must not turn its edge into one that is always followed. */
const never: Condition = { _tag: "Any", conditions: [] }

const whenOf = (saved: Json, where: string, note: NotUnderstood): Condition | null => {
  if (saved["arena:when"] !== undefined) {
    const own = decodeCondition(saved["arena:when"])
    if (Result.isSuccess(own)) return own.success
    note(where, "its condition")
    return never
  }
  // Where there are both, it is the source that decides in the program that wrote them.
  if (isFilled(saved["conditionSource"])) {
    note(where, "the condition, which is source text: the edge is never followed")
    return never
  }
  if (saved["condition"] === undefined || saved["condition"] === null) return null
  return readSavedCondition(saved["condition"], where, note) ?? never
}

const readEdge = (value: unknown, note: NotUnderstood): ScenarioEdge => {
  const saved = mapping(value)
  const [from, to] = [text(saved["source"]), text(saved["target"])]
  const where = `edge ${from} -> ${to}`
  noteOthers(saved, edgeKeys, where, note)
  const handover = saved["handover"] ?? saved["arena:handover"] ?? null
  if (handover !== null && !isHandover(handover)) note(where, "the handover")
  return { from, to, when: whenOf(saved, where, note), handover: isHandover(handover) ? handover : null }
}

const readNamed = (value: unknown, note: NotUnderstood): ReadonlyArray<NamedOutcome> => {
  const saved = mapping(value)
  const name = text(saved["name"])
  const where = `outcome "${name}"`
  noteOthers(saved, outcomeKeys, where, note)
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
  noteOthers(saved, scenarioKeys, `scenario "${name}"`, note)
  const list = (key: string): ReadonlyArray<unknown> => (Array.isArray(saved[key]) ? saved[key] : [])
  return {
    name,
    description: text(saved["description"]),
    entry: text(saved["entryNode"]),
    nodes: Object.entries(mapping(saved["nodes"])).map(([id, node]) => readSavedNode(id, node, within)),
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

/** Why a part is no scenario at all; null when it may be one. */
const malformed = (value: unknown): string | null => {
  if (!isMapping(value)) return "it is no mapping"
  if (!isMapping(value["nodes"])) return "nodes is no mapping"
  const wrong = ["edges", "outcomeCriteria"].find((key) => isFilled(value[key]) && !Array.isArray(value[key]))
  return wrong === undefined ? null : `${wrong} is no list`
}

/** Properties that tell what sort of document it is, and the values that this program reads. */
const properties: Readonly<Record<string, ReadonlyArray<string>>> = {
  format_version: ["3.0.0-jsonld"],
  benchmark_type: ["scenario"]
}

const noteDocument = (document: Json, note: NotUnderstood): void => {
  if (isFilled(document["rating"])) note("document", "the global rubric")
  noteOthers(document, [...documentKeys, "rating"], "document", note)
  const additional = document["additionalProperty"]
  for (const property of Array.isArray(additional) ? additional : []) {
    const { name, value } = mapping(property)
    if (properties[String(name)]?.includes(String(value)) === true) continue
    note("document", `the property ${String(name)}`)
  }
}

const fail = (detail: string) => Result.fail(new CheckpointError({ detail }))

const problemsOf = (scenarios: ReadonlyArray<Scenario>): ReadonlyArray<string> =>
  scenarios.flatMap((scenario, index) => [
    ...(scenarios.findIndex(({ name }) => name === scenario.name) < index
      ? [`there are two scenarios "${scenario.name}"`]
      : []),
    ...checkGraph(scenario).flatMap(({ level, message }) =>
      level === "error" ? [`scenario "${scenario.name}": ${message}`] : []
    )
  ])

/** The scenarios of a document, with everything in it that was not understood. */
export const readCheckpoint = (document: unknown): Result.Result<ReadCheckpoint, CheckpointError> => {
  if (!isMapping(document) || document["@type"] !== "DataFeed") return fail("it is no DataFeed document")
  const parts: unknown = document["hasPart"]
  if (!Array.isArray(parts) || parts.length === 0) return fail("it has no scenarios under hasPart")
  const elements: unknown = document["dataFeedElement"]
  if (Array.isArray(elements) && elements.length > 0) return fail("it holds both questions and scenarios")
  const notUnderstood: Array<string> = []
  const note: NotUnderstood = (where, what) => notUnderstood.push(`${where}: ${what}`)
  noteDocument(document, note)
  const scenarios: Array<Scenario> = []
  for (const [index, part] of parts.entries()) {
    const why = malformed(part)
    if (why !== null) return fail(`scenario ${index + 1}: ${why}`)
    const decoded = decodeScenario(readPart(part, note))
    if (Result.isFailure(decoded)) return fail(`scenario ${index + 1}: ${decoded.failure.message}`)
    scenarios.push(decoded.success)
  }
  return Result.succeed({ scenarios, notUnderstood, problems: problemsOf(scenarios) })
}
