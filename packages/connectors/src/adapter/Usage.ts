/**
 * Token counts with their absence kept. Provider packages report 0 for what the provider did not mention, so presence is
 * decided from the provider's own usage object.
 */

import { type TokenUsage, unknownUsage } from "@agent-arena/core/domain/Generation"
import type { LanguageModelV4Usage } from "@ai-sdk/provider"

/** Names under which providers report each count, compared without case, `_` and `-`. */
const names = {
  prompt: ["prompttokens", "inputtokens", "prompttokencount", "inputtokencount"],
  completion: ["completiontokens", "outputtokens", "candidatestokencount", "outputtokencount", "responsetokencount"],
  cachedRead: [
    "cachedtokens",
    "cachereadinputtokens",
    "cachedcontenttokencount",
    "promptcachehittokens",
    "cachedinputtokens",
    "cachedprompttexttokens"
  ],
  cachedWrite: ["cachecreationinputtokens", "cachewritetokens", "cachewriteinputtokens", "cachecreationtokens"],
  reasoning: ["reasoningtokens", "thinkingtokens", "thoughtstokencount"]
} as const

/** Depth to which a usage object is searched; the deepest known one has two levels. */
const maxDepth = 4

const collectNames = (value: unknown, depth: number, into: Set<string>): void => {
  if (typeof value !== "object" || value === null || depth > maxDepth) return
  for (const [key, child] of Object.entries(value)) {
    if (typeof child === "number") into.add(key.toLowerCase().replace(/[_-]/g, ""))
    else collectNames(child, depth + 1, into)
  }
}

const isCount = (value: number | undefined): value is number =>
  value !== undefined && Number.isFinite(value) && value >= 0

/** Counts of a provider that does not show its own usage object: a 0 may mean "not said", and is not believed. */
const withoutRaw = (usage: LanguageModelV4Usage): TokenUsage => {
  const positive = (value: number | undefined) => (isCount(value) && value > 0 ? value : null)
  return {
    prompt: positive(usage.inputTokens.total),
    completion: positive(usage.outputTokens.total),
    cachedRead: positive(usage.inputTokens.cacheRead),
    cachedWrite: positive(usage.inputTokens.cacheWrite),
    reasoning: positive(usage.outputTokens.reasoning)
  }
}

/** Tokens as the provider reported them; null = it did not say. */
export const fromAiSdk = (usage: LanguageModelV4Usage | undefined): TokenUsage => {
  if (usage === undefined) return unknownUsage
  if (usage.raw === undefined || usage.raw === null) return withoutRaw(usage)
  const said = new Set<string>()
  collectNames(usage.raw, 0, said)
  const pick = (field: keyof typeof names, value: number | undefined) =>
    isCount(value) && names[field].some((name) => said.has(name)) ? value : null
  return {
    prompt: pick("prompt", usage.inputTokens.total),
    completion: pick("completion", usage.outputTokens.total),
    cachedRead: pick("cachedRead", usage.inputTokens.cacheRead),
    cachedWrite: pick("cachedWrite", usage.inputTokens.cacheWrite),
    reasoning: pick("reasoning", usage.outputTokens.reasoning)
  }
}
