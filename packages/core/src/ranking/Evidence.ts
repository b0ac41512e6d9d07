import type { Comparison, Interval } from "../domain/Leaderboard.ts"
import type { StatisticsSettings } from "../domain/Settings.ts"
import type { Placed, Scoring } from "./Composite.ts"
import { type Contender, compositeGap, contenderOf, evidenceCases, poolOf, sharedEvidence } from "./Contenders.ts"
import { casesNeeded, type Precision } from "./Effort.ts"
import { epsilon } from "./Figures.ts"
import { holm } from "./Holm.ts"
import type { MatrixView } from "./MatrixView.ts"
import type { ProjectMetric } from "./MetricDefinition.ts"
import { type Pending, type Pool, ratioOf } from "./MetricSeries.ts"
import { twoSidedZ } from "./NormalQuantile.ts"
import { type PairedCases, pairCases } from "./PairedCases.ts"
import type { Resamples } from "./Resampler.ts"
import { intervalOf, observed, pValueOf, type Series, varianceOf } from "./SeriesSummary.ts"
import type { Standing } from "./Standing.ts"
import { trialVariance } from "./TrialNoise.ts"

/** Fewer cases than this say nothing about other cases. */
export const fewestCases = 3

/** The leader against one other: what is shown, and how precisely the gap is known (null when it is not). */
export interface PairEvidence {
  readonly comparison: Comparison
  /** Whether both have a composite. */
  readonly scored: boolean
  readonly precision: Precision | null
  /** As `casesNeeded`, for accuracy alone. */
  readonly accuracyCasesNeeded: number | null
}

/** Intervals of one contestant. */
export interface OwnIntervals {
  readonly accuracy: Interval | null
  readonly composite: Interval | null
}

export interface Evidence {
  readonly own: ReadonlyMap<string, OwnIntervals>
  /** In order of rank. */
  readonly pairs: ReadonlyArray<PairEvidence>
}

/** What the evidence is gathered from. `others` have data but no place. */
export interface EvidenceInputs {
  readonly view: MatrixView
  readonly scoring: Scoring
  readonly metrics: ReadonlyArray<ProjectMetric>
  readonly placed: ReadonlyArray<Placed>
  readonly others: ReadonlyArray<Standing>
  readonly statistics: StatisticsSettings
}

/** A pair before the draws. */
interface PreparedPair {
  readonly leader: Contender
  readonly other: Contender
  readonly cases: PairedCases
  /** Cases that speak about both. */
  readonly shared: number
  readonly composite: Pending | null
  readonly accuracy: Pending
}

const preparePair = (pool: Pool, scoring: Scoring, leader: Contender, other: Contender): PreparedPair => {
  const cases = pairCases(pool.cases, leader.accuracy.sums, other.accuracy.sums)
  return {
    leader,
    other,
    cases,
    shared: sharedEvidence(scoring, leader, other),
    composite: compositeGap(pool, scoring, leader, other),
    accuracy: ratioOf(pool.resampler, cases.differences, null)
  }
}

const countsOf = ({ cases, leader, other, shared }: PreparedPair): Comparison => ({
  leader: leader.standing.contestant.key,
  other: other.standing.contestant.key,
  sharedCases: shared,
  composite: null,
  accuracy: null,
  wins: cases.wins,
  losses: cases.losses,
  ties: cases.ties,
  pValue: null,
  separated: false,
  casesNeeded: null,
  discriminating: cases.discriminating
})

/** A pair as far as it is known without resampling. */
const counted = (pair: PreparedPair): PairEvidence => ({
  comparison: countsOf(pair),
  scored: pair.composite !== null,
  precision: null,
  accuracyCasesNeeded: null
})

const precisionOf = (
  inputs: EvidenceInputs,
  gap: Series | null,
  cases: number,
  trials: number | null
): Precision | null => {
  const point = gap === null ? null : observed(gap)
  const variance = gap === null ? null : varianceOf(gap)
  if (point === null || variance === null || cases === 0) return null
  const z = twoSidedZ(inputs.statistics.confidence)
  return { gap: point, variance, trialVariance: trials, cases, trials: inputs.view.trials, z }
}

