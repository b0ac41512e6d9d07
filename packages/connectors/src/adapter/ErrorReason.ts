import { type GenerationReason, reasonFromStatus } from "@agent-arena/core/domain/GenerationError"

/** Words of providers' `type`, `code` and `status` fields that say more than the HTTP status does. */
const reasonByCode: Readonly<Record<string, GenerationReason>> = {
  insufficient_quota: "quota_exhausted",
  billing_hard_limit_reached: "quota_exhausted",
  billing_not_active: "quota_exhausted",
  billing_error: "quota_exhausted",
  invalid_api_key: "authentication",
  authentication_error: "authentication",
  unauthenticated: "authentication",
  api_key_invalid: "authentication",
  permission_error: "permission",
  permission_denied: "permission",
  not_found_error: "not_found",
  model_not_found: "not_found",
  not_found: "not_found",
  rate_limit_error: "rate_limited",
  rate_limit_exceeded: "rate_limited",
  resource_exhausted: "rate_limited",
  too_many_requests: "rate_limited",
  overloaded_error: "overloaded",
  overloaded: "overloaded",
  unavailable: "overloaded",
  content_filter: "content_filtered",
  content_policy_violation: "content_filtered",
  context_length_exceeded: "invalid_request",
  invalid_request_error: "invalid_request",
  invalid_argument: "invalid_request",
  failed_precondition: "invalid_request",
  server_error: "server",
  api_error: "server",
  internal: "server",
  internal_server_error: "server",
  deadline_exceeded: "timeout",
  timeout_error: "timeout"
}

/** Reasons that only a code can tell, and which therefore win over any status. */
const decisive: ReadonlySet<GenerationReason> = new Set<GenerationReason>([
  "quota_exhausted",
  "content_filtered",
  "authentication"
])

/** An exhausted account that some providers report as an ordinary 400, 403 or 429. */
const exhausted = /credit balance is too low|insufficient (credits|balance|funds)/i
const badKey = /api key not valid|incorrect api key|invalid api key/i

const byText = (message: string): GenerationReason | null => {
  if (exhausted.test(message)) return "quota_exhausted"
  return badKey.test(message) ? "authentication" : null
}

/**
 * The reason of a failed response. The status decides, except where the provider's own code or words are more precise
 * (an exhausted account, a filtered answer, a wrong key sent as 400). `status` null = an error inside a stream.
 */
export const classify = (status: number | null, codes: ReadonlyArray<string>, message: string): GenerationReason => {
  const known = codes.flatMap((code) => reasonByCode[code] ?? [])
  const precise = known.find((reason) => decisive.has(reason)) ?? byText(message)
  if (precise != null) return precise
  if (status !== null && status >= 400) return reasonFromStatus(status)
  return known[0] ?? "unknown"
}

/** Reasons of failures below HTTP, by error code (of Node, undici or ours). */
const reasonByErrno: Readonly<Record<string, GenerationReason>> = {
  ECONNREFUSED: "connection",
  ECONNRESET: "connection",
  EPIPE: "connection",
  ENOTFOUND: "connection",
  EAI_AGAIN: "connection",
  EHOSTUNREACH: "connection",
  ENETUNREACH: "connection",
  ETIMEDOUT: "connection",
  UND_ERR_SOCKET: "connection",
  UND_ERR_CONNECT_TIMEOUT: "connection",
  UND_ERR_PRX_TLS: "connection",
  UND_ERR_PROXY_CONNECTION: "connection",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  UND_ERR_HEADERS_OVERFLOW: "malformed_response",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "truncated",
  ARENA_IDLE: "timeout",
  ARENA_BODY_LIMIT: "malformed_response",
  ARENA_CONTENT_TYPE: "malformed_response",
  ARENA_REDIRECT: "invalid_request"
}

const isCertificateCode = (code: string): boolean =>
  /^(CERT_|ERR_TLS_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_)/.test(code) || code.includes("SELF_SIGNED_CERT")

/** The reason behind an error code of the transport; null = not one of those. */
export const fromErrno = (code: string): GenerationReason | null => {
  if (isCertificateCode(code)) return "connection"
  return reasonByErrno[code] ?? (code.startsWith("HPE_") ? "malformed_response" : null)
}

/** What a person can do about a certificate that is not trusted; null for other codes. */
export const certificateHint = (code: string): string | null =>
  isCertificateCode(code) ? "set `verify_tls` of this provider to the path of the CA bundle that signed it" : null
