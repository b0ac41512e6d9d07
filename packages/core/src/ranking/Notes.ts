import type { LeaderboardEntry } from "../domain/Leaderboard.ts"
import type { StatisticsSettings } from "../domain/Settings.ts"
import type { PairEvidence } from "./Evidence.ts"
import { count, list, percent } from "./Figures.ts"
import type { Axes } from "./Weights.ts"

export interface NoteInputs {
  readonly entries: ReadonlyArray<LeaderboardEntry>
  readonly weights: Readonly<Record<string, number>>
  readonly axes: Axes
  readonly pairs: ReadonlyArray<PairEvidence>
  readonly statistics: StatisticsSettings
  readonly metricsDropped: boolean
  readonly complete: boolean
  readonly extra: ReadonlyArray<string>
}

const quoted = (key: string): string => `\`${key}\``

const failures = ({ entries, weights }: NoteInputs): ReadonlyArray<string> => {
  const failed = entries.reduce((sum, { stats }) => sum + stats.errors + stats.timedOut, 0)
  const attempted = entries.reduce((sum, { stats }) => sum + stats.attempted, 0)
  if (failed === 0 || Object.hasOwn(weights, "reliability") || Object.hasOwn(weights, "strict_accuracy")) return []
  return [
    `${failed} of ${attempted} calls failed and are not part of accuracy; give \`reliability\` a weight to make failures count, ` +
      "or weigh `strict_accuracy`, which counts them as wrong."
  ]
}

/** Answers that wait for a person, and those that a scorer of the project gave no score. */
const withoutScore = ({ entries }: NoteInputs): ReadonlyArray<string> => {
  const missing = entries.reduce((sum, { stats }) => sum + Math.max(0, stats.completed - stats.graded), 0)
  return missing === 0
    ? []
    : [
        `${count(missing, "answer")} ${missing === 1 ? "has" : "have"} no score and ${missing === 1 ? "is" : "are"} no part of ` +
          "accuracy; what waits for a person is graded with `arena grade`."
      ]
}

const removedAxes = ({ axes }: NoteInputs): ReadonlyArray<string> =>
  [...axes.removed]
    .toSorted(([a], [b]) => Number(b === "cost") - Number(a === "cost"))
    .map(([metric, lacking]) => {
      const who = list(lacking.map(({ contestant }) => quoted(contestant.key)))
      return metric === "cost"
        ? `Cost is left out of the ranking and its weight shared among the other metrics, because ${who} ` +
            `${lacking.length === 1 ? "has" : "have"} calls without a known price; add a price card (pricing.models or card), or ` +
            "weigh cost 0."
        : `${quoted(metric)} is left out of the ranking and its weight shared among the other metrics, because it is not known ` +
            `for ${who}.`
    })

const comparability = ({ entries }: NoteInputs): ReadonlyArray<string> => {
  const ranked = entries.filter(({ status }) => status === "ranked").length
  const disqualified = entries.some(({ status }) => status === "disqualified")
  return ranked === 1 && disqualified ? ["Only one contestant qualified, so the ranking is not a comparison."] : []
}

/** Leader and runner-up on accuracy alone, which may tell another story than the composite. */
const accuracyNote = ({ pairs }: NoteInputs): ReadonlyArray<string> => {
  const [pair] = pairs
  const interval = pair?.comparison.accuracy
  if (pair === undefined || interval === null || interval === undefined) return []
  const { leader, losses, other, ties, wins } = pair.comparison
  const told = (won: number, lost: number, low: number, high: number) => ({
    won: `${won} won, ${lost} lost, ${ties} equal`,
    range: `${percent(low, 1)} to ${percent(high, 1)}`
  })
  if (interval.low > 0 || interval.high < 0) {
    // Everything is told from the side of the better one, which need not be the leader.
    const isLeader = interval.point > 0
    const [better, worse] = isLeader ? [leader, other] : [other, leader]
    const { range, won } = isLeader
      ? told(wins, losses, interval.low, interval.high)
      : told(losses, wins, -interval.high, -interval.low)
    return [
      `On accuracy alone ${quoted(better)} is better than ${quoted(worse)} by ${percent(Math.abs(interval.point), 1)} ` +
        `(interval of the difference ${range}; ${won} of ${count(wins + losses + ties, "case")}).`
    ]
  }
  const { range, won } = told(wins, losses, interval.low, interval.high)
  const needed =
    pair.accuracyCasesNeeded === null
      ? "more cases may never separate them"
      : `about ${pair.accuracyCasesNeeded} cases in total would tell`
  return [
    `On accuracy alone ${quoted(leader)} and ${quoted(other)} are too close to call (${range}; ${won}): ${needed}; ` +
      "any lead comes from the other metrics."
  ]
}

/** The smallest corrected p-value that this many resamples can give. */
const resolution = ({ pairs, statistics }: NoteInputs): ReadonlyArray<string> => {
  const alpha = 1 - statistics.confidence
  const needed = Math.ceil((2 * pairs.length) / alpha)
  return statistics.enabled && pairs.length > 0 && statistics.resamples < needed - 1
    ? [
        `${statistics.resamples} resamples cannot separate a leader from ${pairs.length} others at this confidence; ` +
          `raise statistics.resamples to ${needed} or more.`
      ]
    : []
}

const fewCases = 20

const smallSample = ({ pairs, statistics }: NoteInputs): ReadonlyArray<string> => {
  const [pair] = pairs
  return statistics.enabled &&
    pair !== undefined &&
    pair.comparison.composite !== null &&
    pair.comparison.sharedCases < fewCases
    ? [
        `The intervals rest on ${count(pair.comparison.sharedCases, "case")}; from fewer than ${fewCases} they come out too narrow.`
      ]
    : []
}

const unfinished = ({ complete, entries }: NoteInputs): ReadonlyArray<string> => {
  if (complete) return []
  const planned = entries.reduce((sum, { stats }) => sum + stats.planned, 0)
  const attempted = entries.reduce((sum, { stats }) => sum + stats.attempted, 0)
  return [`The run is not complete: ${attempted} of ${planned} planned cells have an outcome.`]
}

const droppedMetrics = ({ metricsDropped }: NoteInputs): ReadonlyArray<string> =>
  metricsDropped ? ["Some custom metrics are not shown: there were more than 64 names."] : []

/** What a reader of the board must know, in a fixed order: the gravest first, then what the caller adds. */
export const notesOf = (inputs: NoteInputs): ReadonlyArray<string> => [
  ...failures(inputs),
  ...withoutScore(inputs),
  ...removedAxes(inputs),
  ...comparability(inputs),
  ...accuracyNote(inputs),
  ...smallSample(inputs),
  ...resolution(inputs),
  ...droppedMetrics(inputs),
  ...inputs.extra,
  ...unfinished(inputs)
]
