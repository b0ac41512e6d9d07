/** Slowing down ahead of a 429, from what the provider's headers say is left. Pure; times are ms. */
import type { Allowance, RemainingQuota } from "../../domain/Generation.ts"

/** The distance to keep between the starts of two calls, until when. */
export interface QuotaPace {
  readonly intervalMs: number
  readonly until: number
}

/** Below this share of an allowance, calls slow down. */
const scarceShare = 0.1
/** Without a known limit, so few left are scarce. */
const scarceCount = 10
/** Longest distance: a misread header must not stop a run. */
const longestMs = 60_000

const isScarce = ({ limit, remaining }: Allowance, unit: number): boolean => {
  if (remaining === null) return false
  return limit === null ? remaining <= scarceCount * unit : remaining <= limit * scarceShare
}

/**
 * The time in which the provider gives back what one call of `unit` needs. Allowances refill continuously, so the whole
 * of what was used (`limit - remaining`) is back after `resetMs`; without a known limit, what is left must last as long.
 */
const refillTime = ({ limit, remaining, resetMs }: Allowance, unit: number): number | null => {
  if (remaining === null || resetMs === null || resetMs <= 0) return null
  const pool = limit === null ? remaining : limit - remaining
  return Math.min(longestMs, (resetMs * unit) / Math.max(pool, unit))
}

/** The pace that one allowance asks for; null = none. `unit` is what one call takes of it. */
const ofAllowance = (allowance: Allowance | null, unit: number, now: number): QuotaPace | null => {
  if (allowance === null || !isScarce(allowance, unit)) return null
  const intervalMs = refillTime(allowance, unit)
  return intervalMs === null || allowance.resetMs === null
    ? null
    : { intervalMs, until: now + Math.min(allowance.resetMs, longestMs) }
}

/** The slower of two paces. */
const slower = (left: QuotaPace | null, right: QuotaPace | null): QuotaPace | null => {
  if (left === null || right === null) return left ?? right
  return left.intervalMs >= right.intervalMs ? left : right
}

/** The pace for calls of about `tokensPerCall` tokens; null = there is enough, or the provider did not say. */
export const fromQuota = (quota: RemainingQuota, tokensPerCall: number, now: number): QuotaPace | null =>
  slower(ofAllowance(quota.requests, 1, now), ofAllowance(quota.tokens, Math.max(1, tokensPerCall), now))
