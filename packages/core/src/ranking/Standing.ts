import type { EntryStats, EntryStatus } from "../domain/Leaderboard.ts"
import type { RankedContestant, RankingRules } from "../domain/Project.ts"
import { check } from "./ConstraintChecks.ts"
import { type ContestantColumns, Kind, Origin } from "./ContestantColumns.ts"
import { meansByTag, noStats, statsOf } from "./EntryTally.ts"
import { percent } from "./Figures.ts"
import { forEachSlot, type MatrixView } from "./MatrixView.ts"
import type { Measurements } from "./Measurements.ts"
import { builtIns, isBuiltIn, isQuality, metricOf, type ProjectMetric } from "./MetricDefinition.ts"
import { cellValues, metricValue } from "./MetricSums.ts"

/** What one contestant came to on its own, before anything is compared. */
export interface Standing {
  readonly contestant: RankedContestant
  /** Null exactly when nothing was recorded. */
  readonly columns: ContestantColumns | null
  readonly status: EntryStatus
  readonly stats: EntryStats
  /** Raw values by metric; null = unknown. */
  readonly values: ReadonlyMap<string, number | null>
  readonly failures: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
  readonly byTag: Readonly<Record<string, number>>
}

/** Every metric of the board: the weighted ones in config order, the other built-in ones, then custom ones by name. */
export const boardMetrics = (rules: RankingRules, measurements: Measurements): ReadonlyArray<ProjectMetric> => {
  const { metrics } = rules
  const custom = rules.contestants.flatMap(({ key }) => [...(measurements.columns(key)?.custom.keys() ?? [])])
  const named = [...Object.keys(metrics.specs), metrics.tieBreaker].filter((name) => name !== "" && !isBuiltIn(name))
  const names = new Set([
    ...Object.keys(metrics.weights),
    ...builtIns.map(({ name }) => name),
    ...[...custom, ...named].toSorted()
  ])
  return [...names].map((name) => metricOf(metrics, name))
}

const failedCalls = (stats: EntryStats): number => stats.errors + stats.timedOut

/** Says what the numbers of this contestant leave out. */
const omissions = (stats: EntryStats, values: ReadonlyMap<string, number | null>): ReadonlyArray<string> => {
  const warnings: Array<string> = []
  const failed = failedCalls(stats)
  const accuracy = values.get("accuracy") ?? null
  const strict = values.get("strict_accuracy") ?? null
  if (failed > 0 && accuracy !== null && strict !== null) {
    warnings.push(
      `${failed} of ${stats.attempted} calls failed and are not part of the accuracy of ${percent(accuracy, 1)}; ` +
        `counted as wrong it would be ${percent(strict, 1)}`
    )
  }
  if (stats.graded > 0 && stats.graded < stats.completed) {
    warnings.push(`${stats.completed - stats.graded} of ${stats.completed} answers have no score`)
  }
  return warnings
}

/** Weighted metrics that only some of the answers have: their figures must not pass for figures of all. */
const partial = (
  rules: RankingRules,
  view: MatrixView,
  metrics: ReadonlyArray<ProjectMetric>,
  columns: ContestantColumns,
  { completed }: EntryStats
): ReadonlyArray<string> =>
  metrics
    .filter(({ complete, name }) => (rules.metrics.weights[name] ?? 0) > 0 && !complete && !isQuality(name))
    .flatMap((metric) => {
      const known = cellValues(view, columns, metric).length
      return known > 0 && known < completed ? [`${metric.name} is known for ${known} of ${completed} answers only`] : []
    })

/** What answers that were not asked for now say about latency and cost. */
const secondHand = (view: MatrixView, columns: ContestantColumns, { completed }: EntryStats): ReadonlyArray<string> => {
  const counts = [0, 0, 0]
  forEachSlot(view, (slot) => {
    const origin = columns.origin[slot] ?? Origin.live
    if (columns.kind[slot] === Kind.ok) counts[origin] = (counts[origin] ?? 0) + 1
  })
  const [, cached = 0, replayed = 0] = counts
  return [
    ...(cached > 0
      ? [
          `${cached} of ${completed} answers come from the response cache: they have no latency, and cost what they cost at first`
        ]
      : []),
    ...(replayed > 0
      ? [`${replayed} of ${completed} answers were replayed: latency and cost are those of the recorded calls`]
      : [])
  ]
}

/** Why there is nothing to rank; null when there is something. */
const noDataReason = (
  contestant: RankedContestant,
  columns: ContestantColumns | null,
  stats: EntryStats
): string | null => {
  if (contestant.skipped !== null) return contestant.skipped
  if (stats.attempted === 0) return stats.interrupted > 0 ? "every call was interrupted" : "no call was made"
  if (stats.completed > 0) return null
  return `every call failed — ${columns?.errors[0]?.text ?? "no reason was recorded"}`
}

/** Measures one contestant and holds it against the constraints. */
export const standingOf = (
  rules: RankingRules,
  measurements: Measurements,
  view: MatrixView,
  metrics: ReadonlyArray<ProjectMetric>,
  contestant: RankedContestant
): Standing => {
  const columns = measurements.columns(contestant.key)
  const planned = contestant.skipped === null ? rules.cases.length * rules.trials : 0
  const stats = columns === null ? noStats(planned) : statsOf(view, columns, planned)
  const values = new Map(
    metrics.map((metric) => [
      metric.name,
      columns === null ? null : metricValue(view, columns, metric, stats.completed)
    ])
  )
  const { failures, unverified } = check(rules.constraints, {
    card: contestant.card,
    stats,
    accuracy: values.get("accuracy") ?? null,
    costPer1kUsd: values.get("cost") ?? null,
    latencyP95Ms: values.get("latency_p95") ?? null
  })
  const noData = noDataReason(contestant, columns, stats)
  return {
    contestant,
    columns,
    status: noData !== null ? "no_data" : failures.length > 0 ? "disqualified" : "ranked",
    stats,
    values,
    failures: noData === null ? failures : [noData, ...failures],
    warnings: [
      ...(noData === null ? unverified : []),
      ...omissions(stats, values),
      ...(columns === null ? [] : partial(rules, view, metrics, columns, stats)),
      ...(columns === null ? [] : secondHand(view, columns, stats))
    ],
    byTag: columns === null ? {} : meansByTag(view, columns)
  }
}
