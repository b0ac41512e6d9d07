import * as Result from "effect/Result"
import * as Generations from "../domain/Generation.ts"
import { type Generation, type TokenUsage, unknownUsage } from "../domain/Generation.ts"
import type { GenerationError } from "../domain/GenerationError.ts"
import * as GenerationErrors from "../domain/GenerationError.ts"
import { boundedDetail } from "./HttpErrors.ts"

type Fields = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Accepted names of each quantity, most specific first. */
const tokenNames: ReadonlyArray<readonly [keyof TokenUsage, ReadonlyArray<string>]> = [
  ["prompt", ["input_tokens", "inputTokens", "prompt_tokens", "promptTokens", "prompt"]],
  ["completion", ["output_tokens", "outputTokens", "completion_tokens", "completionTokens", "completion"]],
  ["cachedRead", ["cached_read_tokens", "cachedReadTokens", "cache_read_tokens", "cacheReadTokens", "cachedRead"]],
  [
    "cachedWrite",
    ["cached_write_tokens", "cachedWriteTokens", "cache_write_tokens", "cacheWriteTokens", "cachedWrite"]
  ],
  ["reasoning", ["reasoning_tokens", "reasoningTokens", "reasoning"]]
]

const textNames = ["output", "text", "answer"]

class WrongField {
  readonly detail: string
  constructor(detail: string) {
    this.detail = detail
  }
}

/** What was returned, named so that its author recognises it. */
const describe = (value: unknown): string => {
  if (value === undefined) return "nothing (undefined): is a return statement missing?"
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (isRecord(value)) {
    const keys = Object.keys(value)
    return keys.length === 0 ? "an empty object" : `an object with ${keys.slice(0, 8).join(", ")}`
  }
  return `${typeof value} ${boundedDetail(String(value)).slice(0, 80)}`
}

const pick = (fields: Fields, names: ReadonlyArray<string>): readonly [string, unknown] | null => {
  for (const name of names) {
    const value = fields[name]
    if (value !== undefined && value !== null) return [name, value]
  }
  return null
}

/** A quantity that is absent is unknown; one that is there must be a number >= 0, because a guess would be a lie. */
const quantity = (fields: Fields, names: ReadonlyArray<string>): number | null => {
  const found = pick(fields, names)
  if (found === null) return null
  const [name, value] = found
  if (typeof value === "number" && Number.isFinite(value) && value >= 0) return value
  throw new WrongField(`"${name}" must be a number >= 0, not ${describe(value)}`)
}

/** Names as short as `prompt` count only inside `usage`: on the object itself they may be anything. */
const readUsage = (fields: Fields): TokenUsage => {
  const nested = isRecord(fields["usage"]) ? fields["usage"] : {}
  const usage: Record<keyof TokenUsage, number | null> = { ...unknownUsage }
  for (const [field, names] of tokenNames) {
    usage[field] = quantity(fields, names.slice(0, -1)) ?? quantity(nested, names)
  }
  return usage
}

const asText = (value: unknown): string | null => {
  if (typeof value === "string") return value
  return typeof value === "number" && Number.isFinite(value) ? String(value) : null
}

const readText = (fields: Fields): string => {
  const name = textNames.find((candidate) => fields[candidate] !== undefined)
  if (name === undefined) {
    throw new WrongField(`the target returned ${describe(fields)}, without output, text or answer`)
  }
  const value = fields[name]
  const text = value === null ? "" : asText(value)
  if (text === null) throw new WrongField(`"${name}" must be a text, not ${describe(value)}`)
  return text
}

/** Entries that are not finite numbers are not metrics. */
const readMetrics = (fields: Fields): Record<string, number> => {
  const metrics: Record<string, number> = {}
  if (!isRecord(fields["metrics"])) return metrics
  for (const [name, value] of Object.entries(fields["metrics"])) {
    if (typeof value === "number" && Number.isFinite(value)) metrics[name] = value
  }
  return metrics
}

const optionalText = (fields: Fields, names: ReadonlyArray<string>): string | null => {
  const value = pick(fields, names)?.[1]
  return typeof value === "string" ? value : null
}

/** A list under one of its names; nothing when there is none. */
const listAt = <K extends string>(fields: Fields, key: K, names: ReadonlyArray<string>) => {
  const value = pick(fields, names)?.[1]
  return Array.isArray(value) && value.length > 0 ? { [key]: value as ReadonlyArray<unknown> } : {}
}

const fromObject = (fields: Fields): Generation =>
  Generations.make({
    text: readText(fields),
    usage: readUsage(fields),
    costUsd: quantity(fields, ["cost_usd", "costUsd"]),
    latencyMs: quantity(fields, ["latency_ms", "latencyMs"]),
    finishReason: optionalText(fields, ["finish_reason", "finishReason"]),
    servedModel: optionalText(fields, ["served_model", "servedModel"]),
    metrics: readMetrics(fields),
    ...listAt(fields, "toolCalls", ["tool_calls", "toolCalls"]),
    ...listAt(fields, "toolResults", ["tool_results", "toolResults"]),
    trace: fields["trace"] ?? null
  })

const targetError = (detail: string): GenerationError => GenerationErrors.make({ reason: "target", detail })

/** Tokens that a reply in a format of its own reports in its `usage`, as far as they are numbers. */
export const reportedUsage = (reply: unknown): TokenUsage => {
  const nested = isRecord(reply) && isRecord(reply["usage"]) ? reply["usage"] : {}
  const usage: Record<keyof TokenUsage, number | null> = { ...unknownUsage }
  for (const [field, names] of tokenNames) {
    const value = pick(nested, names)?.[1]
    usage[field] = typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null
  }
  return usage
}

/** Whether a value is the object form of an answer: it has `output`, `text` or `answer`. */
export const isAnswerObject = (value: unknown): value is Fields =>
  isRecord(value) && textNames.some((name) => name in value)

/**
 * The generation that a target's return value stands for: a text, a finite number, null (no answer: ""), or an object
 * with `output`, `text` or `answer` and optionally tokens, cost (USD), latency (ms), metrics, tool calls and their results, and a trace, named in
 * snake_case or camelCase. What is not reported stays null. Anything else is the target's error.
 */
export const fromReturned = (returned: unknown): Result.Result<Generation, GenerationError> => {
  if (returned === null) return Result.succeed(Generations.make({ text: "" }))
  const text = asText(returned)
  if (text !== null) return Result.succeed(Generations.make({ text }))
  if (!isRecord(returned)) {
    return Result.fail(targetError(`the target must return a text or an object, but returned ${describe(returned)}`))
  }
  try {
    return Result.succeed(fromObject(returned))
  } catch (thrown) {
    if (thrown instanceof WrongField) return Result.fail(targetError(thrown.detail))
    // A getter of the returned object failed.
    return Result.fail(targetError(`the returned object cannot be read: ${boundedDetail(String(thrown))}`))
  }
}
