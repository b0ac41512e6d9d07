/** From the text of a scenario file to a scenario, with the place of everything that is wrong. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { IssueLog } from "../../project/source/IssueLog.ts"
import type { Path } from "../../project/source/Path.ts"
import * as SchemaFindings from "../../project/source/SchemaFindings.ts"
import type { SourceTree } from "../../project/source/SourceTree.ts"
import { checkGraph } from "../check/CheckGraph.ts"
import {
  defaultTurnLimit,
  END,
  type Handover,
  HandoverStrategy,
  handoverStrategies,
  type LocatedScenario,
  type NamedOutcome,
  type Scenario,
  type ScenarioEdge,
  type ScoreShares
} from "../model/Scenario.ts"
import { complain, expected, isMapping, type Pen } from "./Pen.ts"
import { readCondition } from "./ReadCondition.ts"
import { readNode } from "./ReadNode.ts"
import { readOutcome } from "./ReadOutcome.ts"
import { decodeFile, type EdgeEntry, type ScenarioFile } from "./ScenarioFile.ts"

const isStrategy = Schema.is(HandoverStrategy)

const readHandover = (pen: Pen, path: Path, value: unknown): Handover | null => {
  if (value === undefined || value === null || value === "none") return null
  if (isStrategy(value)) return value
  if (typeof value === "string" && value.includes(":")) return { function: value }
  if (isMapping(value) && typeof value["function"] === "string") return { function: value["function"] }
  expected(pen, path, `one of none, ${handoverStrategies.join(", ")}, or a function "file.ts:function"`, value)
  return null
}

/** `END` is how people write the sentinel. */
const target = (name: string): string => (name === "END" ? END : name)

const readEdge = (pen: Pen, index: number, entry: EdgeEntry): ScenarioEdge => {
  const path: Path = ["edges", index]
  return {
    from: entry.from,
    to: target(entry.to),
    when: entry.when === undefined || entry.when === null ? null : readCondition(pen, [...path, "when"], entry.when),
    handover: readHandover(pen, [...path, "handover"], entry.handover)
  }
}

const readOutcomeEntries = (pen: Pen, outcomes: Readonly<Record<string, unknown>>): ReadonlyArray<NamedOutcome> =>
  Object.entries(outcomes).flatMap(([name, value]) => {
    const path: Path = ["outcomes", name]
    const described = isMapping(value) && "check" in value
    const check = readOutcome(pen, described ? [...path, "check"] : path, described ? value["check"] : value)
    const description = described && typeof value["description"] === "string" ? value["description"] : ""
    return check === null ? [] : [{ name, description, check }]
  })

const readScore = (pen: Pen, value: unknown): ScoreShares => {
  if (value === undefined || value === null) return {}
  if (typeof value === "string") return { [value]: 1 }
  if (!isMapping(value)) {
    expected(pen, ["score"], "the name of an outcome, or a mapping of outcomes to weights", value)
    return {}
  }
  const shares: Record<string, number> = {}
  for (const [name, weight] of Object.entries(value)) {
    if (typeof weight === "number" && weight > 0) shares[name] = weight
    else expected(pen, ["score", name], "a weight > 0", weight)
  }
  return shares
}

const tagsOf = (tags: ScenarioFile["tags"]): ReadonlyArray<string> =>
  tags === undefined || tags === null ? [] : (Array.isArray(tags) ? tags : [tags]).map(String)

const assemble = (pen: Pen, file: ScenarioFile): Scenario => {
  const { limits } = file
  if (file.turn_limit != null && limits?.turns != null && file.turn_limit !== limits.turns) {
    complain(pen, ["limits", "turns"], "turn_limit and limits.turns are two names of one setting", "keep one of them")
  }
  return {
    name: file.scenario,
    description: file.description ?? "",
    entry: file.entry,
    nodes: Object.entries(file.nodes).map(([id, entry]) => readNode(pen, id, entry, file.turn_retries ?? 0)),
    edges: (file.edges ?? []).map((entry, index) => readEdge(pen, index, entry)),
    outcomes: readOutcomeEntries(pen, file.outcomes ?? {}),
    score: readScore(pen, file.score),
    limits: {
      turns: file.turn_limit ?? limits?.turns ?? defaultTurnLimit,
      timeS: limits?.time_s ?? null,
      tokens: limits?.tokens ?? null,
      costUsd: limits?.cost_usd ?? null
    },
    system: file.system ?? null,
    state: file.state ?? {},
    tags: tagsOf(file.tags),
    weight: file.weight ?? 1,
    metadata: file.metadata ?? {}
  }
}

const decode = (tree: SourceTree, log: IssueLog): ScenarioFile | null => {
  const decoded = decodeFile(tree.value)
  if (Result.isSuccess(decoded)) return decoded.success
  const found = SchemaFindings.findings(decoded.failure.issue)
  SchemaFindings.report(log, tree, found)
  const rest = decodeFile(SchemaFindings.prune(tree.value, found))
  return Result.isSuccess(rest) ? rest.success : null
}

/**
 * The scenario of a document; null when it has none that could be checked further. Everything that is wrong with it,
 * the graph included, is in the log; warnings, too.
 */
export const readScenario = (tree: SourceTree, log: IssueLog): LocatedScenario | null => {
  const file = decode(tree, log)
  if (file === null) return null
  const scenario = assemble({ tree, log }, file)
  const at: LocatedScenario["at"] = (part, key) => tree.keyAt([part, key])
  for (const { level, message, part, suggestion } of checkGraph(scenario)) {
    const position = part === null ? tree.at(["scenario"]) : at(part.kind, part.key)
    if (level === "error") log.error(position, message, suggestion)
    else log.warn(position, message, suggestion)
  }
  return { scenario, position: tree.at([]), at }
}
