import * as GenerationErrors from "../domain/GenerationError.ts"
import { GenerationError, GenerationReason } from "../domain/GenerationError.ts"
import { boundedDetail, type HeaderSource, parseRetryAfter, requestId } from "./HttpErrors.ts"

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Codes of sockets, DNS and fetch that say what happened, by their reason. */
const codeReasons: ReadonlyMap<string, GenerationReason> = new Map<string, GenerationReason>([
  ["ECONNREFUSED", "connection"],
  ["ECONNRESET", "connection"],
  ["ECONNABORTED", "connection"],
  ["EPIPE", "connection"],
  ["ENOTFOUND", "connection"],
  ["EAI_AGAIN", "connection"],
  ["EHOSTUNREACH", "connection"],
  ["ENETUNREACH", "connection"],
  ["UND_ERR_SOCKET", "connection"],
  ["UND_ERR_CLOSED", "connection"],
  ["UND_ERR_DESTROYED", "connection"],
  ["ETIMEDOUT", "timeout"],
  ["ESOCKETTIMEDOUT", "timeout"],
  ["UND_ERR_CONNECT_TIMEOUT", "timeout"],
  ["UND_ERR_HEADERS_TIMEOUT", "timeout"],
  ["UND_ERR_BODY_TIMEOUT", "timeout"]
])

const nameReasons: ReadonlyMap<string, GenerationReason> = new Map<string, GenerationReason>([
  ["AbortError", "aborted"],
  ["TimeoutError", "timeout"]
])

/** The error and what it was caused by, outermost first; a cycle or an endless chain is cut. */
const chainOf = (thrown: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const chain: Array<Readonly<Record<string, unknown>>> = []
  for (let link = thrown; isObject(link) && chain.length < 5 && !chain.includes(link); link = link["cause"]) {
    chain.push(link)
  }
  return chain
}

const asStatus = (value: unknown): number | null => {
  const status = typeof value === "number" ? value : typeof value === "string" && /^\d{3}$/.test(value) ? +value : 0
  return Number.isInteger(status) && status >= 100 && status <= 599 ? status : null
}

const statusOf = (error: Readonly<Record<string, unknown>>): number | null => {
  const response = isObject(error["response"]) ? error["response"] : {}
  return (
    asStatus(error["status"]) ??
    asStatus(error["statusCode"]) ??
    asStatus(response["status"]) ??
    asStatus(response["statusCode"]) ??
    asStatus(error["code"])
  )
}

const firstOf = <A>(
  chain: ReadonlyArray<Readonly<Record<string, unknown>>>,
  read: (error: Readonly<Record<string, unknown>>) => A | null | undefined
): A | null => {
  for (const error of chain) {
    const found = read(error)
    if (found !== null && found !== undefined) return found
  }
  return null
}

const headersOf = (error: Readonly<Record<string, unknown>>): HeaderSource | null => {
  const response = isObject(error["response"]) ? error["response"] : {}
  for (const headers of [response["headers"], error["headers"], error["responseHeaders"]]) {
    if (isObject(headers)) return headers
  }
  return null
}

const retryAfterOf = (error: Readonly<Record<string, unknown>>, nowMs: number): number | null => {
  const milliseconds = error["retryAfterMs"] ?? error["retry_after_ms"]
  if (typeof milliseconds === "number" && milliseconds >= 0) return milliseconds
  const seconds = error["retryAfter"] ?? error["retry_after"] ?? error["retry_after_s"]
  if (typeof seconds === "number" || typeof seconds === "string") {
    return parseRetryAfter({ "retry-after": String(seconds) }, nowMs)
  }
  const headers = headersOf(error)
  return headers === null ? null : parseRetryAfter(headers, nowMs)
}

const reasonOfCode = (error: Readonly<Record<string, unknown>>): GenerationReason | null => {
  const code = typeof error["code"] === "string" ? codeReasons.get(error["code"]) : undefined
  const name = typeof error["name"] === "string" ? nameReasons.get(error["name"]) : undefined
  return code ?? name ?? null
}

/** What a thrown value says, with the name of its type unless that is a plain `Error`; one bounded line, no stack. */
export const describeThrown = (thrown: unknown): string => {
  if (!isObject(thrown)) return boundedDetail(String(thrown)) || "an empty value was thrown"
  const message = typeof thrown["message"] === "string" ? thrown["message"] : ""
  const name = typeof thrown["_tag"] === "string" ? thrown["_tag"] : thrown["name"]
  const title = typeof name === "string" && name !== "Error" && name !== "" ? name : ""
  const cause = isObject(thrown["cause"]) ? thrown["cause"]["message"] : undefined
  const because = typeof cause === "string" && cause !== "" && !message.includes(cause) ? ` (${cause})` : ""
  const text = [title, message].filter((part) => part !== "").join(": ") + because
  return boundedDetail(text) || "an error without a message"
}

const isReason = (value: unknown): value is GenerationReason =>
  GenerationReason.literals.some((literal) => literal === value)

/** A `GenerationError` of another copy of this package, or one that came from a worker thread as plain data. */
const revived = (error: Readonly<Record<string, unknown>>): GenerationError | null => {
  const { _tag, reason, detail, status, retryAfterMs, requestId: id } = error
  if (_tag !== "GenerationError" || !isReason(reason)) return null
  return GenerationErrors.make({
    reason,
    detail: typeof detail === "string" ? detail : "",
    status: asStatus(status),
    retryAfterMs: typeof retryAfterMs === "number" ? retryAfterMs : null,
    requestId: typeof id === "string" ? id : null
  })
}

/**
 * The error that a value thrown by a target's code, or by a client library, stands for. An HTTP status on it (`status`,
 * `statusCode`, `response.status`, a numeric `code`), a socket or DNS code, and a Retry-After are understood anywhere in
 * its chain of causes; whatever says nothing of the kind is the target's own failure. A `GenerationError` (of an inner
 * call) stays as it is.
 */
export const errorFromThrown = (
  thrown: unknown,
  nowMs: number,
  otherwise: GenerationReason = "target"
): GenerationError => {
  if (thrown instanceof GenerationError) return thrown
  const inner = isObject(thrown) ? revived(thrown) : null
  if (inner !== null) return inner
  const chain = chainOf(thrown)
  const status = firstOf(chain, statusOf)
  const byStatus = status === null ? "unknown" : GenerationErrors.reasonFromStatus(status)
  const headers = firstOf(chain, headersOf)
  return GenerationErrors.make({
    reason: byStatus === "unknown" ? (firstOf(chain, reasonOfCode) ?? otherwise) : byStatus,
    detail: describeThrown(thrown),
    status,
    retryAfterMs: firstOf(chain, (error) => retryAfterOf(error, nowMs)),
    requestId: headers === null ? null : requestId(headers)
  })
}
