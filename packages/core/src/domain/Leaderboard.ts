import * as Schema from "effect/Schema"
import { CaseId, ContestantKey } from "./Ids.ts"

const Quantity = Schema.NullOr(Schema.Finite)

/** `point` with a bootstrap percentile interval at `confidence` (0..1). */
export const Interval = Schema.Struct({
  point: Schema.Finite,
  low: Schema.Finite,
  high: Schema.Finite,
  confidence: Schema.Finite
})
export type Interval = typeof Interval.Type

export const Direction = Schema.Literals(["max", "min"])
export type Direction = typeof Direction.Type

/** One metric of one contestant. `normalised` is 0..1 with 1 = best; `weight` the share really used (after redistribution). */
export const MetricValue = Schema.Struct({
  raw: Quantity,
  normalised: Quantity,
  weight: Schema.Finite,
  direction: Direction,
  unit: Schema.String
})
export type MetricValue = typeof MetricValue.Type

/** `ranked`, `disqualified` (broke a constraint), `no_data` (nothing measured, or skipped). */
export const EntryStatus = Schema.Literals(["ranked", "disqualified", "no_data"])
export type EntryStatus = typeof EntryStatus.Type

/**
 * Counts and totals of a contestant's cells. Costs USD, latency ms.
 *
 * `attempted = completed + errors + timedOut`: interrupted cells are none of them, though what they cost is in the totals.
 * The `…Calls` say how many completed calls a total covers.
 */
export const EntryStats = Schema.Struct({
  planned: Schema.Int,
  attempted: Schema.Int,
  completed: Schema.Int,
  errors: Schema.Int,
  timedOut: Schema.Int,
  interrupted: Schema.Int,
  graded: Schema.Int,
  /** Sum of known costs, and how many completed calls have one; null when none has. */
  totalCostUsd: Quantity,
  costPricedCalls: Schema.Int,
  latencyP50Ms: Quantity,
  latencyMaxMs: Quantity,
  totalPromptTokens: Quantity,
  promptTokensCalls: Schema.Int,
  totalCompletionTokens: Quantity,
  completionTokensCalls: Schema.Int
})
export type EntryStats = typeof EntryStats.Type

/** A row of the leaderboard. */
export const LeaderboardEntry = Schema.Struct({
  key: ContestantKey,
  label: Schema.String,
  model: Schema.String,
  provider: Schema.String,
  status: EntryStatus,
  /** 1..n for ranked entries. */
  rank: Schema.NullOr(Schema.Int),
  /** 0..1; null when not ranked or nothing is weighable. */
  composite: Quantity,
  compositeInterval: Schema.NullOr(Interval),
  accuracyInterval: Schema.NullOr(Interval),
  metrics: Schema.Record(Schema.String, MetricValue),
  /** Reasons for disqualification or for having no data. */
  failures: Schema.Array(Schema.String),
  warnings: Schema.Array(Schema.String),
  stats: EntryStats,
  /** Mean score by tag, tags sorted. */
  byTag: Schema.Record(Schema.String, Schema.Finite),
  /** The first five error texts. */
  errors: Schema.Array(Schema.String)
})
export type LeaderboardEntry = typeof LeaderboardEntry.Type

/** The leader against one other ranked contestant, over shared cases; `delta` is leader minus other. */
export const Comparison = Schema.Struct({
  leader: ContestantKey,
  other: ContestantKey,
  sharedCases: Schema.Int,
  /** Difference of the composite (0..1 scale). */
  composite: Schema.NullOr(Interval),
  /** Difference of accuracy. */
  accuracy: Schema.NullOr(Interval),
  wins: Schema.Int,
  losses: Schema.Int,
  ties: Schema.Int,
  /** Bootstrap p-value of the composite difference, two-sided, Holm-corrected; null when not computed. */
  pValue: Schema.NullOr(Schema.Finite),
  separated: Schema.Boolean,
  /** Total number of cases that would probably separate the two; null = none would, or unknown. */
  casesNeeded: Schema.NullOr(Schema.Int),
  /** Up to ten cases on which the two differ most. */
  discriminating: Schema.Array(Schema.Struct({ caseId: CaseId, delta: Schema.Finite }))
})
export type Comparison = typeof Comparison.Type

/** What may be claimed about the winner. */
export const Verdict = Schema.Union([
  Schema.Struct({
    _tag: Schema.Literal("Winner"),
    winner: ContestantKey,
    margin: Schema.NullOr(Schema.Finite),
    sentence: Schema.String
  }),
  Schema.Struct({
    _tag: Schema.Literal("Unresolved"),
    /** Contestants that cannot be separated from the leader, the leader first. */
    leading: Schema.Array(ContestantKey),
    margin: Schema.NullOr(Schema.Finite),
    /** Whether more trials or more cases would help. */
    remedy: Schema.Literals(["trials", "cases", "either", "none"]),
    casesNeeded: Schema.NullOr(Schema.Int),
    sentence: Schema.String
  }),
  /** Nobody qualified, or nothing was measured. */
  Schema.Struct({ _tag: Schema.Literal("NoWinner"), sentence: Schema.String })
])
export type Verdict = typeof Verdict.Type

export const Leaderboard = Schema.Struct({
  /** Normalised to sum 1, in the order of the config. */
  weights: Schema.Record(Schema.String, Schema.Finite),
  /** Ranked by rank, then disqualified by key, then no_data by key. */
  entries: Schema.Array(LeaderboardEntry),
  verdict: Verdict,
  comparisons: Schema.Array(Comparison),
  notes: Schema.Array(Schema.String),
  /** False when the run did not finish its plan; then there is never a winner. */
  complete: Schema.Boolean
})
export type Leaderboard = typeof Leaderboard.Type