const trialNoise = ({ metrics, scoring, view }: EvidenceInputs, { leader, other }: PreparedPair): number | null => {
  const mine = trialVariance(view, leader.standing, scoring, metrics)
  const theirs = trialVariance(view, other.standing, scoring, metrics)
  return mine === null || theirs === null ? null : mine + theirs
}

/** One pair with its intervals; `corrected` is its p-value among all pairs. */
const judgePair = (
  inputs: EvidenceInputs,
  pair: PreparedPair,
  resamples: Resamples,
  corrected: number | null
): PairEvidence => {
  const { confidence } = inputs.statistics
  const gap = pair.composite?.(resamples) ?? null
  const accuracyGap = pair.accuracy(resamples)
  const composite = gap === null ? null : intervalOf(gap, confidence)
  const separated =
    corrected !== null && composite !== null && corrected < 1 - confidence + epsilon && composite.low > epsilon
  const precision = precisionOf(inputs, gap, pair.shared, trialNoise(inputs, pair))
  const accuracy = pair.cases.shared < fewestCases ? null : intervalOf(accuracyGap, confidence)
  const onAccuracy = precisionOf(inputs, accuracyGap, pair.cases.shared, null)
  return {
    comparison: {
      ...countsOf(pair),
      composite,
      accuracy,
      pValue: corrected,
      separated,
      casesNeeded: separated || precision === null ? null : casesNeeded(precision)
    },
    scored: true,
    precision,
    accuracyCasesNeeded: onAccuracy === null ? null : casesNeeded({ ...onAccuracy, gap: Math.abs(onAccuracy.gap) })
  }
}

const judgePairs = (
  inputs: EvidenceInputs,
  pairs: ReadonlyArray<PreparedPair>,
  resamples: Resamples
): ReadonlyArray<PairEvidence> => {
  const enough = ({ composite, shared }: PreparedPair) => composite !== null && shared >= fewestCases
  const pValues = pairs.map((pair) =>
    enough(pair) && pair.composite !== null ? pValueOf(pair.composite(resamples)) : null
  )
  const corrected = holm(pValues.map((value) => value ?? 1))
  return pairs.map((pair, index) =>
    pValues[index] === null || pValues[index] === undefined
      ? counted(pair)
      : judgePair(inputs, pair, resamples, corrected[index] ?? null)
  )
}

/** Intervals of one contestant, each only when enough cases speak. */
const ownIntervals = (
  inputs: EvidenceInputs,
  contender: Contender,
  resamples: Resamples,
  composite: number | null
): OwnIntervals => {
  const { confidence } = inputs.statistics
  const graded = contender.accuracy.sums.counts.filter((count) => count > 0).length
  const enough = contender.composite !== null && evidenceCases(inputs.scoring, contender) >= fewestCases
  const accuracy = contender.standing.values.get("accuracy") ?? null
  return {
    accuracy: graded < fewestCases ? null : intervalOf(contender.accuracy.series(resamples), confidence, accuracy),
    composite:
      enough && contender.composite !== null ? intervalOf(contender.composite(resamples), confidence, composite) : null
  }
}

/**
 * Everything that can be said beyond the numbers themselves. One set of draws serves all contestants, so every difference is
 * paired. With statistics switched off only what is counted remains.
 */
export const gather = (inputs: EvidenceInputs): Evidence => {
  const { metrics, others, placed, scoring, statistics, view } = inputs
  const pool = poolOf(view, [...placed.map(({ standing }) => standing), ...others])
  const entries = [...placed, ...others.map((standing) => ({ standing, composite: null }))]
  const contenders = entries.flatMap((entry) => {
    const contender = contenderOf(pool, scoring, metrics, entry)
    return contender === null ? [] : [{ contender, composite: entry.composite }]
  })
  const [leader, ...challengers] = contenders.slice(0, placed.length)
  const pairs =
    leader === undefined
      ? []
      : challengers.map(({ contender }) => preparePair(pool, scoring, leader.contender, contender))
  if (!statistics.enabled) {
    return {
      own: new Map(),
      pairs: pairs.map(counted)
    }
  }
  const resamples = pool.resampler.run(statistics.resamples, statistics.seed)
  return {
    own: new Map(
      contenders.map(({ composite, contender }) => [
        contender.standing.contestant.key,
        ownIntervals(inputs, contender, resamples, composite)
      ])
    ),
    pairs: judgePairs(inputs, pairs, resamples)
  }
}
