import * as Schema from "effect/Schema"
import * as Fields from "./Fields.ts"

const directionWords = ["max", "min", "higher", "lower"] as const
const normaliseWords = ["minmax", "target", "budget", "raw"] as const

const perMetric = <S extends Schema.Top>(schema: S, expected: string, description: string) =>
  Fields.optional(
    Schema.Record(Schema.String, schema.annotate({ expected })),
    `a mapping of metric names to ${expected}`,
    description
  )

/** How one metric is read: `metrics.<name>`. */
export const MetricBlock = Schema.Struct({
  direction: Fields.oneOf(directionWords, "Whether more (max, higher) or less (min, lower) is better."),
  normalize: Fields.oneOf(normaliseWords, "How the metric becomes 0..1: minmax, target (also: budget), raw."),
  target: Fields.number("Target in the metric's own unit; makes normalize: target the default."),
  budget: Fields.number("Another name for target."),
  budget_usd_per_1k_calls: Fields.number("Another name for target, of cost: USD per 1,000 calls."),
  target_p95_ms: Fields.number("Another name for target, of a latency, ms."),
  target_ms: Fields.number("Another name for target, of a latency, ms.")
}).annotate({ identifier: "Metric", expected: "a mapping" })
export type MetricBlock = typeof MetricBlock.Type

/** Keys of `metrics:` that are not names of metrics. */
export const metricKeys = ["weights", "tie_breaker", "directions", "normalize", "targets"] as const

const MetricName = Schema.String.check(Schema.isPattern(new RegExp(`^(?!(?:${metricKeys.join("|")})$)`)))

/** `metrics:`. Every key that is not one of `metricKeys` is the name of a metric. */
export const MetricsBlock = Schema.StructWithRest(
  Schema.Struct({
    weights: perMetric(
      Fields.Num({ min: 0 }),
      "a number >= 0",
      "What counts in the composite, and how much; normalised to sum 1. Default: accuracy alone."
    ),
    tie_breaker: Fields.filledText("Metric that decides between equal composites. Default: accuracy."),
    directions: perMetric(
      Schema.Literals(directionWords),
      `one of ${directionWords.join(", ")}`,
      "Direction by metric."
    ),
    normalize: perMetric(
      Schema.Literals(normaliseWords),
      `one of ${normaliseWords.join(", ")}`,
      "Normalisation by metric."
    ),
    targets: perMetric(Fields.Num({}), "a number", "Target by metric, in the metric's own unit.")
  }),
  [Schema.Record(MetricName, Schema.NullOr(MetricBlock).annotate({ expected: "a mapping" }))]
)
export type MetricsBlock = typeof MetricsBlock.Type
