import { conditionText } from "../condition/Condition.ts"
import { END, type Scenario, type ScenarioEdge } from "../model/Scenario.ts"
import { clip, sanitiseLine } from "./SafeText.ts"

/** Text inside a Mermaid label: nothing that ends the label or the line, and nothing that a terminal obeys. */
const label = (text: string): string =>
  sanitiseLine(text).replace(/["#<>{}[\]|&;`]/g, (character) => `#${character.charCodeAt(0)};`)

const edgeLabel = ({ handover, when }: ScenarioEdge): string => {
  const parts = [
    ...(when === null ? [] : [conditionText(when)]),
    ...(handover === null ? [] : [typeof handover === "string" ? handover : handover.function])
  ]
  return parts.length === 0 ? "" : `|"${label(clip(parts.join(", "), 80))}"|`
}

/** A scenario as a Mermaid flowchart. */
export const mermaid = (scenario: Scenario): string => {
  const ids = new Map(scenario.nodes.map(({ id }, index) => [id, `n${index}`]))
  const idOf = (node: string): string => (node === END ? "done" : (ids.get(node) ?? "unknown"))
  const ends = scenario.edges.some(({ to }) => to === END)
  const nodes = scenario.nodes.map(({ id, prompt }) => {
    const text = `"${label(id)}<br/>${label(clip(prompt, 60))}"`
    return `  ${idOf(id)}${id === scenario.entry ? `([${text}])` : `[${text}]`}`
  })
  const edges = scenario.edges.map((edge) => `  ${idOf(edge.from)} -->${edgeLabel(edge)} ${idOf(edge.to)}`)
  return ["flowchart TD", ...nodes, ...(ends ? ['  done((("END")))'] : []), ...edges, ""].join("\n")
}
