import type { Leaderboard, LeaderboardEntry, MetricValue } from "../domain/Leaderboard.ts"
import type { RankingRules } from "../domain/Project.ts"
import { normalised, type Placed, place, type Scoring, scoringOf, unranked } from "./Composite.ts"
import { type Evidence, gather } from "./Evidence.ts"
import { viewOf } from "./MatrixView.ts"
import type { Measurements } from "./Measurements.ts"
import { metricOf, type ProjectMetric } from "./MetricDefinition.ts"
import { notesOf } from "./Notes.ts"
import { boardMetrics, type Standing, standingOf } from "./Standing.ts"
import { type Reservation, verdictOf } from "./Verdict.ts"
import { axesOf, normalisedWeights } from "./Weights.ts"

export interface RankOptions {
  /** Whether every planned cell has an outcome of its own; without that there is never a winner. */
  readonly complete: boolean
  /** Notes of the run itself (waits, budgets), shown after those of the ranking. */
  readonly extraNotes?: ReadonlyArray<string>
}

const metricValues = (
  metrics: ReadonlyArray<ProjectMetric>,
  scoring: Scoring,
  standing: Standing
): Readonly<Record<string, MetricValue>> =>
  Object.fromEntries(
    metrics.map((metric) => {
      const raw = standing.values.get(metric.name) ?? null
      const value: MetricValue = {
        raw,
        normalised: standing.status === "ranked" ? normalised(scoring, metric.name, raw) : null,
        weight: scoring.axes.shares.get(metric.name) ?? 0,
        direction: metric.direction,
        unit: metric.unit
      }
      return [metric.name, value]
    })
  )

const lacking = (scoring: Scoring, standing: Standing): ReadonlyArray<string> =>
  standing.status !== "ranked"
    ? []
    : [...scoring.axes.shares.keys(), ...scoring.axes.removed.keys()]
        .filter((metric) => (standing.values.get(metric) ?? null) === null)
        .map((metric) => `${metric} is weighted but unknown`)

const entryOf = (
  metrics: ReadonlyArray<ProjectMetric>,
  scoring: Scoring,
  evidence: Evidence | null,
  { composite, standing }: Placed,
  rank: number | null
): LeaderboardEntry => {
  const { byTag, columns, contestant, failures, stats, status, warnings } = standing
  const intervals = evidence?.own.get(contestant.key)
  return {
    key: contestant.key,
    label: contestant.label,
    model: contestant.model,
    provider: contestant.provider,
    status,
    rank,
    composite,
    compositeInterval: intervals?.composite ?? null,
    accuracyInterval: intervals?.accuracy ?? null,
    metrics: metricValues(metrics, scoring, standing),
    failures,
    warnings: [...warnings, ...lacking(scoring, standing)],
    stats,
    byTag,
    errors: columns?.errors.map(({ text }) => text) ?? []
  }
}

const board = (
  rules: RankingRules,
  measurements: Measurements,
  reservation: Reservation | null,
  extra: ReadonlyArray<string>
): Leaderboard => {
  const view = viewOf(rules, measurements)
  const metrics = boardMetrics(rules, measurements)
  const standings = rules.contestants.map((contestant) => standingOf(rules, measurements, view, metrics, contestant))
  const eligible = standings.filter(({ status }) => status === "ranked")
  const weights = normalisedWeights(rules.metrics.weights)
  const axes = axesOf(weights, eligible)
  const scoring = scoringOf(metrics, axes, eligible)
  const placed = place(eligible, scoring, metricOf(rules.metrics, rules.metrics.tieBreaker))
  const others = unranked(standings)
  const { statistics } = rules
  const evidence = reservation === "provisional" ? null : gather({ view, scoring, metrics, placed, others, statistics })
  const pairs = evidence?.pairs ?? []
  const ranked = placed.map((entry, index) => entryOf(metrics, scoring, evidence, entry, index + 1))
  const rest = others.map((standing) => entryOf(metrics, scoring, evidence, { standing, composite: null }, null))
  const entries = [...ranked, ...rest]
  const complete = reservation !== "incomplete" && reservation !== "provisional"
  const metricsDropped = measurements.metricsDropped()
  return {
    weights,
    entries,
    verdict: verdictOf({ ranked, unranked: rest, pairs, statistics, reservation }),
    comparisons: pairs.map(({ comparison }) => comparison),
    notes: notesOf({ entries, weights, axes, pairs, statistics, metricsDropped, complete, extra }),
    complete
  }
}

/**
 * Ranks what was measured. Pure and deterministic: the same cells give the same board whatever the order they came in.
 *
 * `rules` may differ from those the measurements were made for (other weights, constraints, targets, fewer cases): that is
 * how a stored run is ranked under other rules without a single call.
 */
export const rank = (rules: RankingRules, measurements: Measurements, options: RankOptions): Leaderboard => {
  const reservation = !options.complete ? "incomplete" : rules.statistics.enabled ? null : "statistics_off"
  return board(rules, measurements, reservation, options.extraNotes ?? [])
}

/** The same board without resampling: no intervals, no comparisons, no winner. Cheap enough to be called while a run goes on. */
export const rankLive = (rules: RankingRules, measurements: Measurements): Leaderboard =>
  board(rules, measurements, "provisional", [])
