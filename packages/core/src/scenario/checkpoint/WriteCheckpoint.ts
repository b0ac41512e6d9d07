/** Scenarios as a JSON-LD document in the vocabulary of schema.org. */
import type * as Redacted from "effect/Redacted"
import { ofValue } from "../../domain/ContentHash.ts"
import type { NamedOutcome, Scenario, ScenarioEdge, ScenarioNode } from "../model/Scenario.ts"
import { saveCondition, saveOutcome } from "./Forms.ts"
import { withoutSecrets } from "./WithoutSecrets.ts"

export interface CheckpointOptions {
  readonly name: string
  readonly description?: string
  /** ISO 8601; the same value gives the same document. */
  readonly date: string
  /** Values that must not be written, whatever field they are in. */
  readonly secrets?: Iterable<Redacted.Redacted<string>>
}

export interface WrittenCheckpoint {
  readonly document: Readonly<Record<string, unknown>>
  /** What was left out or cannot be loaded without the project's modules. */
  readonly warnings: ReadonlyArray<string>
}

const given = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined))

const filled = <A extends object>(value: A): A | null => (Object.keys(value).length === 0 ? null : value)

const answerText = ({ verify }: ScenarioNode): string => {
  const expected = verify.find((verifier) => verifier.expected !== undefined)?.expected
  return typeof expected === "string" ? expected : expected === undefined ? "" : JSON.stringify(expected)
}

/** The filter of tools has a place of its own in these documents. */
const paramsOf = ({ params: { tool_filter: toolFilter, ...params } }: ScenarioNode) => ({ toolFilter, params })

const saveNode = (node: ScenarioNode) => ({
  "@type": "karenina:ScenarioNode",
  nodeId: node.id,
  question: {
    "@type": "Question",
    text: node.prompt,
    acceptedAnswer: { "@type": "Answer", text: answerText(node) }
  },
  ...given({
    agentIdentity: node.agentIdentity,
    metadata: filled(node.metadata),
    "arena:verify": filled(node.verify),
    "arena:parse": filled(node.parse),
    "arena:update": filled(node.update),
    "arena:system": node.system,
    "arena:contestant": node.contestant,
    toolFilter: paramsOf(node).toolFilter,
    "arena:params": filled(paramsOf(node).params),
    "arena:maxTokens": node.maxTokens,
    "arena:temperature": node.temperature,
    "arena:timeoutSeconds": node.timeoutS,
    "arena:retries": node.retries === 0 ? null : node.retries,
    "arena:maxVisits": node.maxVisits
  })
})

const saveEdge = ({ from, handover, to, when }: ScenarioEdge) => {
  const condition = when === null ? null : saveCondition(when)
  return {
    source: from,
    target: to,
    ...given({
      condition,
      "arena:when": condition === null ? when : null,
      handover: typeof handover === "string" ? handover : null,
      "arena:handover": typeof handover === "string" ? null : handover
    })
  }
}

const saveNamed = ({ check, description, name }: NamedOutcome) => {
  const saved = saveOutcome(check)
  return { name, description, ...(saved === null ? { "arena:check": check } : { check: saved }) }
}

const saveScenario = (scenario: Scenario) => ({
  "@type": "karenina:Scenario",
  name: scenario.name,
  description: scenario.description,
  entryNode: scenario.entry,
  nodes: Object.fromEntries(scenario.nodes.map((node) => [node.id, saveNode(node)])),
  edges: scenario.edges.map(saveEdge),
  outcomeCriteria: scenario.outcomes.map(saveNamed),
  metadata: scenario.metadata,
  ...given({
    "arena:score": filled(scenario.score),
    "arena:limits": scenario.limits,
    "arena:system": scenario.system,
    "arena:state": filled(scenario.state),
    "arena:tags": filled(scenario.tags),
    "arena:weight": scenario.weight === 1 ? null : scenario.weight
  })
})

const property = (name: string, value: string) => ({ "@type": "PropertyValue", name, value })

const functionsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return []
  const own = "function" in value && typeof value.function === "string" ? [value.function] : []
  return [...own, ...Object.values(value).flatMap(functionsIn)]
}

/** Writes scenarios as a checkpoint. Functions are saved by name; secrets are not saved at all. */
export const writeCheckpoint = (scenarios: ReadonlyArray<Scenario>, options: CheckpointOptions): WrittenCheckpoint => {
  const { date, description = "", name, secrets = [] } = options
  const written = scenarios.map(saveScenario)
  const warnings: Array<string> = [...new Set(functionsIn(written))].map(
    (one) => `${one} is saved by name only: loading needs the project's module`
  )
  const parts = withoutSecrets(written, secrets, (path) =>
    warnings.push(`${path} was left out: its name tells of a secret`)
  )
  const document = {
    "@context": {
      "@vocab": "https://schema.org/",
      karenina: "urn:karenina:vocab:",
      arena: "urn:agent-arena:vocab:"
    },
    "@type": "DataFeed",
    "@id": `urn:agent-arena:checkpoint:${ofValue(parts).slice(0, 16)}`,
    name,
    description,
    version: "1.0.0",
    creator: "Agent Arena",
    dateCreated: date,
    dateModified: date,
    dataFeedElement: [],
    hasPart: parts,
    additionalProperty: [property("format_version", "3.0.0-jsonld"), property("benchmark_type", "scenario")]
  }
  return { document, warnings }
}
