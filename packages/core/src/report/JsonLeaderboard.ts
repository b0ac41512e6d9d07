/** The leaderboard in the JSON report. Field names are a public format: they stay when internal names change. */
import type { Comparison, Interval, Leaderboard, LeaderboardEntry, Verdict } from "../domain/Leaderboard.ts"

const entry = (row: LeaderboardEntry, whole: boolean) => ({
  key: row.key,
  model: row.model,
  provider: row.provider,
  display: row.label,
  status: row.status,
  rank: whole ? row.rank : null,
  composite: row.composite,
  composite_interval: row.compositeInterval,
  accuracy_interval: row.accuracyInterval,
  metrics: Object.fromEntries(
    Object.entries(row.metrics).map(([name, { direction, normalised, raw, unit, weight }]) => [
      name,
      { raw, normalized: normalised, weight, direction, unit }
    ])
  ),
  failures: row.failures,
  warnings: row.warnings,
  stats: {
    planned: row.stats.planned,
    attempted: row.stats.attempted,
    completed: row.stats.completed,
    errors: row.stats.errors,
    timed_out: row.stats.timedOut,
    interrupted: row.stats.interrupted,
    graded: row.stats.graded,
    total_cost_usd: row.stats.totalCostUsd,
    cost_priced_calls: row.stats.costPricedCalls,
    latency_p50_ms: row.stats.latencyP50Ms,
    latency_max_ms: row.stats.latencyMaxMs,
    total_prompt_tokens: row.stats.totalPromptTokens,
    prompt_tokens_calls: row.stats.promptTokensCalls,
    total_completion_tokens: row.stats.totalCompletionTokens,
    completion_tokens_calls: row.stats.completionTokensCalls
  },
  by_tag: row.byTag,
  errors: row.errors
})

const comparison = (pair: Comparison) => ({
  leader: pair.leader,
  other: pair.other,
  shared_cases: pair.sharedCases,
  composite_difference: pair.composite satisfies Interval | null,
  accuracy_difference: pair.accuracy satisfies Interval | null,
  wins: pair.wins,
  losses: pair.losses,
  ties: pair.ties,
  p_value: pair.pValue,
  separated: pair.separated,
  cases_needed: pair.casesNeeded,
  discriminating_cases: pair.discriminating.map(({ caseId, delta }) => ({ test_id: caseId, delta }))
})

const verdictOf = (verdict: Verdict) => {
  switch (verdict._tag) {
    case "Winner":
      return { kind: "winner", winner: verdict.winner, margin: verdict.margin, sentence: verdict.sentence }
    case "Unresolved":
      return {
        kind: "unresolved",
        leading: verdict.leading,
        margin: verdict.margin,
        remedy: verdict.remedy,
        cases_needed: verdict.casesNeeded,
        sentence: verdict.sentence
      }
    case "NoWinner":
      return { kind: "no_winner", sentence: verdict.sentence }
  }
}

/**
 * `winner` is null unless one is declared; the leader of an unresolved ranking is the entry with rank 1. Entries of a run
 * that is not `whole` stand in their order, without places.
 */
export const toJson = (leaderboard: Leaderboard, whole: boolean) => ({
  weights: leaderboard.weights,
  complete: leaderboard.complete,
  winner: leaderboard.verdict._tag === "Winner" ? leaderboard.verdict.winner : null,
  verdict: verdictOf(leaderboard.verdict),
  notes: leaderboard.notes,
  entries: leaderboard.entries.map((row) => entry(row, whole)),
  comparisons: leaderboard.comparisons.map(comparison)
})
