import type { Allowance, RemainingQuota } from "@agent-arena/core/domain/Generation"

/** Response headers by lower-case name. */
export type Headers = Readonly<Record<string, string>>

const nonNegative = (text: string | undefined): number | null => {
  if (text === undefined || text.trim() === "") return null
  const value = Number(text)
  return Number.isFinite(value) && value >= 0 ? value : null
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Reads `1s`, `6m0s`, `120ms`, a plain number of seconds, or an ISO date relative to `nowMs`; ms. */
export const parseReset = (text: string | undefined, nowMs: number): number | null => {
  if (text === undefined) return null
  const seconds = nonNegative(text)
  if (seconds !== null) return seconds * 1000
  if (/^(\d+(\.\d+)?(ms|[smhd]))+$/.test(text)) {
    return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)].reduce(
      (total, [, amount, unit]) => total + Number(amount) * (units[unit ?? ""] ?? 0),
      0
    )
  }
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
}

const allowance = (limit?: string, remaining?: string, reset?: string, nowMs = 0): Allowance | null => {
  const left = nonNegative(remaining)
  return left === null ? null : { limit: nonNegative(limit), remaining: left, resetMs: parseReset(reset, nowMs) }
}

/** Remaining quota from `x-ratelimit-*` (OpenAI and most others) or `anthropic-ratelimit-*`; null = no such headers. */
export const parseQuota = (headers: Headers, nowMs: number): RemainingQuota | null => {
  const common = (what: string) =>
    allowance(
      headers[`x-ratelimit-limit-${what}`],
      headers[`x-ratelimit-remaining-${what}`],
      headers[`x-ratelimit-reset-${what}`],
      nowMs
    )
  const anthropic = (what: string) =>
    allowance(
      headers[`anthropic-ratelimit-${what}-limit`],
      headers[`anthropic-ratelimit-${what}-remaining`],
      headers[`anthropic-ratelimit-${what}-reset`],
      nowMs
    )
  const requests = common("requests") ?? anthropic("requests")
  const tokens = common("tokens") ?? anthropic("tokens") ?? anthropic("input-tokens")
  return requests === null && tokens === null ? null : { requests, tokens }
}
