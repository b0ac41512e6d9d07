/** Nodes of a saved document. Source text in them is never executed: it is told. */
import * as Schema from "effect/Schema"
import { ToolFilter } from "../../domain/ToolFilter.ts"
import { makeNode, type ScenarioNode } from "../model/Scenario.ts"
import {
  isFilled,
  isMapping,
  type Json,
  mapping,
  type NotUnderstood,
  noteOthers,
  text,
  textOrNull,
  withoutNulls
} from "./SavedJson.ts"

const own = ["verify", "parse", "update", "system", "contestant", "params"]
const ownSettings = ["maxTokens", "temperature", "timeoutSeconds", "retries", "maxVisits"]
const nodeKeys = [
  "@type",
  "nodeId",
  "question",
  "questionData",
  "modelOverride",
  "toolFilter",
  "stateUpdateSource",
  "agentIdentity",
  "metadata",
  ...[...own, ...ownSettings].map((name) => `arena:${name}`)
]

const questionKeys = ["@type", "text", "acceptedAnswer", "hasPart"]
/** `id` is made of the text; the answers and the template are told where the question has them. */
const questionDataKeys = ["id", "question", "raw_answer", "answer_template"]
const answeringKeys = ["id", "model_name", "system_prompt", "temperature", "max_tokens"]

/** What scores an answer elsewhere: without scorers of our own nothing does. */
const noteScoring = (saved: Json, where: string, note: NotUnderstood): void => {
  const question = mapping(saved["question"])
  const data = mapping(saved["questionData"])
  if (isFilled(question["hasPart"]) || isFilled(data["answer_template"])) {
    note(where, "the answer template, which is source text: give the node scorers under verify")
  }
  if (isFilled(mapping(question["acceptedAnswer"])["text"]) || isFilled(data["raw_answer"])) {
    note(where, "the accepted answer, which only a scorer under verify can expect")
  }
}

const noteQuestion = (saved: Json, where: string, note: NotUnderstood): void => {
  noteOthers(mapping(saved["question"]), questionKeys, `${where}, question`, note)
  for (const [key, value] of Object.entries(mapping(saved["questionData"]))) {
    if (questionDataKeys.includes(key) || !isFilled(value)) continue
    note(where, key === "question_rubric" ? "the rubric" : `questionData.${key}`)
  }
}

const noteNode = (id: string, saved: Json, where: string, note: NotUnderstood): void => {
  noteOthers(saved, nodeKeys, where, note)
  if (!("arena:verify" in saved)) noteScoring(saved, where, note)
  noteQuestion(saved, where, note)
  if (isFilled(saved["stateUpdateSource"])) note(where, "the state update, which is source text")
  if (isFilled(saved["nodeId"]) && saved["nodeId"] !== id) note(where, `its other name ${String(saved["nodeId"])}`)
}

const numberOrNull = (value: unknown): number | null => (typeof value === "number" ? value : null)

const overrideOf = (saved: Json, where: string, note: NotUnderstood) => {
  const override = mapping(saved["modelOverride"])
  const answering = mapping(override["answering_model"])
  if (isFilled(override["parsing_model"])) note(where, "the override of the parsing model")
  noteOthers(override, ["answering_model", "parsing_model"], `${where}, modelOverride`, note)
  // Names only: a value may be a secret.
  noteOthers(answering, answeringKeys, `${where}, modelOverride.answering_model`, note)
  return {
    contestant: textOrNull(answering["model_name"]) ?? textOrNull(answering["id"]),
    system: textOrNull(answering["system_prompt"]),
    temperature: numberOrNull(answering["temperature"]),
    maxTokens: numberOrNull(answering["max_tokens"])
  }
}

const isToolFilter = Schema.is(ToolFilter)

const paramsOf = (saved: Json, where: string, note: NotUnderstood): Json => {
  const params = mapping(saved["arena:params"])
  if (saved["toolFilter"] === undefined || saved["toolFilter"] === null) return params
  const filter = withoutNulls(saved["toolFilter"])
  if (isToolFilter(filter)) return { ...params, tool_filter: filter }
  note(where, "toolFilter")
  return params
}

/** A node of a document; its own settings are as they stand there, to be decoded with the scenario. */
export const readSavedNode = (id: string, value: unknown, note: NotUnderstood): unknown => {
  const saved = mapping(value)
  const where = `node "${id}"`
  noteNode(id, saved, where, note)
  if (!isMapping(value)) note(where, "all of it")
  const override = overrideOf(saved, where, note)
  const node: ScenarioNode = makeNode({
    id,
    prompt: text(mapping(saved["questionData"])["question"]) || text(mapping(saved["question"])["text"]),
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
    maxTokens: saved["arena:maxTokens"] ?? override.maxTokens,
    temperature: saved["arena:temperature"] ?? override.temperature,
    timeoutS: saved["arena:timeoutSeconds"] ?? null,
    retries: saved["arena:retries"] ?? 0,
    maxVisits: saved["arena:maxVisits"] ?? null
  }
}
