import type { TokenUsage } from "../domain/Generation.ts"
import type { PriceCard } from "../domain/PriceCard.ts"

/** Prices of one call, USD per million tokens. */
interface Rates {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly reasoning: number
}

/** The prices that hold for a prompt of this length; null when a price, or the length that decides, is unknown. */
const rates = (card: PriceCard, promptTokens: number | null): Rates | null => {
  const tiers = card.promptTiers ?? []
  const longest = card.pricedPromptTokens
  if (promptTokens === null && (tiers.length > 0 || longest !== undefined)) return null
  if (promptTokens !== null && longest !== undefined && promptTokens > longest) return null
  const tier = tiers
    .filter((tier) => promptTokens !== null && promptTokens > tier.aboveTokens)
    .toSorted((a, b) => b.aboveTokens - a.aboveTokens)[0]
  const input = tier?.inputUsdPerMtok ?? card.inputUsdPerMtok
  const output = tier?.outputUsdPerMtok ?? card.outputUsdPerMtok
  if (input === undefined || output === undefined) return null
  return {
    input,
    output,
    cacheRead: tier?.cacheReadUsdPerMtok ?? card.cacheReadUsdPerMtok ?? input,
    cacheWrite: tier?.cacheWriteUsdPerMtok ?? card.cacheWriteUsdPerMtok ?? input,
    reasoning: card.reasoningUsdPerMtok ?? output
  }
}

const isCount = (value: number): boolean => Number.isFinite(value) && value >= 0

/** Cost in millionths of a USD of a whole of which some parts have a price of their own; null when it cannot be known. */
const partsCost = (
  whole: number | null,
  price: number,
  parts: ReadonlyArray<{ readonly tokens: number | null; readonly price: number }>
): number | null => {
  if (price === 0 && parts.every((part) => part.price === 0)) return 0
  if (whole === null || !isCount(whole)) return null
  let rest = whole
  let cost = 0
  for (const part of parts) {
    const tokens = part.tokens ?? 0
    if (!isCount(tokens)) return null
    rest -= tokens
    cost += tokens * part.price
  }
  return rest < 0 ? null : cost + rest * price
}

/**
 * Cost of one call in USD.
 *
 * Cached tokens are part of the prompt and reasoning tokens part of the completion, so each token is billed once. A part
 * without a price of its own is billed like the whole it belongs to; a provider that reports no cached part has billed
 * none. Null when a price or a count that matters is unknown, or when the counts contradict each other; a count whose
 * price is 0 does not matter.
 */
export const callCost = (card: PriceCard | null, usage: TokenUsage): number | null => {
  if (card === null) return null
  const rate = rates(card, usage.prompt)
  if (rate === null) return null
  const prompt = partsCost(usage.prompt, rate.input, [
    { tokens: usage.cachedRead, price: rate.cacheRead },
    { tokens: usage.cachedWrite, price: rate.cacheWrite }
  ])
  const completion = partsCost(usage.completion, rate.output, [{ tokens: usage.reasoning, price: rate.reasoning }])
  return prompt === null || completion === null ? null : (prompt + completion) / 1e6
}
