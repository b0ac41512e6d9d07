/** Scenario files among the case files of a project. Their content is read when the project is prepared for a run. */
import { extname } from "node:path"
import { CaseId } from "../../domain/Ids.ts"
import type { ScenarioDocument } from "../../domain/ScenarioDocument.ts"
import type { TestCase } from "../../domain/TestCase.ts"
import type { IssueLog } from "../source/IssueLog.ts"
import * as JsonTree from "../source/JsonTree.ts"
import type { SourceText } from "../source/SourceText.ts"
import * as YamlTree from "../source/YamlTree.ts"

const yamlKey = /^(?:scenario|"scenario"|'scenario')\s*:/m
const jsonKey = /^\s*\{[^{}[\]]*"scenario"\s*:/

const isJson = (source: SourceText): boolean => extname(source.file).toLowerCase() === ".json"

/** Whether a case file is a scenario: a mapping with the key `scenario`. */
export const isScenario = (source: SourceText): boolean => (isJson(source) ? jsonKey : yamlKey).test(source.text)

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const textAt = (value: unknown, key: string): string | null => {
  const found = isMapping(value) ? value[key] : undefined
  return typeof found === "string" && found !== "" ? found : null
}

const tagsOf = (value: unknown): ReadonlyArray<string> =>
  value === undefined || value === null ? [] : (Array.isArray(value) ? value : [value]).map(String)

/** The case that stands for a scenario file; empty when the file cannot be parsed, which is reported. */
export const readScenarioCase = (source: SourceText, log: IssueLog): ReadonlyArray<TestCase> => {
  const tree = isJson(source) ? JsonTree.make(source) : YamlTree.make(source)
  if (!("value" in tree)) {
    for (const { message, position, suggestion } of tree) log.error(position, message, suggestion)
    return []
  }
  const { value } = tree
  const name = textAt(value, "scenario")
  const position = tree.at(["scenario"])
  if (!isMapping(value) || name === null) {
    log.error(position, "scenario: expected the name of the scenario")
    return []
  }
  const nodes = isMapping(value["nodes"]) ? value["nodes"] : {}
  const { weight } = value
  const document: ScenarioDocument = { _tag: "ScenarioDocument", file: source.file, text: source.text, value }
  return [
    {
      id: CaseId.make(name),
      messages: [{ role: "user", content: textAt(nodes[textAt(value, "entry") ?? ""], "prompt") ?? name }],
      system: textAt(value, "system"),
      scorers: [{ type: "scenario", weight: 1, params: {}, position }],
      tags: tagsOf(value["tags"]),
      weight: typeof weight === "number" && weight >= 0 ? weight : 1,
      maxTokens: null,
      temperature: null,
      metadata: isMapping(value["metadata"]) ? value["metadata"] : {},
      scenario: document,
      position
    }
  ]
}
