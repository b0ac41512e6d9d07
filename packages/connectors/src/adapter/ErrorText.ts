/** Reading what providers write into error bodies and stream errors, whatever its shape. */

/** An error as the provider described it; null = it did not say. */
export interface ProviderProblem {
  readonly message: string | null
  /** Machine-readable words: `type`, `code`, `status`, lower case. */
  readonly codes: ReadonlyArray<string>
  /** HTTP status written inside the body. */
  readonly status: number | null
  /** Google's RetryInfo, ms. */
  readonly retryAfterMs: number | null
}

type Json = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const text = (value: unknown): string | null => (typeof value === "string" && value.trim() !== "" ? value.trim() : null)

const statusOf = (value: unknown): number | null => {
  const number = typeof value === "string" ? Number(value) : value
  return typeof number === "number" && Number.isInteger(number) && number >= 400 && number <= 599 ? number : null
}

const retryDelay = (details: unknown): number | null => {
  if (!Array.isArray(details)) return null
  for (const detail of details) {
    const delay = isRecord(detail) ? detail["retryDelay"] : undefined
    const match = typeof delay === "string" ? /^(\d+(?:\.\d+)?)s$/.exec(delay) : null
    if (match !== null) return Number(match[1]) * 1000
  }
  return null
}

/** Reads `{error: {message, type, code}}`, `{type, message}`, `{error: "text"}`, `{detail}`, and lists of those. */
export const read = (value: unknown): ProviderProblem => {
  const outer = Array.isArray(value) ? value[0] : value
  const error = isRecord(outer) && outer["error"] !== undefined ? outer["error"] : outer
  if (!isRecord(error)) return { message: text(error), codes: [], status: null, retryAfterMs: null }
  const named = [error["type"], error["code"], error["status"], isRecord(outer) ? outer["type"] : undefined]
  const message = text(error["message"]) ?? text(error["detail"]) ?? (isRecord(outer) ? text(outer["message"]) : null)
  return {
    message,
    codes: named.flatMap((code) => (typeof code === "string" ? [code.toLowerCase()] : [])),
    status: statusOf(error["statusCode"]) ?? statusOf(error["status"]) ?? statusOf(error["code"]),
    retryAfterMs: retryDelay(error["details"])
  }
}

/** Reads an error body; a body that is not JSON is its own message. */
export const parse = (body: string): ProviderProblem => {
  try {
    return read(JSON.parse(body))
  } catch {
    return { message: text(body), codes: [], status: null, retryAfterMs: null }
  }
}
