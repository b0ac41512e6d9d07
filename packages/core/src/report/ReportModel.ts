/** What a report says, in figures and words, before anything is laid out: all renderers start from here. */
import type { Interval, Leaderboard, LeaderboardEntry } from "../domain/Leaderboard.ts"
import type { RankingRules } from "../domain/Project.ts"
import type { RunRecord } from "../domain/Run.ts"
import type { RunReport } from "../domain/RunReport.ts"
import { columnFormat, count, type Format, plural } from "./Figures.ts"

/** One weighted metric. */
export interface MetricColumn {
  readonly metric: string
  /** The metric's name, with what it is counted in where the name alone would mislead. */
  readonly heading: string
  /** Share in the composite, 0..1. */
  readonly weight: number
  readonly format: Format
}

export type RowStatus = "winner" | "leading" | "ranked" | "disqualified" | "no data"

/** One contestant. Texts are foreign: a renderer must escape them for its own medium. */
export interface ReportRow {
  readonly entry: LeaderboardEntry
  readonly status: RowStatus
  /** Empty when not ranked, and for all rows of a run that is not whole. */
  readonly rank: string
  readonly composite: string
  /** "0.790 to 0.834", or empty. */
  readonly compositeInterval: string
  readonly accuracyInterval: string
  /** Raw values in the order of `columns`. */
  readonly cells: ReadonlyArray<string>
}

/** The verdict in one sentence, and how it is to be taken. */
export interface Headline {
  readonly tone: "good" | "warn" | "bad"
  /** Two words at most, for a title. */
  readonly title: string
  /** Says all of it, the title included. */
  readonly sentence: string
}

/** A run that did not do all it planned, in one sentence; its figures must not be taken for a full comparison. */
export interface Incompleteness {
  readonly title: string
  readonly sentence: string
}

export interface ReportModel {
  readonly run: RunRecord
  readonly description: string
  readonly leaderboard: Leaderboard
  readonly rules: RankingRules
  /** What went wrong besides the cells. */
  readonly problems: ReadonlyArray<string>
  readonly headline: Headline
  readonly incomplete: Incompleteness | null
  readonly columns: ReadonlyArray<MetricColumn>
  readonly rows: ReadonlyArray<ReportRow>
  readonly formatComposite: Format
}

const stopReasons: Readonly<Record<string, string>> = {
  cancelled: "it was asked to stop",
  budget: "the budget was reached",
  time_limit: "the time limit of the run was reached",
  deadline: "the process was told to end",
  interrupted: "it was interrupted (Ctrl-C)",
  fail_fast: "a call failed and run.fail_fast is on"
}

/** Why a run stopped, as a clause. */
export const stopClause = (reason: string | null): string =>
  reason === null ? "its process is gone" : (stopReasons[reason] ?? reason.replace(/^error: /, "an error occurred: "))

/** Whether the run did all it planned: places of contestants that have done unlike parts of it are none. */
export const isWhole = ({ run, leaderboard }: Pick<RunReport, "run" | "leaderboard">): boolean =>
  run.status === "completed" && leaderboard.complete

const incompleteness = (report: RunReport): Incompleteness | null => {
  if (isWhole(report)) return null
  const { run } = report
  const { finished, interrupted, notStarted, planned } = run.counts
  const rest = [
    ...(interrupted > 0 ? [`${count(interrupted)} interrupted`] : []),
    ...(notStarted > 0 ? [`${count(notStarted)} not started`] : [])
  ]
  const left = rest.length === 0 ? "" : ` (${rest.join(", ")})`
  const outcome = `${count(finished)} of ${plural(planned, "planned cell")} have an outcome${left}`
  if (run.status === "running") {
    return { title: "UNFINISHED RUN", sentence: `The run is still marked as running; ${outcome}.` }
  }
  const title = finished === 0 ? "FAILED RUN" : "PARTIAL RUN"
  return { title, sentence: `The run ended early because ${stopClause(run.stopReason)}; ${outcome}.` }
}

const headline = (leaderboard: Leaderboard): Headline => {
  const { verdict } = leaderboard
  switch (verdict._tag) {
    case "Winner":
      return { tone: "good", title: "Winner", sentence: verdict.sentence }
    case "Unresolved":
      return { tone: "warn", title: "Unresolved", sentence: verdict.sentence }
    case "NoWinner":
      return { tone: "bad", title: "No winner", sentence: verdict.sentence }
  }
}

