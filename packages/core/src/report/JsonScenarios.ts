/** Played scenarios in the JSON report. Field names are a public format: they stay when internal names change. */
import type { PathStatistics } from "../scenario/view/PathStatistics.ts"
import type { ScenarioStatistics } from "../scenario/view/PlayStatistics.ts"
import type { TurnMetrics } from "../scenario/view/TurnMetrics.ts"

const metrics = (turns: TurnMetrics) => ({
  turns: turns.turns,
  passed: turns.passed,
  failed: turns.failed,
  errors: turns.errors,
  retries: turns.retries,
  mean_score: turns.meanScore,
  mean_latency_ms: turns.meanLatencyMs,
  mean_tokens: turns.meanTokens,
  cost_usd: turns.costUsd,
  cost_priced_turns: turns.costKnown
})

const statistics = (one: PathStatistics) => ({
  plays: one.plays,
  statuses: one.statuses,
  paths: one.paths.map(({ count, meanScore, path, share }) => ({ path, count, share, mean_score: meanScore })),
  plays_on_other_paths: one.onOtherPaths,
  nodes: one.nodes.map((node) => ({ node: node.node, plays: node.plays, ...metrics(node) })),
  positions: one.positions.map((turns) => ({ turn: turns.position, ...metrics(turns) })),
  later_turns: one.laterTurns,
  edges: one.edges,
  node_coverage: one.nodeCoverage,
  edge_coverage: one.edgeCoverage,
  plays_of_other_versions: one.ofOtherVersions,
  outcomes: one.outcomes,
  soft_faults: one.softFaults
})

/** One scenario over all contestants, and by contestant. Turns are counted from 0. */
export const toJson = ({ all, contestants, scenario }: ScenarioStatistics) => ({
  scenario,
  ...statistics(all),
  contestants: contestants.map((one) => ({ contestant: one.contestant, ...statistics(one) }))
})
