/** Sums of what several calls have taken: unknown as soon as one part is, for a part is no total. */
import type { TokenUsage } from "./Generation.ts"

/** The sum; null as soon as one value is unknown, or when there is none. */
export const totalOf = (values: ReadonlyArray<number | null>): number | null => {
  let total = 0
  for (const value of values) {
    if (value === null) return null
    total += value
  }
  return values.length === 0 ? null : total
}

/** Tokens of several calls together, kind by kind. */
export const totalUsage = (parts: ReadonlyArray<TokenUsage>): TokenUsage => {
  const total = (field: keyof TokenUsage): number | null => totalOf(parts.map((usage) => usage[field]))
  return {
    prompt: total("prompt"),
    completion: total("completion"),
    cachedRead: total("cachedRead"),
    cachedWrite: total("cachedWrite"),
    reasoning: total("reasoning")
  }
}
