import * as Context from "effect/Context"
import { features, privacyFacts } from "../domain/Capability.ts"
import type { TokenUsage } from "../domain/Generation.ts"
import type { PriceCard } from "../domain/PriceCard.ts"
import type { PricingSettings } from "../domain/Settings.ts"
import { candidates } from "./CardLookup.ts"

export { callCost } from "./CallCost.ts"

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

/** Cost of one call in USD: null unless every price and token count that matters is known. */
export type CallCost = (card: PriceCard | null, usage: TokenUsage) => number | null

/** Builds the book of a project. */
export type MakePriceBook = (catalogue: PriceCatalogue, pricing: PricingSettings) => PriceBook

/** The mock answers on this machine: it is free, keeps nothing and can do everything. */
const mockCard: PriceCard = {
  provider: "mock",
  displayName: "Mock",
  inputUsdPerMtok: 0,
  outputUsdPerMtok: 0,
  features,
  privacy: Object.fromEntries(privacyFacts.map((fact) => [fact, true]))
}

const own = <A>(record: Readonly<Record<string, A>>, key: string): A | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

/** Prices that only hold beside the input or output price they were published with. */
const dependent = {
  inputUsdPerMtok: ["cacheReadUsdPerMtok", "cacheWriteUsdPerMtok", "promptTiers", "pricedPromptTokens"],
  outputUsdPerMtok: ["reasoningUsdPerMtok", "promptTiers", "pricedPromptTokens"]
} as const

/** The upper card field by field over the lower one; a new base price does not inherit what hung on the old one. */
const overlay = (lower: PriceCard, upper: PriceCard): PriceCard => {
  const merged = { ...lower }
  for (const base of ["inputUsdPerMtok", "outputUsdPerMtok"] as const) {
    if (upper[base] === undefined) continue
    for (const field of dependent[base]) delete merged[field]
  }
  return Object.assign(merged, upper)
}

const isMock = (model: string): boolean => model === "mock" || model.startsWith("mock:")

/**
 * Later layers win field by field (see `overlay`); inside a layer the more specific name wins. The part before a `:` counts only for the
 * mock and for cards that the project wrote itself: a shipped price is never lent to another variant of a model. There
 * is no fallback to the provider.
 */
export const make: MakePriceBook = (catalogue, pricing) => {
  const alias = (id: string) => own(pricing.aliases, id) ?? own(catalogue.aliases, id)
  return {
    card: (model, ownCard) => {
      const broadestFirst = candidates(model, alias).toReversed()
      const found = [
        isMock(model) ? mockCard : undefined,
        ...broadestFirst.map(({ id, family }) => (family ? undefined : own(catalogue.cards, id))),
        ...broadestFirst.map(({ id }) => own(pricing.cards, id)),
        ownCard ?? undefined
      ].filter((card) => card !== undefined)
      return found.length === 0 ? null : found.reduce(overlay)
    }
  }
}
