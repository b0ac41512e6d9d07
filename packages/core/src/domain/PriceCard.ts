import * as Schema from "effect/Schema"

const Price = Schema.optionalKey(Schema.Finite)

/** Prices of a whole call whose prompt is longer than `aboveTokens`; a price that is absent stays that of the card. */
export const PromptTier = Schema.Struct({
  aboveTokens: Schema.Int,
  inputUsdPerMtok: Price,
  outputUsdPerMtok: Price,
  cacheReadUsdPerMtok: Price,
  cacheWriteUsdPerMtok: Price
})
export type PromptTier = typeof PromptTier.Type

/** What is known about a model: prices in USD per million tokens, window in tokens, features, privacy facts. Absent = unknown. */
export const PriceCard = Schema.Struct({
  provider: Schema.optionalKey(Schema.String),
  displayName: Schema.optionalKey(Schema.String),
  inputUsdPerMtok: Price,
  outputUsdPerMtok: Price,
  cacheReadUsdPerMtok: Price,
  cacheWriteUsdPerMtok: Price,
  /** Price of reasoning tokens where it differs from the output price; absent = reasoning is billed as output. */
  reasoningUsdPerMtok: Price,
  /** Prices of a batch interface; facts only, the arena's own calls are never batched. */
  batchInputUsdPerMtok: Price,
  batchOutputUsdPerMtok: Price,
  /** Long-prompt prices, in any order. */
  promptTiers: Schema.optionalKey(Schema.Array(PromptTier)),
  /** Longest prompt for which the prices hold, tokens; a call with a longer one has no known cost. Absent = any. */
  pricedPromptTokens: Schema.optionalKey(Schema.Int),
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
