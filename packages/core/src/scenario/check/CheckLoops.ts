import { canonicalJson } from "../../domain/ContentHash.ts"
import { END, type Scenario, type ScenarioEdge } from "../model/Scenario.ts"
import type { Finding } from "./Finding.ts"

const shown = ({ from, to }: ScenarioEdge): string => `${from} -> ${to === END ? "END" : to}`

/** Nodes from which END or a node without edges can be come to, following any edge that may ever be taken. */
const canEnd = (scenario: Scenario): ReadonlySet<string> => {
  const out = Map.groupBy(scenario.edges, ({ from }) => from)
  const ending = new Set(scenario.nodes.filter(({ id }) => !out.has(id)).map(({ id }) => id))
  for (let grown = true; grown; ) {
    grown = false
    for (const { from, to } of scenario.edges) {
      if (ending.has(from) || (to !== END && !ending.has(to))) continue
      ending.add(from)
      grown = true
    }
  }
  return ending
}

/** Loops that only a limit can end. */
export const checkLoops = (scenario: Scenario): ReadonlyArray<Finding> => {
  const ending = canEnd(scenario)
  return scenario.nodes
    .filter(({ id, maxVisits }) => !ending.has(id) && maxVisits === null)
    .map(({ id }) => ({
      level: "warning",
      message: `node "${id}" is in a loop without an exit: only the turn limit ends it`,
      part: { kind: "nodes", key: id },
      suggestion: "add an edge to END, or max_visits"
    }))
}

/** Edges that can never be followed: an earlier one of the same node asks for the same, or for nothing. */
export const checkShadowed = (scenario: Scenario): ReadonlyArray<Finding> => {
  const seen = new Map<string, ScenarioEdge>()
  return [...scenario.edges.entries()].flatMap(([index, edge]): ReadonlyArray<Finding> => {
    if (edge.when === null) return []
    const key = canonicalJson([edge.from, edge.when])
    const earlier = seen.get(key)
    if (earlier === undefined) {
      seen.set(key, edge)
      return []
    }
    const message = `edge ${shown(edge)} is never followed: ${shown(earlier)} has the same condition and stands before it`
    return [{ level: "warning", message, part: { kind: "edges", key: index }, suggestion: "remove one of them" }]
  })
}
