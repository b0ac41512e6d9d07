import * as Schema from "effect/Schema"

/** The verdict of one scorer on one answer. */
export const Score = Schema.Struct({
  /** 0..1; null = not scored (awaiting a person, judge unusable). */
  score: Schema.NullOr(Schema.Finite),
  passed: Schema.NullOr(Schema.Boolean),
  /** One sentence for a person; empty when there is nothing to say. */
  reason: Schema.String,
  detail: Schema.Record(Schema.String, Schema.Unknown),
  /** Custom metrics by name, usable in `metrics.weights`. */
  metrics: Schema.Record(Schema.String, Schema.Finite)
})
export type Score = typeof Score.Type

/** A `Score` as it stands in a record: which scorer gave it, and its share. */
export const ScorerResult = Schema.Struct({ scorer: Schema.String, weight: Schema.Finite, ...Score.fields })
export type ScorerResult = typeof ScorerResult.Type

const noDetail: Score["detail"] = {}
const noMetrics: Score["metrics"] = {}

/** A score with `passed` defaulting to `score >= 0.5`. */
export const make = (
  score: number | null,
  fields: {
    readonly passed?: boolean
    readonly reason?: string
    readonly detail?: Score["detail"]
    readonly metrics?: Score["metrics"]
  } = {}
): Score => ({
  score,
  passed: fields.passed ?? (score === null ? null : score >= 0.5),
  reason: fields.reason ?? "",
  detail: fields.detail ?? noDetail,
  metrics: fields.metrics ?? noMetrics
})
