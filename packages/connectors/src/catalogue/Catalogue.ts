import type { PriceCard } from "@agent-arena/core/domain/PriceCard"
import type { PriceCatalogue } from "@agent-arena/core/pricing/PriceBook"

/** Day on which these facts were true. */
const asOf = "2026-09-02"

/** Where each provider publishes its prices. */
const sources = {
  anthropic: "https://www.anthropic.com/pricing",
  openai: "https://openai.com/api/pricing/",
  google: "https://ai.google.dev/gemini-api/docs/pricing",
  mistral: "https://mistral.ai/pricing"
} as const

interface Prices {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

const card = (
  provider: keyof typeof sources,
  contextTokens: number,
  { input, output, cacheRead, cacheWrite }: Prices,
  more: Partial<PriceCard> = {}
): PriceCard => ({
  provider,
  inputUsdPerMtok: input,
  outputUsdPerMtok: output,
  ...(cacheRead === undefined ? {} : { cacheReadUsdPerMtok: cacheRead }),
  ...(cacheWrite === undefined ? {} : { cacheWriteUsdPerMtok: cacheWrite }),
  contextTokens,
  source: sources[provider],
  asOf,
  ...more
})

const frontier = { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 }
const opus = { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }
const sonnet = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }
const haiku = { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 }
const retained = { privacy: { zero_data_retention: false } }

const anthropic: Readonly<Record<string, PriceCard>> = {
  "claude-fable-5": card("anthropic", 1_000_000, frontier, retained),
  "claude-mythos-5": card("anthropic", 1_000_000, frontier, retained),
  "claude-opus-5": card("anthropic", 1_000_000, opus),
  "claude-opus-4-8": card("anthropic", 1_000_000, opus),
  "claude-opus-4-7": card("anthropic", 1_000_000, opus),
  "claude-opus-4-6": card("anthropic", 1_000_000, opus),
  "claude-sonnet-5": card("anthropic", 1_000_000, sonnet),
  "claude-sonnet-4-6": card("anthropic", 1_000_000, sonnet),
  "claude-haiku-4-5": card("anthropic", 200_000, haiku)
}

const openai: Readonly<Record<string, PriceCard>> = {
  "gpt-5": card("openai", 400_000, { input: 1.25, output: 10, cacheRead: 0.125 }),
  "gpt-5-mini": card("openai", 400_000, { input: 0.25, output: 2, cacheRead: 0.025 }),
  "gpt-4.1": card("openai", 1_047_576, { input: 2, output: 8, cacheRead: 0.5 }),
  "gpt-4.1-mini": card("openai", 1_047_576, { input: 0.4, output: 1.6, cacheRead: 0.1 }),
  "gpt-4o": card("openai", 128_000, { input: 2.5, output: 10, cacheRead: 1.25 }),
  "gpt-4o-mini": card("openai", 128_000, { input: 0.15, output: 0.6, cacheRead: 0.075 }),
  o3: card("openai", 200_000, { input: 2, output: 8, cacheRead: 0.5 }),
  "o4-mini": card("openai", 200_000, { input: 1.1, output: 4.4, cacheRead: 0.275 })
}

const google: Readonly<Record<string, PriceCard>> = {
  "gemini-2.5-pro": card(
    "google",
    1_048_576,
    { input: 1.25, output: 10 },
    { notes: "prices of prompts up to 200,000 tokens; longer ones cost more", pricedPromptTokens: 200_000 }
  ),
  "gemini-2.5-flash": card("google", 1_048_576, { input: 0.3, output: 2.5 }),
  "gemini-2.0-flash": card("google", 1_048_576, { input: 0.1, output: 0.4 })
}

const mistral: Readonly<Record<string, PriceCard>> = {
  "mistral-large-latest": card("mistral", 131_072, { input: 2, output: 6 }),
  "mistral-small-latest": card("mistral", 131_072, { input: 0.1, output: 0.3 })
}

const aliases: Readonly<Record<string, string>> = {
  "claude-opus-latest": "claude-opus-5",
  "claude-sonnet-latest": "claude-sonnet-5",
  "claude-haiku-latest": "claude-haiku-4-5",
  "gpt-5-2025-08-07": "gpt-5",
  "gpt-5-mini-2025-08-07": "gpt-5-mini",
  "gpt-4.1-2025-04-14": "gpt-4.1",
  "gpt-4.1-mini-2025-04-14": "gpt-4.1-mini",
  "gpt-4o-2024-08-06": "gpt-4o",
  "gpt-4o-2024-11-20": "gpt-4o",
  "gpt-4o-mini-2024-07-18": "gpt-4o-mini",
  "o3-2025-04-16": "o3",
  "o4-mini-2025-04-16": "o4-mini",
  "models/gemini-2.5-pro": "gemini-2.5-pro",
  "models/gemini-2.5-flash": "gemini-2.5-flash",
  "models/gemini-2.0-flash": "gemini-2.0-flash",
  "gemini-2.0-flash-001": "gemini-2.0-flash",
  "mistral/mistral-large-latest": "mistral-large-latest",
  "mistral/mistral-small-latest": "mistral-small-latest",
  "mistral-large-2411": "mistral-large-latest"
}

/** The dated prices and facts that come with the program. What is not here is unknown, never free. */
export const catalogue: PriceCatalogue = {
  asOf,
  cards: { ...anthropic, ...openai, ...google, ...mistral },
  aliases
}
