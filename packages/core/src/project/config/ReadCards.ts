/** Price cards and `pricing:`. */
import type { PriceCard } from "../../domain/PriceCard.ts"
import type { PricingSettings } from "../../domain/Settings.ts"
import type { Path } from "../source/Path.ts"
import type { PriceFile } from "./ConfigFile.ts"
import type { CardEntry } from "./ContestantEntry.ts"
import { choose, type ReadContext, toList } from "./ReadContext.ts"

/** Only the fields that are known: an absent key of a card means "unknown". */
const known = <T extends object>(fields: { readonly [K in keyof T]: T[K] | null | undefined }): Partial<T> =>
  // The filter removes exactly the values that the result's type does not have.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)) as Partial<T>

type Tier = NonNullable<PriceCard["promptTiers"]>[number]

const readTiers = (tiers: CardEntry["prompt_tiers"]): PriceCard["promptTiers"] | null =>
  tiers?.map(
    (tier): Tier => ({
      aboveTokens: tier.above_tokens,
      ...known<Omit<Tier, "aboveTokens">>({
        inputUsdPerMtok: tier.input_usd_per_mtok,
        outputUsdPerMtok: tier.output_usd_per_mtok,
        cacheReadUsdPerMtok: tier.cache_read_usd_per_mtok,
        cacheWriteUsdPerMtok: tier.cache_write_usd_per_mtok
      })
    })
  ) ?? null

/** A card with its short names resolved. `asOf` is the date of its file. */
export const readCard = (context: ReadContext, path: Path, card: CardEntry, asOf: string | null = null): PriceCard => {
  const first = <K extends keyof CardEntry & string>(...keys: ReadonlyArray<K>) =>
    choose(context, path, card, keys)?.value ?? null
  return known<PriceCard>({
    provider: card.provider,
    displayName: card.display_name,
    inputUsdPerMtok: first("input_usd_per_mtok", "input"),
    outputUsdPerMtok: first("output_usd_per_mtok", "output"),
    cacheReadUsdPerMtok: card.cache_read_usd_per_mtok,
    cacheWriteUsdPerMtok: card.cache_write_usd_per_mtok,
    reasoningUsdPerMtok: card.reasoning_usd_per_mtok,
    batchInputUsdPerMtok: card.batch_input_usd_per_mtok,
    batchOutputUsdPerMtok: card.batch_output_usd_per_mtok,
    promptTiers: readTiers(card.prompt_tiers),
    contextTokens: first("context_tokens", "context_window", "context"),
    maxOutputTokens: first("max_output_tokens", "max_output"),
    features: card.features == null ? null : toList<string>(card.features),
    privacy: card.privacy,
    notes: first("notes", "note"),
    source: card.source,
    asOf: card.as_of ?? asOf
  })
}

export type Cards = Readonly<Record<string, CardEntry>> | null | undefined

/** Cards by model id; `path` is where the mapping stands. */
export const readCards = (
  context: ReadContext,
  path: Path,
  cards: Cards,
  asOf: string | null = null
): PricingSettings["cards"] =>
  Object.fromEntries(
    Object.entries(cards ?? {}).map(([model, card]) => [model, readCard(context, [...path, model], card, asOf)])
  )

const fileKeys: ReadonlySet<string> = new Set(["as_of", "currency", "note", "notes", "aliases", "models"])

/** A price file: its cards stand under `models`, or at the top. */
export const readPriceFile = (context: ReadContext, file: PriceFile): PricingSettings => {
  const asOf = file.as_of ?? null
  const top = Object.fromEntries(Object.entries(file).filter(([key]) => !fileKeys.has(key)))
  return {
    cards: {
      // What is left beside the named keys was decoded as cards; `fromEntries` forgets it.
      ...readCards(context, [], top as Cards, asOf),
      ...readCards(context, ["models"], file.models, asOf)
    },
    aliases: file.aliases ?? {}
  }
}

/** Cards of the config laid over those of the price file, field by field. */
export const layer = (under: PricingSettings, over: PricingSettings): PricingSettings => {
  const cards = { ...under.cards }
  for (const [model, card] of Object.entries(over.cards)) {
    cards[model] = Object.hasOwn(cards, model) ? { ...cards[model], ...card } : card
  }
  return { cards, aliases: { ...under.aliases, ...over.aliases } }
}
