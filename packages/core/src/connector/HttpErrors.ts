import type { GenerationError, GenerationReason } from "../domain/GenerationError.ts"
import * as GenerationErrors from "../domain/GenerationError.ts"

/** Headers of a reply, as `Headers`, as Node's object (names in any case, values possibly repeated) or as a plain map. */
export type HeaderSource =
  | { readonly get: (name: string) => string | null | undefined }
  | Readonly<Record<string, unknown>>

const hasGet = (headers: HeaderSource): headers is { readonly get: (name: string) => string | null | undefined } =>
  typeof headers["get"] === "function"

/** The first value of a header, whatever the case of its name; null when it is absent. */
export const header = (headers: HeaderSource, name: string): string | null => {
  if (hasGet(headers)) return headers.get(name) ?? null
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() !== name) continue
    const first: unknown = Array.isArray(value) ? value[0] : value
    return typeof first === "string" ? first : typeof first === "number" ? String(first) : null
  }
  return null
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

const utc = (year: string, month: string, day: string, time: string): number | null => {
  const index = months.indexOf(month.toLowerCase())
  const [hours, minutes, seconds] = time.split(":").map(Number)
  if (index < 0 || hours === undefined || minutes === undefined || seconds === undefined) return null
  if (hours > 23 || minutes > 59 || seconds > 60) return null
  const at = new Date(Date.UTC(0, index, Number(day), hours, minutes, seconds))
  at.setUTCFullYear(Number(year))
  return at.getTime()
}

/** A year of two digits that lies more than 50 years ahead is of the past century (RFC 9110 §5.6.7). */
const fullYear = (two: string, nowMs: number): string => {
  const thisYear = new Date(nowMs).getUTCFullYear()
  const year = Math.floor(thisYear / 100) * 100 + Number(two)
  return String(year > thisYear + 50 ? year - 100 : year)
}

const imfDate = /^[a-z]{3}, (\d{1,2}) ([a-z]{3}) (\d{4}) (\d{2}:\d{2}:\d{2})(?: (?:GMT|UTC|Z|\+0000))?$/i
const rfc850Date = /^[a-z]+, (\d{2})-([a-z]{3})-(\d{2}) (\d{2}:\d{2}:\d{2})(?: (?:GMT|UTC))?$/i
const asctimeDate = /^[a-z]{3} ([a-z]{3}) +(\d{1,2}) (\d{2}:\d{2}:\d{2}) (\d{4})$/i
const isoDate = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/i

/** An HTTP date (any of the three forms of RFC 9110) or an ISO date; without a zone it is UTC. Unix ms, or null. */
const parseDate = (text: string, nowMs: number): number | null => {
  const imf = imfDate.exec(text)
  if (imf !== null) return utc(imf[3] ?? "", imf[2] ?? "", imf[1] ?? "", imf[4] ?? "")
  const rfc850 = rfc850Date.exec(text)
  if (rfc850 !== null) return utc(fullYear(rfc850[3] ?? "", nowMs), rfc850[2] ?? "", rfc850[1] ?? "", rfc850[4] ?? "")
  const asctime = asctimeDate.exec(text)
  if (asctime !== null) return utc(asctime[4] ?? "", asctime[1] ?? "", asctime[2] ?? "", asctime[3] ?? "")
  const iso = isoDate.exec(text)
  if (iso === null) return null
  const at = Date.parse(iso[1] === undefined ? `${text}Z` : text)
  return Number.isNaN(at) ? null : at
}

const parseNumber = (text: string): number | null => {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)$/.test(text)) return null
  const value = Number(text)
  return Number.isFinite(value) ? Math.max(0, value) : null
}

/**
 * How long the server asked to wait, ms from `nowMs` (Unix ms): `retry-after-ms`, else `retry-after` in seconds or as a
 * date. Never negative; null when it asked for nothing or nothing that can be understood.
 */
export const parseRetryAfter = (headers: HeaderSource, nowMs: number): number | null => {
  const exact = header(headers, "retry-after-ms")
  const milliseconds = exact === null ? null : parseNumber(exact.trim())
  if (milliseconds !== null) return milliseconds
  const text = header(headers, "retry-after")?.trim()
  if (text === undefined) return null
  const seconds = parseNumber(text)
  if (seconds !== null) return seconds * 1000
  const at = parseDate(text, nowMs)
  return at === null ? null : Math.max(0, at - nowMs)
}

const maxDetail = 500

/** One line of at most 500 characters. */
export const boundedDetail = (text: string): string => {
  const line = text
    .slice(0, maxDetail * 4)
    .replace(/\s+/g, " ")
    .trim()
  return line.length <= maxDetail ? line : `${line.slice(0, maxDetail - 1)}…`
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The words of the error in a JSON body: `error.message`, `message`, `error`, `detail`; null when it has none. */
const messageOf = (body: unknown): string | null => {
  if (!isRecord(body)) return null
  const error = body["error"]
  const candidates = [isRecord(error) ? error["message"] : error, body["message"], body["detail"]]
  return candidates.find((candidate): candidate is string => typeof candidate === "string" && candidate !== "") ?? null
}

/** Codes by which providers say more than their status does. */
const codeReasons: ReadonlyMap<string, GenerationReason> = new Map<string, GenerationReason>([
  ["insufficient_quota", "quota_exhausted"],
  ["billing_hard_limit_reached", "quota_exhausted"],
  ["billing_not_active", "quota_exhausted"],
  ["credit_balance_too_low", "quota_exhausted"],
  ["content_filter", "content_filtered"],
  ["content_policy_violation", "content_filtered"],
  ["overloaded_error", "overloaded"]
])

const reasonOf = (status: number, body: unknown): GenerationReason => {
  const error = isRecord(body) && isRecord(body["error"]) ? body["error"] : body
  if (isRecord(error)) {
    for (const name of ["code", "type"]) {
      const code = error[name]
      const reason = typeof code === "string" ? codeReasons.get(code) : undefined
      if (reason !== undefined) return reason
    }
  }
  return GenerationErrors.reasonFromStatus(status)
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const requestIdHeaders = ["x-request-id", "request-id", "x-amzn-requestid", "x-ms-request-id", "cf-ray"]

/** The id by which the provider's support finds the call; null when the reply carries none. */
export const requestId = (headers: HeaderSource): string | null => {
  for (const name of requestIdHeaders) {
    const id = header(headers, name)
    if (id !== null && id !== "") return id.slice(0, 200)
  }
  return null
}

/** A reply that is not a success. `body` is its text, or its JSON already parsed. */
export interface FailedResponse {
  readonly status: number
  readonly headers: HeaderSource
  readonly body: unknown
  /** Unix ms, for a Retry-After that is a date. */
  readonly nowMs: number
}

/** The error that a reply with a status other than 2xx stands for: reason, the provider's own words, Retry-After, id. */
export const errorFromResponse = (response: FailedResponse): GenerationError => {
  const body = typeof response.body === "string" ? (parseJson(response.body) ?? response.body) : response.body
  const words = messageOf(body) ?? (typeof body === "string" ? body : "")
  return GenerationErrors.make({
    reason: reasonOf(response.status, body),
    detail: boundedDetail(words) || `the server answered with status ${response.status}`,
    status: response.status,
    retryAfterMs: parseRetryAfter(response.headers, response.nowMs),
    requestId: requestId(response.headers)
  })
}
