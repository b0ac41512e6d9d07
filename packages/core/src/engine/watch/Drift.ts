/** Whether contestants answer differently from before. Pure; the same data give the same decision. */
import type { ContestantKey, RunId } from "../../domain/Ids.ts"
import type { EntryStatus, Interval } from "../../domain/Leaderboard.ts"
import type { StatisticsSettings } from "../../domain/Settings.ts"
import { fewestCases } from "../../ranking/Evidence.ts"
import { holm } from "../../ranking/Holm.ts"
import { ratioOf } from "../../ranking/MetricSeries.ts"
import { make as makeResampler } from "../../ranking/Resampler.ts"
import { intervalOf, pValueOf } from "../../ranking/SeriesSummary.ts"
import { type CaseMeans, type Measure, measures } from "./CaseMeans.ts"

/** One case now and before. */
export interface WatchedCase {
  readonly weight: number
  readonly now: CaseMeans
  readonly before: CaseMeans
}

/** One contestant now and before. `composite` 0..1. */
export interface WatchedContestant {
  readonly key: ContestantKey
  readonly status: EntryStatus
  readonly composite: number | null
  /** Null = there is nothing to hold it against; `reason` says why. */
  readonly before: {
    readonly runs: ReadonlyArray<RunId>
    /** In the newest of these runs. */
    readonly status: EntryStatus
    /** Mean over these runs, of those that have one. */
    readonly composite: number | null
  } | null
  readonly reason: "first" | "changed" | null
  readonly cases: ReadonlyArray<WatchedCase>
}

export interface WatchRules {
  /** Least difference that matters, on the 0..1 scale of the measures. */
  readonly threshold: number
  readonly statistics: Pick<StatisticsSettings, "resamples" | "confidence" | "seed">
}

/**
 * `drifted`: the difference matters and chance does not explain it. `unclear`: it matters, but chance may explain it.
 * `stable`: it does not matter. `too_few_cases`: fewer than three cases say something about now and before.
 */
export type MeasureVerdict = "drifted" | "unclear" | "stable" | "too_few_cases"

/** One measure of a contestant: the difference now - before, paired by case. */
export interface MeasureDrift {
  readonly measure: Measure
  readonly verdict: MeasureVerdict
  readonly sharedCases: number
  readonly difference: Interval | null
  /** Two-sided, corrected for all comparisons of this tick (Holm 1979). */
  readonly pValue: number | null
}

export interface ContestantDrift {
  readonly key: ContestantKey
  /** `not_measured`: it did not run, or every call was interrupted. */
  readonly verdict: MeasureVerdict | "no_baseline" | "not_measured"
  /** Whether somebody should look: it drifted, for better or worse, or its status is another one. */
  readonly flagged: boolean
  readonly statusChanged: boolean
  readonly status: EntryStatus
  readonly previousStatus: EntryStatus | null
  readonly composite: number | null
  readonly baselineComposite: number | null
  readonly baselineRuns: ReadonlyArray<RunId>
  readonly reason: WatchedContestant["reason"]
  readonly measures: ReadonlyArray<MeasureDrift>
}

/** Differences smaller than this are noise of floating point. */
const epsilon = 1e-9

interface Compared {
  readonly measure: Measure
  readonly shared: number
  readonly difference: Interval | null
  readonly rawP: number | null
}

/** Weighted mean of the differences by case, and how far resampling the cases moves it. */
const compare = (cases: ReadonlyArray<WatchedCase>, measure: Measure, { statistics }: WatchRules): Compared => {
  const pairs = cases.flatMap(({ before, now, weight }) => {
    const [was, is] = [before[measure], now[measure]]
    return was === null || is === null || weight <= 0 ? [] : [{ delta: (is - was) * weight, weight }]
  })
  const shared = pairs.length
  if (shared < fewestCases) return { measure, shared, difference: null, rawP: null }
  const resampler = makeResampler(shared)
  const totals = Float64Array.from(pairs, ({ delta }) => delta)
  const counts = Float64Array.from(pairs, ({ weight }) => weight)
  const pending = ratioOf(resampler, { totals, counts }, null)
  const series = pending(resampler.run(statistics.resamples, statistics.seed))
  return { measure, shared, difference: intervalOf(series, statistics.confidence), rawP: pValueOf(series) }
}

const judge = (compared: Compared, pValue: number | null, { statistics, threshold }: WatchRules): MeasureDrift => {
  const { difference, measure, shared } = compared
  const drift = { measure, sharedCases: shared, difference, pValue }
  if (difference === null || pValue === null) return { ...drift, verdict: "too_few_cases" }
  if (Math.abs(difference.point) < threshold - epsilon) return { ...drift, verdict: "stable" }
  const excludesNothing = difference.low > epsilon || difference.high < -epsilon
  const separated = excludesNothing && pValue < 1 - statistics.confidence + epsilon
  return { ...drift, verdict: separated ? "drifted" : "unclear" }
}

const severity: ReadonlyArray<MeasureVerdict> = ["drifted", "unclear", "too_few_cases", "stable"]

/** The verdict of the measure that says most; one that nobody measures (a project without grades) says nothing. */
const worst = (drifts: ReadonlyArray<MeasureDrift>): MeasureVerdict => {
  const measured = drifts.filter(({ sharedCases }) => sharedCases > 0)
  return severity.find((verdict) => measured.some((drift) => drift.verdict === verdict)) ?? "too_few_cases"
}

const verdictOf = (
  { before, status }: WatchedContestant,
  drifts: ReadonlyArray<MeasureDrift>
): ContestantDrift["verdict"] => {
  if (status === "no_data") return "not_measured"
  return before === null ? "no_baseline" : worst(drifts)
}

const conclude = (contestant: WatchedContestant, drifts: ReadonlyArray<MeasureDrift>): ContestantDrift => {
  const { before, composite, key, reason, status } = contestant
  const verdict = verdictOf(contestant, drifts)
  const statusChanged = before !== null && before.status !== status
  return {
    key,
    verdict,
    flagged: verdict === "drifted" || statusChanged,
    statusChanged,
    status,
    previousStatus: before?.status ?? null,
    composite,
    baselineComposite: before?.composite ?? null,
    baselineRuns: before?.runs ?? [],
    reason,
    measures: drifts
  }
}

/**
 * Holds every contestant against its own past. A difference counts as drift when it is at least `threshold`, its
 * bootstrap interval over cases excludes 0, and it stays significant after correction for the number of comparisons: a
 * watch that looks often must not cry wolf.
 */
export const drifts = (
  contestants: ReadonlyArray<WatchedContestant>,
  rules: WatchRules
): ReadonlyArray<ContestantDrift> => {
  const compared = contestants.map(({ before, cases }) =>
    before === null ? [] : measures.map((measure) => compare(cases, measure, rules))
  )
  const all = compared.flat()
  const corrected = holm(all.flatMap(({ rawP }) => rawP ?? []))
  let next = 0
  const pValueFor = ({ rawP }: Compared): number | null => (rawP === null ? null : (corrected[next++] ?? null))
  return contestants.map((contestant, index) =>
    conclude(
      contestant,
      (compared[index] ?? []).map((one) => judge(one, pValueFor(one), rules))
    )
  )
}
