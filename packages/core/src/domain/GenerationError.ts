import * as Schema from "effect/Schema"
import { TokenUsage } from "./Generation.ts"

/** Why a call failed, by what can be done about it. */
export const GenerationReason = Schema.Literals([
  "authentication",
  "permission",
  "not_found",
  "invalid_request",
  "rate_limited",
  "quota_exhausted",
  "overloaded",
  "server",
  "timeout",
  "connection",
  "truncated",
  "content_filtered",
  "malformed_response",
  "aborted",
  /** The contestant's own code (a callable, a command) failed. */
  "target",
  "unknown"
])
export type GenerationReason = typeof GenerationReason.Type

const terminalReasons: ReadonlySet<GenerationReason> = new Set<GenerationReason>([
  "authentication",
  "permission",
  "not_found",
  "invalid_request",
  "quota_exhausted",
  "content_filtered",
  "aborted"
])

const retryableStatus = new Set([408, 409, 425, 429])

/** Retry decision by HTTP status alone; null = the status does not decide. */
export const statusIsRetryable = (status: number): boolean | null => {
  if (retryableStatus.has(status) || (status >= 500 && status <= 599)) return true
  if (status >= 400 && status <= 499) return false
  return null
}

/** The reason that an HTTP status alone suggests. */
export const reasonFromStatus = (status: number): GenerationReason => {
  switch (status) {
    case 401:
      return "authentication"
    case 403:
      return "permission"
    case 404:
    case 405:
    case 410:
      return "not_found"
    case 402:
      return "quota_exhausted"
    case 408:
      return "timeout"
    case 429:
      return "rate_limited"
    case 503:
    case 529:
      return "overloaded"
  }
  if (status >= 500) return "server"
  return status >= 400 ? "invalid_request" : "unknown"
}

/**
 * A call that did not produce an answer. Connectors fail with this and nothing else; the engine alone retries.
 *
 * `retryAfterMs` is what the server asked for (Retry-After), in ms.
 */
export class GenerationError extends Schema.TaggedError<GenerationError>()("GenerationError", {
  reason: GenerationReason,
  /** The provider's own words, bounded; secrets are removed before it is stored. */
  detail: Schema.String,
  status: Schema.NullOr(Schema.Int),
  retryAfterMs: Schema.NullOr(Schema.Finite),
  requestId: Schema.NullOr(Schema.String),
  /** Tokens that the provider counted for the failed call, and may bill; absent = it did not say. */
  usage: Schema.optionalKey(TokenUsage),
  /** The call was repeated as often as allowed already (an inner call of a pipeline); its outer call is not repeated. */
  exhausted: Schema.optionalKey(Schema.Boolean)
}) {
  override get message(): string {
    return `${this.reason}${this.status === null ? "" : ` (${this.status})`}: ${this.detail}`
  }

  /** HTTP status decides first, then the reason; what is unknown is retried. */
  get isRetryable(): boolean {
    if (this.exhausted === true || this.reason === "quota_exhausted" || this.reason === "aborted") return false
    const byStatus = this.status === null ? null : statusIsRetryable(this.status)
    return byStatus ?? !terminalReasons.has(this.reason)
  }
}

/** A `GenerationError` with everything unknown but what is given. */
export const make = (
  fields: Pick<GenerationError, "reason" | "detail"> &
    Partial<Pick<GenerationError, "status" | "retryAfterMs" | "requestId" | "usage" | "exhausted">>
): GenerationError => new GenerationError({ status: null, retryAfterMs: null, requestId: null, ...fields })
