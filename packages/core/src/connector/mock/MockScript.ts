import { closest } from "../../domain/DidYouMean.ts"
import * as GenerationErrors from "../../domain/GenerationError.ts"
import { type GenerationError, GenerationReason } from "../../domain/GenerationError.ts"

/** What a scripted mock does in one attempt, as written in `params.script`; an empty entry answers as an oracle does. */
export interface ScriptEntry {
  /** HTTP status; anything but 2xx is a failure. */
  readonly status?: number
  readonly retry_after_s?: number
  /** Why the attempt fails, when it is not a status that says so. */
  readonly error?: GenerationReason
  /** Words of the failure. */
  readonly message?: string
  /** A wait before anything else, ms. */
  readonly delay_ms?: number
  /** Never answers. */
  readonly hang?: boolean
  readonly text?: string
  readonly input_tokens?: number
  readonly output_tokens?: number
  readonly cost_usd?: number
  /** Latency that is reported without waiting, ms. */
  readonly latency_ms?: number
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const quantity = (value: unknown): string | null =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? null : "must be a number >= 0"

const text = (value: unknown): string | null => (typeof value === "string" ? null : "must be a text (quote it in YAML)")

const reasons: ReadonlyArray<string> = GenerationReason.literals

const reason = (value: unknown): string | null =>
  typeof value === "string" && reasons.includes(value) ? null : `must be one of ${reasons.join(", ")}`

const checks: Readonly<Record<keyof ScriptEntry, (value: unknown) => string | null>> = {
  status: (value) =>
    Number.isInteger(value) && Number(value) >= 100 && Number(value) <= 599 ? null : "must be an HTTP status",
  retry_after_s: quantity,
  error: reason,
  message: text,
  delay_ms: quantity,
  hang: (value) => (typeof value === "boolean" ? null : "must be true or false"),
  text,
  input_tokens: quantity,
  output_tokens: quantity,
  cost_usd: quantity,
  latency_ms: quantity
}

const names = Object.keys(checks)
const isField = (name: string): name is keyof ScriptEntry => Object.hasOwn(checks, name)

/** What is wrong with an entry of a script; null = nothing. */
export const wrongEntry = (entry: unknown): string | null => {
  if (!isRecord(entry)) return "must be a mapping such as {status: 429} or {text: refund}"
  for (const [name, value] of Object.entries(entry)) {
    if (!isField(name)) {
      const near = closest(name, names)
      return `unknown key "${name}" (${near === null ? `known: ${names.join(", ")}` : `did you mean "${near}"?`})`
    }
    const wrong = checks[name](value)
    if (wrong !== null) return `${name} ${wrong}`
  }
  return null
}

/** The entry of an attempt (1-based): the last one repeats. */
export const entryOf = (script: ReadonlyArray<ScriptEntry>, attempt: number): ScriptEntry =>
  script[Math.min(Math.max(attempt, 1), script.length) - 1] ?? {}

/** The failure that an entry asks for; null = it answers. */
export const entryError = (entry: ScriptEntry): GenerationError | null => {
  const status = entry.status ?? null
  if (entry.error === undefined && (status === null || (status >= 200 && status <= 299))) return null
  return GenerationErrors.make({
    reason: entry.error ?? GenerationErrors.reasonFromStatus(status ?? 0),
    detail: entry.message ?? `scripted failure${entry.error === undefined ? "" : `: ${entry.error}`}`,
    status,
    retryAfterMs: entry.retry_after_s === undefined ? null : entry.retry_after_s * 1000
  })
}
