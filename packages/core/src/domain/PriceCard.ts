import * as Schema from "effect/Schema"

/** What is known about a model: prices in USD per million tokens, window in tokens, features, privacy facts. Absent = unknown. */
export const PriceCard = Schema.Struct({
  provider: Schema.optionalKey(Schema.String),
  displayName: Schema.optionalKey(Schema.String),
  inputUsdPerMtok: Schema.optionalKey(Schema.Finite),
  outputUsdPerMtok: Schema.optionalKey(Schema.Finite),
  cacheReadUsdPerMtok: Schema.optionalKey(Schema.Finite),
  cacheWriteUsdPerMtok: Schema.optionalKey(Schema.Finite),
  contextTokens: Schema.optionalKey(Schema.Int),
  maxOutputTokens: Schema.optionalKey(Schema.Int),
  features: Schema.optionalKey(Schema.Array(Schema.String)),
  privacy: Schema.optionalKey(Schema.Record(Schema.String, Schema.Boolean)),
  notes: Schema.optionalKey(Schema.String),
  source: Schema.optionalKey(Schema.String),
  /** ISO date on which the facts were true. */
  asOf: Schema.optionalKey(Schema.String)
})
export type PriceCard = typeof PriceCard.Type
