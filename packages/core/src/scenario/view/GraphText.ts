import { conditionText } from "../condition/Condition.ts"
import { END, type Scenario, type ScenarioEdge, type ScenarioNode } from "../model/Scenario.ts"
import { clip, sanitiseLine } from "./SafeText.ts"

const line = (text: string): string => sanitiseLine(text)

const edgeLine = (edge: ScenarioEdge, last: boolean, seen: ReadonlySet<string>): string => {
  const { from, handover, to, when } = edge
  const target = to === END ? "END" : to
  const back = to !== END && (seen.has(to) || to === from) ? " ↺" : ""
  const handed = handover === null ? "" : `  (${typeof handover === "string" ? handover : handover.function})`
  const condition = when === null ? "" : `  when ${clip(conditionText(when), 90)}`
  return line(`  ${last ? "└" : "├"}─▶ ${target}${back}${condition}${handed}`)
}

const details = (node: ScenarioNode): ReadonlyArray<string> => [
  ...(node.agentIdentity === null ? [] : [`as ${node.agentIdentity}`]),
  ...(node.contestant === null ? [] : [`by ${node.contestant}`]),
  ...(node.verify.length === 0 ? [] : [`verified by ${node.verify.map(({ type }) => type).join(", ")}`]),
  ...(Object.keys(node.parse).length === 0 ? [] : [`reads ${Object.keys(node.parse).join(", ")}`]),
  ...(node.maxVisits === null ? [] : [`at most ${node.maxVisits} visits`])
]

/** Nodes in the order in which a play may first come to them; nodes that cannot be reached last. */
const inOrder = (scenario: Scenario): ReadonlyArray<ScenarioNode> => {
  const byId = new Map(scenario.nodes.map((node) => [node.id, node]))
  const next = Map.groupBy(scenario.edges, ({ from }) => from)
  const order = new Set([scenario.entry])
  for (const id of order) for (const { to } of next.get(id) ?? []) if (byId.has(to)) order.add(to)
  for (const { id } of scenario.nodes) order.add(id)
  return [...order].flatMap((id) => byId.get(id) ?? [])
}

/** A scenario as lines for a terminal: each node with its question, and the ways on from it in their order. */
export const graphText = (scenario: Scenario): string => {
  const next = Map.groupBy(scenario.edges, ({ from }) => from)
  const seen = new Set<string>()
  const blocks = inOrder(scenario).map((node) => {
    seen.add(node.id)
    const edges = next.get(node.id) ?? []
    const extra = details(node)
    return [
      line(`${node.id === scenario.entry ? "●" : "○"} ${node.id}${extra.length === 0 ? "" : `  ${extra.join("; ")}`}`),
      line(`  │ ${clip(node.prompt.replace(/\s+/g, " "), 100)}`),
      ...(edges.length === 0
        ? ["  └─▶ (ends here)"]
        : edges.map((edge, index) => edgeLine(edge, index === edges.length - 1, seen)))
    ].join("\n")
  })
  const head = `${scenario.name}${scenario.description === "" ? "" : `: ${scenario.description}`}`
  return [line(head), ...blocks, ""].join("\n")
}