const rowStatus = (entry: LeaderboardEntry, { verdict }: Leaderboard): RowStatus => {
  if (entry.status === "disqualified") return "disqualified"
  if (entry.status === "no_data") return "no data"
  if (verdict._tag === "Winner" && verdict.winner === entry.key) return "winner"
  return verdict._tag === "Unresolved" && verdict.leading.includes(entry.key) ? "leading" : "ranked"
}

/** Limits from the constraints that a metric is held against. */
const limitsOf = (metric: string, { constraints }: RankingRules): ReadonlyArray<number> => {
  const limit = {
    accuracy: constraints.minAccuracy,
    cost: constraints.maxCostPer1kCallsUsd,
    latency_p95: constraints.maxLatencyP95Ms,
    reliability: constraints.maxErrorRate === null ? null : 1 - constraints.maxErrorRate
  }[metric]
  return limit === undefined || limit === null ? [] : [limit]
}

const neighbours = (values: ReadonlyArray<number>): ReadonlyArray<readonly [number, number]> =>
  values.slice(1).map((value, index) => [values[index] ?? value, value] as const)

const rawValues = (metric: string, entries: ReadonlyArray<LeaderboardEntry>): ReadonlyArray<number> =>
  entries.flatMap((entry) => entry.metrics[metric]?.raw ?? [])

/** Neighbours in the ranking with equal composites were put in order by the tie-breaker: its difference must show. */
const tieBreaks = (ranked: ReadonlyArray<LeaderboardEntry>): ReadonlyArray<LeaderboardEntry> =>
  ranked.filter((entry, index) =>
    [ranked[index - 1], ranked[index + 1]].some(
      (other) => other !== undefined && Math.abs((other.composite ?? 0) - (entry.composite ?? 0)) <= 1e-9
    )
  )

const metricColumn = (metric: string, weight: number, { leaderboard, rules }: RunReport): MetricColumn => {
  const { entries } = leaderboard
  const unit = entries.flatMap((entry) => entry.metrics[metric]?.unit ?? [])[0] ?? ""
  const limits = limitsOf(metric, rules)
  const againstLimits = rawValues(metric, entries).flatMap((value) => limits.map((limit) => [value, limit] as const))
  const ranked = entries.filter((entry) => entry.rank !== null)
  const decided = metric === rules.metrics.tieBreaker ? neighbours(rawValues(metric, tieBreaks(ranked))) : []
  const heading = unit === "USD/1k calls" ? `${metric}/1k` : metric
  return { metric, heading, weight, format: columnFormat(unit, [...againstLimits, ...decided]) }
}

const interval = (value: Interval | null, format: Format): string =>
  value === null ? "" : `${format(value.low)} to ${format(value.high)}`

/** The status by which a row is highlighted: in a run that is not whole nobody is, whoever leads. */
export const shownAs = ({ incomplete }: ReportModel, { status }: ReportRow): RowStatus =>
  incomplete !== null && (status === "winner" || status === "leading") ? "ranked" : status

/** Turns a report into what is to be said. Pure; keeps the order of the leaderboard. */
export const make = (report: RunReport): ReportModel => {
  const { leaderboard } = report
  const columns = Object.entries(leaderboard.weights)
    .filter(([, weight]) => weight > 0)
    .map(([metric, weight]) => metricColumn(metric, weight, report))
  const composites = leaderboard.entries.flatMap((entry) => entry.composite ?? [])
  const formatComposite = columnFormat("composite", neighbours(composites))
  const formatAccuracy = columns.find(({ metric }) => metric === "accuracy")?.format ?? columnFormat("0-1")
  return {
    ...report,
    headline: headline(leaderboard),
    incomplete: incompleteness(report),
    columns,
    formatComposite,
    rows: leaderboard.entries.map((entry) => ({
      entry,
      status: rowStatus(entry, leaderboard),
      rank: entry.rank === null || !isWhole(report) ? "" : String(entry.rank),
      composite: formatComposite(entry.composite),
      compositeInterval: interval(entry.compositeInterval, formatComposite),
      accuracyInterval: interval(entry.accuracyInterval, formatAccuracy),
      cells: columns.map(({ format, metric }) => format(entry.metrics[metric]?.raw ?? null))
    }))
  }
}
