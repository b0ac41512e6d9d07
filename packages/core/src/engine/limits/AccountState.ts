/** How the limits of one account stand at a moment: buckets, concurrency, pace. Times are ms of a clock that never goes back. */
import type { RemainingQuota, TokenUsage } from "../../domain/Generation.ts"
import type { GenerationError, GenerationReason } from "../../domain/GenerationError.ts"
import * as Adaptive from "./AdaptiveConcurrency.ts"
import * as QuotaPace from "./QuotaPace.ts"
import * as TokenBucket from "./TokenBucket.ts"

/** `rate_limit` of a profile: requests and tokens a minute, calls at once, requests that may come in a burst. */
export interface LimitSettings {
  readonly rpm: number | null
  readonly tpm: number | null
  readonly concurrency: number | null
  readonly burst: number | null
}

/** What came of an attempt. */
export interface AttemptOutcome {
  /** Tokens as the provider reported them, of an attempt that was answered; null = it was not. */
  readonly usage: TokenUsage | null
  /** Null with `usage` null = the attempt was given up. */
  readonly error: GenerationError | null
  /** What the provider's headers said is left. */
  readonly quota?: RemainingQuota | undefined
  /** Whether the call had failed before; a success then says nothing about the limit. */
  readonly retried?: boolean
}

export interface AccountState {
  /** Whether nothing was configured, so that the number of calls at once adapts. */
  readonly isAdaptive: boolean
  /** Whether any number of calls may run at once. */
  readonly isUnlimited: boolean
  requests: TokenBucket.TokenBucket | null
  tokens: TokenBucket.TokenBucket | null
  concurrency: Adaptive.AdaptiveState
  pace: QuotaPace.QuotaPace | null
  lastStart: number
  /** The account asked to be left alone until then. */
  pausedUntil: number
  /** Expected size of a call, tokens. */
  expected: number
}

/** Expected size of a call before any was seen, tokens. */
const firstGuess = 1000
/** Weight of the newest call in the expected size. */
const learning = 0.2
/** A burst is a tenth of the minute's requests unless told otherwise, so that a minute never sees much more than `rpm`. */
const burstShare = 0.1
/** Tokens that may be taken at once: those of ten seconds. */
const tokenShare = 1 / 6

const positive = (value: number | null): number | null => (value !== null && value > 0 ? value : null)

const same = (limit: number): Adaptive.AdaptiveOptions => ({ start: limit, min: limit, max: limit })

const requestBucket = (rpm: number, burst: number | null, now: number): TokenBucket.TokenBucket =>
  TokenBucket.make(rpm, Math.max(1, burst ?? Math.ceil(rpm * burstShare)), now)

/** An account that nobody has called yet. Values that are not positive are no limit. */
export const make = (settings: LimitSettings, adaptive: Adaptive.AdaptiveOptions, now: number): AccountState => {
  const rpm = positive(settings.rpm)
  const tpm = positive(settings.tpm)
  const fixed = positive(settings.concurrency)
  const isAdaptive = rpm === null && tpm === null && fixed === null
  const bounds =
    fixed !== null ? same(Math.max(1, Math.floor(fixed))) : isAdaptive ? adaptive : same(Number.MAX_SAFE_INTEGER)
  return {
    isAdaptive,
    isUnlimited: fixed === null && !isAdaptive,
    requests: rpm === null ? null : requestBucket(rpm, positive(settings.burst), now),
    tokens: tpm === null ? null : TokenBucket.make(tpm, tpm * tokenShare, now),
    concurrency: Adaptive.initial(bounds),
    pace: null,
    lastStart: Number.NEGATIVE_INFINITY,
    pausedUntil: 0,
    expected: firstGuess
  }
}

/** Time until a call of `tokens` may start, ms; 0 = now, infinite = when another one ends. */
export const delay = (state: AccountState, tokens: number, now: number): number => {
  if (!Adaptive.hasRoom(state.concurrency)) return Number.POSITIVE_INFINITY
  const byRequests = state.requests === null ? 0 : TokenBucket.waitFor(state.requests, 1, now)
  const byTokens = state.tokens === null ? 0 : TokenBucket.waitFor(state.tokens, tokens, now)
  const { pace } = state
  const byPace = pace === null || now >= pace.until ? 0 : state.lastStart + pace.intervalMs - now
  return Math.max(0, byRequests, byTokens, byPace, state.pausedUntil - now)
}

/** A call of about `tokens` starts. */
export const start = (state: AccountState, tokens: number, now: number): void => {
  if (state.requests !== null) state.requests = TokenBucket.take(state.requests, 1, now)
  if (state.tokens !== null) state.tokens = TokenBucket.take(state.tokens, tokens, now)
  state.concurrency = Adaptive.started(state.concurrency)
  state.lastStart = now
}

const totalTokens = (usage: TokenUsage | null): number | null => {
  if (usage === null || (usage.prompt === null && usage.completion === null)) return null
  return (usage.prompt ?? 0) + (usage.completion ?? 0)
}

/** Failures after which the provider may have worked, and counted, all the same. */
const mayHaveCounted: ReadonlySet<GenerationReason> = new Set<GenerationReason>([
  "timeout",
  "truncated",
  "malformed_response",
  "content_filtered",
  "aborted"
])

/** Tokens that the attempt used; null = unknown, and the reservation stands. */
const usedTokens = ({ usage, error }: AttemptOutcome): number | null => {
  const total = totalTokens(usage)
  if (total !== null || error === null) return total
  return mayHaveCounted.has(error.reason) ? null : 0
}

const signal = ({ usage, error, retried }: AttemptOutcome): Adaptive.AdaptiveOutcome => {
  if (error?.reason === "rate_limited") return { _tag: "RateLimited", retryAfterMs: error.retryAfterMs }
  return error === null && usage !== null && retried !== true ? { _tag: "Clean" } : { _tag: "Neutral" }
}

/** A call for which `reserved` tokens were taken has ended. */
export const end = (state: AccountState, reserved: number, outcome: AttemptOutcome, now: number): void => {
  const used = usedTokens(outcome)
  if (used !== null && state.tokens !== null) state.tokens = TokenBucket.correct(state.tokens, used - reserved, now)
  if (used !== null && outcome.error === null) state.expected += learning * (used - state.expected)
  if (outcome.quota !== undefined) state.pace = QuotaPace.fromQuota(outcome.quota, state.expected, now)
  const event = signal(outcome)
  state.concurrency = Adaptive.ended(state.concurrency, event, now)
  if (event._tag === "RateLimited") state.pausedUntil = Math.max(state.pausedUntil, now + (event.retryAfterMs ?? 0))
}
