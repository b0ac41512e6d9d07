import * as Context from "effect/Context"
import type { TokenUsage } from "../domain/Generation.ts"
import type { PriceCard } from "../domain/PriceCard.ts"
import type { PricingSettings } from "../domain/Settings.ts"

/** A dated set of cards by model id; data only. */
export interface PriceCatalogue {
  /** ISO date. */
  readonly asOf: string
  readonly cards: Readonly<Record<string, PriceCard>>
  readonly aliases: Readonly<Record<string, string>>
}

/** The cards shipped with the program; empty unless the connectors package (or the embedding program) provides one. */
export const ShippedCatalogue = Context.Reference<PriceCatalogue>("@agent-arena/core/pricing/ShippedCatalogue", {
  defaultValue: () => ({ asOf: "2026-09-02", cards: {}, aliases: {} })
})

/** Prices known for one project. Pure lookups. */
export interface PriceBook {
  /** The card of a contestant: catalogue < project < the entry's own card; null = nothing is known about the model. */
  readonly card: (model: string, own: PriceCard | null) => PriceCard | null
}

/** Cost of one call in USD: null unless input and output price and both token counts are known. */
export type CallCost = (card: PriceCard | null, usage: TokenUsage) => number | null

/** Builds the book of a project. */
export type MakePriceBook = (catalogue: PriceCatalogue, pricing: PricingSettings) => PriceBook
