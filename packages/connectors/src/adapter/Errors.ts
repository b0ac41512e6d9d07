import * as HttpErrors from "@agent-arena/core/connector/HttpErrors"
import type { GenerationReason } from "@agent-arena/core/domain/GenerationError"
import * as GenerationError from "@agent-arena/core/domain/GenerationError"
import type * as ResponseHeaders from "../transport/ResponseHeaders.ts"
import * as ErrorReason from "./ErrorReason.ts"
import * as ErrorText from "./ErrorText.ts"

/** What is known about the call that failed, besides the error. */
export interface FailedCall {
  readonly scrub: (text: string) => string
  readonly nowMs: number
  /** Headers of the response, if there was one. */
  readonly headers: ResponseHeaders.Headers | null
  /** Whether part of the answer had arrived. */
  readonly started: boolean
  /** Where the request went, without credentials; null = not known. */
  readonly address: string | null
}

/** The longest detail kept, in characters. */
const longest = 600

type Json = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null

/** The error and its causes, outermost first; chains are short, and cycles are cut. */
const chain = (error: unknown): ReadonlyArray<Json> => {
  const found: Array<Json> = []
  let current = error
  while (isRecord(current) && found.length < 8 && !found.includes(current)) {
    found.push(current)
    current = current["cause"] ?? (Array.isArray(current["errors"]) ? current["errors"][0] : undefined)
  }
  return found
}

const stringField = (value: Json | undefined, field: string): string | null => {
  const text = value?.[field]
  return typeof text === "string" && text !== "" ? text : null
}

const numberField = (value: Json | undefined, field: string): number | null => {
  const number = value?.[field]
  return typeof number === "number" ? number : null
}

/** Reasons of the errors that provider packages raise without a response, by name. */
const reasonByName: Readonly<Record<string, GenerationReason>> = {
  AI_JSONParseError: "malformed_response",
  AI_TypeValidationError: "malformed_response",
  AI_InvalidResponseDataError: "malformed_response",
  AI_EmptyResponseBodyError: "malformed_response",
  AI_NoContentGeneratedError: "malformed_response",
  AI_LoadAPIKeyError: "authentication",
  AI_LoadSettingError: "invalid_request",
  AI_UnsupportedFunctionalityError: "invalid_request",
  AI_InvalidPromptError: "invalid_request",
  AI_InvalidArgumentError: "invalid_request",
  AI_NoSuchModelError: "not_found",
  HTTPParserError: "malformed_response",
  AbortError: "aborted",
  TimeoutError: "timeout"
}

interface Finding {
  readonly reason: GenerationReason
  readonly detail: string
  readonly status?: number | null
  readonly retryAfterMs?: number | null
}

/** An HTTP error response. */
const fromStatus = (error: Json, status: number): Finding => {
  const problem = ErrorText.parse(stringField(error, "responseBody") ?? "")
  const detail = problem.message ?? stringField(error, "message") ?? `HTTP ${status}`
  return {
    reason: ErrorReason.classify(status, problem.codes, detail),
    detail,
    status,
    retryAfterMs: problem.retryAfterMs
  }
}

/** A failure of the connection or of the transport's own limits. */
const fromTransport = (errors: ReadonlyArray<Json>, call: FailedCall): Finding | null => {
  for (const error of errors) {
    const code = stringField(error, "code")
    const reason = code === null ? null : ErrorReason.fromErrno(code)
    if (code === null || reason === null) continue
    const message = stringField(error, "message") ?? code
    const hint = ErrorReason.certificateHint(code)
    const where = reason === "connection" && call.address !== null ? `${call.address}: ` : ""
    const cut = reason === "connection" && call.started
    const said = message.includes(code) || code.startsWith("ARENA_") ? message : `${message} (${code})`
    return {
      reason: cut ? "truncated" : reason,
      detail: `${where}${cut ? `the answer was cut off: ${said}` : said}${hint === null ? "" : `; ${hint}`}`,
      status: numberField(error, "status")
    }
  }
  return null
}

/** An error reported inside a stream, or raised by the provider package. */
const fromObject = (errors: ReadonlyArray<Json>, call: FailedCall): Finding | null => {
  const outer = errors[0]
  if (outer === undefined) return null
  const named = errors.flatMap((error) => reasonByName[stringField(error, "name") ?? ""] ?? [])[0]
  const message = stringField(outer, "message")
  if (named !== undefined) {
    const cut =
      named === "malformed_response" && call.started && /without a finish reason|terminated/i.test(message ?? "")
    return { reason: cut ? "truncated" : named, detail: message ?? named }
  }
  if (errors.some((error) => /^terminated$|premature close/i.test(stringField(error, "message") ?? ""))) {
    return { reason: "truncated", detail: "the answer was cut off" }
  }
  const problem = ErrorText.read(outer)
  const detail = problem.message ?? "the provider reported an error without a message"
  return {
    reason: ErrorReason.classify(problem.status, problem.codes, detail),
    detail,
    status: problem.status,
    retryAfterMs: problem.retryAfterMs
  }
}

const find = (error: unknown, call: FailedCall): Finding => {
  const errors = chain(error)
  const api = errors.find((one) => (numberField(one, "statusCode") ?? 0) >= 300)
  const status = numberField(api, "statusCode")
  if (api !== undefined && status !== null) return fromStatus(api, status)
  return (
    fromTransport(errors, call) ??
    fromObject(errors, call) ?? { reason: "unknown", detail: typeof error === "string" ? error : "unknown failure" }
  )
}

/** Validation errors of provider packages repeat the value and then explain a schema that nobody here knows. */
const withoutSchema = (text: string): string => text.split("\nError message:")[0] ?? text

const oneLine = (text: string): string => withoutSchema(text).replace(/\s+/g, " ").trim()

const cut = (text: string): string => (text.length <= longest ? text : `${text.slice(0, longest - 1)}…`)

/** Maps whatever a provider package threw or streamed to the one error the engine knows. */
export const toGenerationError = (error: unknown, call: FailedCall): GenerationError.GenerationError => {
  const finding = find(error, call)
  const headers = call.headers ?? {}
  return GenerationError.make({
    reason: finding.reason,
    detail: cut(oneLine(call.scrub(finding.detail))),
    status: finding.status ?? null,
    retryAfterMs: HttpErrors.parseRetryAfter(headers, call.nowMs) ?? finding.retryAfterMs ?? null,
    requestId: HttpErrors.requestId(headers)
  })
}
