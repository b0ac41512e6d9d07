/** The decoded settings of a project: one Schema per block of `config.yaml`, defaults filled in, aliases resolved. */
import * as Schema from "effect/Schema"
import { Direction } from "./Leaderboard.ts"
import { PriceCard } from "./PriceCard.ts"
import { SourcePosition } from "./SourcePosition.ts"
import { Params } from "./TestCase.ts"

const Limit = Schema.NullOr(Schema.Finite)

/** `run:`. All times are seconds; a limit of 0 is off. */
export const RunSettings = Schema.Struct({
  trials: Schema.Int,
  concurrency: Schema.Int,
  requestTimeoutS: Schema.Finite,
  idleTimeoutS: Schema.Finite,
  cellTimeoutS: Schema.Finite,
  maxWallS: Schema.Finite,
  drainS: Schema.Finite,
  termDrainS: Schema.Finite,
  retries: Schema.Int,
  retryBackoffS: Schema.Finite,
  maxRetryAfterS: Schema.Finite,
  failFast: Schema.Boolean,
  seed: Schema.NullOr(Schema.Int),
  /** Folder of the response cache; null = off. */
  cache: Schema.NullOr(Schema.String),
  record: Schema.NullOr(Schema.String),
  replay: Schema.NullOr(Schema.String)
})
export type RunSettings = typeof RunSettings.Type

/** `defaults:`: what a request uses when its case and contestant say nothing. */
export const RequestDefaults = Schema.Struct({
  system: Schema.NullOr(Schema.String),
  maxTokens: Schema.NullOr(Schema.Int),
  temperature: Schema.NullOr(Schema.Finite),
  params: Params
})
export type RequestDefaults = typeof RequestDefaults.Type

/** `providers[]`: a named connector configuration. `apiKeyRef` is a reference such as `${env:NAME}`, never a resolved secret. */
export const ProviderProfile = Schema.Struct({
  id: Schema.NonEmptyString,
  kind: Schema.NonEmptyString,
  baseUrl: Schema.NullOr(Schema.String),
  apiKeyRef: Schema.NullOr(Schema.Redacted(Schema.String)),
  headers: Schema.Record(Schema.String, Schema.Redacted(Schema.String)),
  timeoutS: Limit,
  verifyTls: Schema.Boolean,
  /** Path of a CA bundle. */
  caFile: Schema.NullOr(Schema.String),
  proxy: Schema.NullOr(Schema.String),
  modelPrefix: Schema.NullOr(Schema.String),
  /** npm package of an AI SDK provider, for `kind: ai-sdk`. */
  package: Schema.NullOr(Schema.String),
  rateLimit: Schema.Struct({ rpm: Limit, tpm: Limit, concurrency: Limit, burst: Limit }),
  retry: Schema.Struct({ attempts: Schema.NullOr(Schema.Int), backoffS: Limit }),
  params: Params,
  position: SourcePosition
})
export type ProviderProfile = typeof ProviderProfile.Type

export const NormaliseMode = Schema.Literals(["minmax", "target", "raw"])
export type NormaliseMode = typeof NormaliseMode.Type

/** How one metric is read; null = the built-in choice for that metric. */
export const MetricSpec = Schema.Struct({
  direction: Schema.NullOr(Direction),
  normalise: Schema.NullOr(NormaliseMode),
  /** In the metric's own unit. */
  target: Schema.NullOr(Schema.Finite)
})
export type MetricSpec = typeof MetricSpec.Type

/** `metrics:`. `weights` are as written (not yet normalised to 1), in config order. */
export const MetricSettings = Schema.Struct({
  weights: Schema.Record(Schema.String, Schema.Finite),
  tieBreaker: Schema.String,
  specs: Schema.Record(Schema.String, MetricSpec)
})
export type MetricSettings = typeof MetricSettings.Type

/** `constraints:`; null or empty = not asked for. */
export const Constraints = Schema.Struct({
  minAccuracy: Limit,
  maxErrorRate: Limit,
  maxCostPer1kCallsUsd: Limit,
  maxLatencyP95Ms: Limit,
  privacyRequired: Schema.Array(Schema.String),
  requiredFeatures: Schema.Array(Schema.String),
  minContextTokens: Limit,
  /** Whether a model without a card may pass the card constraints. */
  allowUnknownCard: Schema.Boolean,
  /** Whether a constraint on an unknown value passes (with a warning) or disqualifies. */
  allowUnknown: Schema.Boolean
})
export type Constraints = typeof Constraints.Type

/** `statistics:`. `minMargin` is on the composite's 0..1 scale. */
export const StatisticsSettings = Schema.Struct({
  enabled: Schema.Boolean,
  resamples: Schema.Int,
  confidence: Schema.Finite,
  seed: Schema.Int,
  minMargin: Schema.Finite
})
export type StatisticsSettings = typeof StatisticsSettings.Type

/** `budgets:`, USD. */
export const Budgets = Schema.Struct({
  maxRunUsd: Limit,
  maxModelUsd: Limit,
  confirmAboveUsd: Limit,
  onExceed: Schema.Literals(["stop", "warn"]),
  allowUnpriced: Schema.Boolean
})
export type Budgets = typeof Budgets.Type

export const WatchSettings = Schema.Struct({ driftThreshold: Schema.Finite, webhook: Schema.NullOr(Schema.String) })
export type WatchSettings = typeof WatchSettings.Type

/** `scorers:`. `paths` are absolute. */
export const ScorerSettings = Schema.Struct({
  default: Schema.String,
  paths: Schema.Array(Schema.String),
  options: Schema.Record(Schema.String, Params)
})
export type ScorerSettings = typeof ScorerSettings.Type

/** `judge:`; null model = no judge. `provider` is a profile id or a kind. */
export const JudgeSettings = Schema.Struct({
  model: Schema.NullOr(Schema.String),
  provider: Schema.NullOr(Schema.String),
  apiKeyEnv: Schema.NullOr(Schema.String),
  apiBase: Schema.NullOr(Schema.String),
  system: Schema.NullOr(Schema.String),
  maxTokens: Schema.Int,
  temperature: Schema.NullOr(Schema.Finite),
  params: Params
})
export type JudgeSettings = typeof JudgeSettings.Type

/** A function of a project module: `file.ts:function`, with where it was named. */
export const FunctionRef = Schema.Struct({
  module: Schema.String,
  exportName: Schema.String,
  position: SourcePosition
})
export type FunctionRef = typeof FunctionRef.Type

export const HookSettings = Schema.Struct({
  preRequest: Schema.NullOr(FunctionRef),
  postProcess: Schema.NullOr(FunctionRef),
  onResult: Schema.NullOr(FunctionRef)
})
export type HookSettings = typeof HookSettings.Type

/** `pricing:`: cards by model id, those of `pricing.path` already under those of `pricing.models`. */
export const PricingSettings = Schema.Struct({
  cards: Schema.Record(Schema.String, PriceCard),
  aliases: Schema.Record(Schema.String, Schema.String)
})
export type PricingSettings = typeof PricingSettings.Type

/** `output:`. Paths are absolute. */
export const OutputSettings = Schema.Struct({
  dir: Schema.String,
  db: Schema.String,
  formats: Schema.Array(Schema.Literals(["markdown", "json", "csv", "html", "junit"])),
  /** Folder under which every turn of a scenario gets a folder; absent = only turns that need one, under `dir`. */
  workspaces: Schema.optionalKey(Schema.String),
  /** Absent = the folders of turns are kept. */
  keepWorkspaces: Schema.optionalKey(Schema.Literal(false))
})
export type OutputSettings = typeof OutputSettings.Type
