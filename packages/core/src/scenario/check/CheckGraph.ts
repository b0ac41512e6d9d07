/** What can be known to be wrong with a scenario before anything is spent. Pure. */
import { suggest } from "../../project/source/Suggestion.ts"
import { END, type Scenario, type ScenarioEdge, userLabel } from "../model/Scenario.ts"
import { checkConditions } from "./CheckConditions.ts"
import { checkLoops, checkShadowed } from "./CheckLoops.ts"
import { checkOutcomes } from "./CheckOutcomes.ts"
import type { Finding } from "./Finding.ts"

const duplicates = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const seen = new Set<string>()
  return names.filter((name) => seen.size === seen.add(name).size)
}

const error = (message: string, part: Finding["part"] = null, suggestion: string | null = null): Finding => ({
  level: "error",
  message,
  part,
  suggestion
})

const nodesAt = (scenario: Scenario): ReadonlyArray<Finding> => {
  const ids = scenario.nodes.map(({ id }) => id)
  return [
    ...duplicates(ids).map((id) => error(`there are two nodes "${id}"`, { kind: "nodes", key: id })),
    ...scenario.nodes.flatMap(({ agentIdentity, id }) => [
      ...(agentIdentity === userLabel
        ? [error(`node "${id}": ${userLabel} is the label of the scenario itself`, { kind: "nodes", key: id })]
        : []),
      ...(id === END || id === "END" ? [error(`a node may not be named "${id}"`, { kind: "nodes", key: id })] : [])
    ])
  ]
}

const endsAt = (scenario: Scenario): ReadonlyArray<Finding> => {
  const ids = scenario.nodes.map(({ id }) => id)
  const known = new Set(ids)
  const findings: Array<Finding> = []
  if (scenario.entry === "") findings.push(error("no entry node is set"))
  else if (!known.has(scenario.entry)) {
    findings.push(error(`entry: there is no node "${scenario.entry}"`, null, suggest(scenario.entry, ids, "nodes")))
  }
  for (const [index, { from, to }] of scenario.edges.entries()) {
    const part = { kind: "edges", key: index } as const
    if (!known.has(from))
      findings.push(error(`an edge begins at "${from}", which is no node`, part, suggest(from, ids, "nodes")))
    if (to !== END && !known.has(to)) {
      findings.push(error(`an edge leads to "${to}", which is no node`, part, suggest(to, [...ids, "END"], "nodes")))
    }
  }
  return findings
}

/** Nodes that can be come to from the entry, whatever the conditions say. */
export const reachable = (scenario: Scenario): ReadonlySet<string> => {
  const next = Map.groupBy(scenario.edges, ({ from }) => from)
  const found = new Set([scenario.entry])
  for (const id of found) for (const { to } of next.get(id) ?? []) if (to !== END) found.add(to)
  return found
}

const unreachable = (scenario: Scenario): ReadonlyArray<Finding> => {
  const found = reachable(scenario)
  return scenario.nodes
    .filter(({ id }) => !found.has(id))
    .map(({ id }) => error(`node "${id}" cannot be reached from the entry`, { kind: "nodes", key: id }))
}

const fallbacks = (scenario: Scenario): ReadonlyArray<Finding> => {
  const bySource = Map.groupBy([...scenario.edges.entries()], ([, { from }]) => from)
  return [...bySource].flatMap(([from, edges]): ReadonlyArray<Finding> => {
    const always = edges.filter(([, { when }]) => when === null)
    const [first] = edges
    if (always.length === 0 && first !== undefined) {
      const message = `node "${from}" has only edges with conditions: without a match the scenario would just end`
      return [error(message, { kind: "edges", key: first[0] }, `add {from: ${from}, to: END}`)]
    }
    return always.slice(1).map(([index]) => ({
      level: "warning",
      message: `node "${from}" has another edge without a condition; only the first is ever used`,
      part: { kind: "edges", key: index },
      suggestion: null
    }))
  })
}

const named = (edges: ReadonlyArray<ScenarioEdge>): boolean => edges.every(({ from, to }) => from !== "" && to !== "")

/**
 * Everything that is wrong with a scenario, errors and warnings: unknown and unreachable nodes, missing fallbacks, loops
 * without an exit, shadowed edges, paths into the state that cannot exist, duplicate and unknown outcomes.
 */
export const checkGraph = (scenario: Scenario): ReadonlyArray<Finding> => {
  const basic = [...nodesAt(scenario), ...endsAt(scenario)]
  const graph =
    basic.length > 0 || !named(scenario.edges)
      ? []
      : [...unreachable(scenario), ...fallbacks(scenario), ...checkLoops(scenario), ...checkShadowed(scenario)]
  return [...basic, ...graph, ...checkConditions(scenario), ...checkOutcomes(scenario)]
}
