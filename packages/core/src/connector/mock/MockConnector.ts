import { hash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { CellContext, Generation, GenerationRequest, TokenUsage } from "../../domain/Generation.ts"
import type { GenerationError } from "../../domain/GenerationError.ts"
import { Connector, type ConnectorConfig, type ConnectorError } from "../Connector.ts"
import { type MockParams, mockParams } from "./MockParams.ts"
import { entryError, entryOf, type ScriptEntry } from "./MockScript.ts"

/** Tokens a mock says it used: a quarter of the characters (code points), at least one unless the text is empty. */
export const simulatedTokens = (text: string): number => {
  let length = text.length
  if (length === 0) return 0
  for (let index = 1; index < text.length; index++) {
    // A surrogate pair is one character.
    if ((text.charCodeAt(index) & 0xfc00) === 0xdc00 && (text.charCodeAt(index - 1) & 0xfc00) === 0xd800) length--
  }
  return Math.max(1, Math.floor(length / 4))
}

/** A number in [0, 100) that depends on nothing but its arguments, so that every run of a flaky mock is the same. */
export const draw = (model: string, seed: string, caseId: string, trial: number): number => {
  const digest = hash("sha256", `${model}|${seed}|${caseId}|${trial}`, "hex")
  return (Number.parseInt(digest.slice(0, 8), 16) % 10_000) / 100
}

/** The expected answer as a model would say it; of several accepted answers the first. */
const referenceText = (reference: unknown): string => {
  if (typeof reference === "string") return reference
  if (reference === null || reference === undefined) return ""
  if (Array.isArray(reference)) return referenceText(reference[0])
  return typeof reference === "object" ? JSON.stringify(reference) : String(reference)
}

type Answer = (request: GenerationRequest, cell: CellContext) => string

const answerOf = (model: string, params: MockParams): Answer => {
  switch (params.mode) {
    case "flaky":
      return (_, cell) =>
        draw(model, params.seed, cell.caseId, cell.trial) < params.accuracy
          ? referenceText(cell.reference)
          : params.wrongText
    case "fixed":
      return () => params.text
    case "echo":
      return (request) => request.prompt
    case "empty":
      return () => ""
    default:
      return (_, cell) => referenceText(cell.reference)
  }
}

const noList: ReadonlyArray<never> = []
const noMetrics: Generation["metrics"] = {}

const usageOf = (request: GenerationRequest, text: string, entry: ScriptEntry | null): TokenUsage => ({
  prompt:
    entry?.input_tokens ??
    simulatedTokens(request.prompt) + (request.system === null ? 0 : simulatedTokens(request.system)),
  completion: entry?.output_tokens ?? simulatedTokens(text),
  cachedRead: null,
  cachedWrite: null,
  reasoning: null
})

/** One object literal: this is the path on which the engine's own speed is measured. */
const generation = (
  model: string,
  text: string,
  usage: TokenUsage,
  latencyMs: number | null,
  costUsd: number | null
): Generation => ({
  text,
  reasoning: null,
  servedModel: model,
  usage,
  costUsd,
  latencyMs,
  timeToFirstTokenMs: null,
  finishReason: "stop",
  responseId: null,
  requestId: null,
  toolCalls: noList,
  metrics: noMetrics,
  trace: null,
  settingsApplied: noList,
  settingsDropped: noList
})

type Generate = (request: GenerationRequest, cell: CellContext) => Effect.Effect<Generation, GenerationError>

/** Latency that is reported instead of waited for, ms; null = the engine measures. */
const reportedLatency = (params: MockParams): number | null =>
  params.latencyMs > 0 && !params.sleep ? params.latencyMs : null

const plainGenerate = (model: string, params: MockParams): Generate => {
  const answer = answerOf(model, params)
  const reported = reportedLatency(params)
  const respond = (request: GenerationRequest, cell: CellContext): Generation => {
    const text = answer(request, cell)
    return generation(model, text, usageOf(request, text, null), reported, null)
  }
  if (!params.sleep || params.latencyMs === 0) return (request, cell) => Effect.succeed(respond(request, cell))
  const wait = Effect.sleep(params.latencyMs)
  return (request, cell) =>
    Effect.andThen(
      wait,
      Effect.sync(() => respond(request, cell))
    )
}

const scriptedGenerate = (model: string, params: MockParams, plain: Generate): Generate => {
  const oracle = answerOf(model, params)
  const outcome = (entry: ScriptEntry, request: GenerationRequest, cell: CellContext) => {
    if (entry.hang === true) return Effect.never
    const error = entryError(entry)
    if (error !== null) return Effect.fail(error)
    const text = entry.text ?? oracle(request, cell)
    const latencyMs = entry.latency_ms ?? reportedLatency(params)
    return Effect.succeed(generation(model, text, usageOf(request, text, entry), latencyMs, entry.cost_usd ?? null))
  }
  return (request, cell) => {
    const script = params.scriptByCase.get(cell.caseId) ?? params.script
    if (script === null) return plain(request, cell)
    const entry = entryOf(script, cell.attempt)
    const delay = entry.delay_ms ?? (params.sleep ? params.latencyMs : 0)
    if (delay === 0) return outcome(entry, request, cell)
    return Effect.andThen(
      Effect.sleep(delay),
      Effect.suspend(() => outcome(entry, request, cell))
    )
  }
}

const makeMock = (config: ConnectorConfig): Result.Result<Connector["Service"], ConnectorError> =>
  Result.map(mockParams(config.model, config.params), (params) => {
    const plain = plainGenerate(config.model, params)
    return {
      provider: "mock",
      generate: params.mode === "script" ? scriptedGenerate(config.model, params, plain) : plain,
      healthCheck: Effect.succeed(null),
      secrets: []
    }
  })

/**
 * A simulated model. It answers from the case's reference and says so: token counts and latency are the simulation's
 * own report. Nothing is random: `flaky` draws from a hash of model, seed, case and trial.
 */
export const layerMock = (config: ConnectorConfig): Layer.Layer<Connector, ConnectorError> =>
  Layer.effect(
    Connector,
    Effect.suspend(() => Effect.fromResult(makeMock(config)))
  )
