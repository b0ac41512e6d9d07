/** What the plays of a scenario have in common: which ways were taken, and how often. Pure. */
import { END, type Scenario } from "../model/Scenario.ts"
import type { ScenarioResult, ScenarioStatus } from "../model/Turn.ts"

export interface PathCount {
  readonly path: ReadonlyArray<string>
  readonly count: number
  readonly share: number
  /** Mean score of the plays that took it; null when none has a score. */
  readonly meanScore: number | null
}

export interface NodeCount {
  readonly node: string
  readonly visits: number
  /** Plays that came here. */
  readonly plays: number
  readonly passed: number
  readonly failed: number
  /** Mean of the known latencies, ms. */
  readonly meanLatencyMs: number | null
}

export interface EdgeCount {
  readonly from: string
  readonly to: string
  readonly count: number
}

export interface OutcomeCount {
  readonly outcome: string
  readonly assessed: number
  /** Mean over the plays in which it was assessed; true counts as 1. */
  readonly mean: number | null
}

export interface PathStatistics {
  readonly plays: number
  readonly statuses: Readonly<Partial<Record<ScenarioStatus, number>>>
  /** Most frequent first. */
  readonly paths: ReadonlyArray<PathCount>
  readonly nodes: ReadonlyArray<NodeCount>
  readonly edges: ReadonlyArray<EdgeCount>
  /** Nodes and edges that were taken at least once, as shares of all. */
  readonly nodeCoverage: number
  readonly edgeCoverage: number
  readonly outcomes: ReadonlyArray<OutcomeCount>
  readonly softFaults: number
}

const mean = (values: ReadonlyArray<number>): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length

const pathsOf = (results: ReadonlyArray<ScenarioResult>): ReadonlyArray<PathCount> =>
  [...Map.groupBy(results, ({ path }) => JSON.stringify(path)).values()]
    .map(
      (group): PathCount => ({
        path: group[0]?.path ?? [],
        count: group.length,
        share: group.length / results.length,
        meanScore: mean(group.flatMap(({ score }) => (score === null ? [] : [score])))
      })
    )
    .toSorted((a, b) => b.count - a.count || a.path.join().localeCompare(b.path.join()))

const nodesOf = (scenario: Scenario, results: ReadonlyArray<ScenarioResult>): ReadonlyArray<NodeCount> =>
  scenario.nodes.map(({ id }): NodeCount => {
    const turns = results.flatMap(({ turns }) => turns.filter(({ node }) => node === id))
    return {
      node: id,
      visits: turns.length,
      plays: results.filter(({ path }) => path.includes(id)).length,
      passed: turns.filter(({ verifyResult }) => verifyResult === true).length,
      failed: turns.filter(({ verifyResult }) => verifyResult === false).length,
      meanLatencyMs: mean(turns.flatMap(({ latencyMs }) => (latencyMs === null ? [] : [latencyMs])))
    }
  })

/** Steps along a path; a completed play that could end took the way to END. */
const stepsOf = (scenario: Scenario, { path, status }: ScenarioResult): ReadonlyArray<string> => {
  const steps = path.slice(1).map((to, index) => JSON.stringify([path[index], to]))
  const last = path.at(-1)
  const ends = status === "completed" && scenario.edges.some(({ from, to }) => from === last && to === END)
  return ends ? [...steps, JSON.stringify([last, END])] : steps
}

const edgesOf = (scenario: Scenario, results: ReadonlyArray<ScenarioResult>): ReadonlyArray<EdgeCount> => {
  const counts = new Map<string, number>()
  for (const result of results) {
    for (const step of stepsOf(scenario, result)) counts.set(step, (counts.get(step) ?? 0) + 1)
  }
  const pairs = new Map(scenario.edges.map(({ from, to }) => [JSON.stringify([from, to]), { from, to }]))
  return [...pairs].map(([key, { from, to }]) => ({ from, to, count: counts.get(key) ?? 0 }))
}

const outcomesOf = (scenario: Scenario, results: ReadonlyArray<ScenarioResult>): ReadonlyArray<OutcomeCount> =>
  scenario.outcomes.map(({ name }): OutcomeCount => {
    const values = results.flatMap(({ outcomes }) => {
      const value = outcomes[name]
      return value === undefined || value === null ? [] : [Number(value)]
    })
    return { outcome: name, assessed: values.length, mean: mean(values) }
  })

const share = (counts: ReadonlyArray<number>): number =>
  counts.length === 0 ? 1 : counts.filter((count) => count > 0).length / counts.length

/** Statistics over plays of one scenario. */
export const pathStatistics = (scenario: Scenario, results: ReadonlyArray<ScenarioResult>): PathStatistics => {
  const statuses: Partial<Record<ScenarioStatus, number>> = {}
  for (const { status } of results) statuses[status] = (statuses[status] ?? 0) + 1
  const nodes = nodesOf(scenario, results)
  const edges = edgesOf(scenario, results)
  return {
    plays: results.length,
    statuses,
    paths: pathsOf(results),
    nodes,
    edges,
    nodeCoverage: share(nodes.map(({ visits }) => visits)),
    edgeCoverage: share(edges.map(({ count }) => count)),
    outcomes: outcomesOf(
      scenario,
      results.filter(({ status }) => status === "completed" || status === "limit_reached")
    ),
    softFaults: results.reduce((sum, { softFaults }) => sum + softFaults.length, 0)
  }
}
