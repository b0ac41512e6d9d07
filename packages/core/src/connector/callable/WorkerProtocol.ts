/** What the main thread and a worker of a blocking target say to each other. Plain data that can be cloned. */
import type { InnerGeneration } from "../../domain/Generation.ts"
import type { WorkerGreeting } from "../../project/WorkerPool.ts"
import type { InnerCall, TargetFacts } from "./TargetContext.ts"

export interface WorkerStart {
  readonly root: string
  readonly module: string
  readonly exportName: string
}

/** A thrown value, reduced to what says something: texts, numbers, and the same of its cause. */
export interface PlainError {
  readonly [name: string]: unknown
}

export type ToWorker =
  | { readonly type: "call"; readonly facts: TargetFacts }
  | { readonly type: "answered"; readonly id: number; readonly answer: InnerGeneration }
  | { readonly type: "refused"; readonly id: number; readonly error: PlainError }

export type FromWorker =
  | WorkerGreeting
  | { readonly type: "returned"; readonly value: unknown; readonly elapsedMs: number }
  | { readonly type: "threw"; readonly error: PlainError }
  | { readonly type: "generate"; readonly id: number; readonly name: string; readonly call: InnerCall }
  | { readonly type: "cancel"; readonly id: number }

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const told = [
  "name",
  "_tag",
  "message",
  "reason",
  "detail",
  "status",
  "statusCode",
  "code",
  "retryAfter",
  "retry_after",
  "retry_after_s",
  "retryAfterMs",
  "retry_after_ms",
  "requestId"
]

const headersOf = (headers: unknown): Readonly<Record<string, string>> | undefined => {
  if (!isObject(headers)) return undefined
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers)
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))
}

/** Reduces a thrown value, so that it is understood on the other side as it would have been on this one. */
export const toPlainError = (thrown: unknown, depth = 0): PlainError => {
  if (!isObject(thrown)) return { message: String(thrown) }
  const plain: Record<string, unknown> = {}
  for (const name of told) {
    const value = thrown[name]
    if (typeof value === "string" || typeof value === "number" || value === null) plain[name] = value
  }
  const response = thrown["response"]
  const headers = headersOf(thrown["headers"] ?? thrown["responseHeaders"])
  if (headers !== undefined) plain["headers"] = headers
  if (isObject(response)) plain["response"] = { status: response["status"], headers: headersOf(response["headers"]) }
  if (isObject(thrown["cause"]) && depth < 4) plain["cause"] = toPlainError(thrown["cause"], depth + 1)
  return plain
}
