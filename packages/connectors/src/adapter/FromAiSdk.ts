import type { Connector } from "@agent-arena/core/connector/Connector"
import * as HttpErrors from "@agent-arena/core/connector/HttpErrors"
import type { GenerationRequest } from "@agent-arena/core/domain/Generation"
import * as Generation from "@agent-arena/core/domain/Generation"
import * as GenerationError from "@agent-arena/core/domain/GenerationError"
import { scrubber } from "@agent-arena/core/domain/Secrets"
import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as CallNotes from "../transport/CallNotes.ts"
import * as ResponseHeaders from "../transport/ResponseHeaders.ts"
import * as Collect from "./Collect.ts"
import * as Errors from "./Errors.ts"
import * as Prompt from "./Prompt.ts"
import * as Settings from "./Settings.ts"
import * as Usage from "./Usage.ts"

type Json = Readonly<Record<string, unknown>>

/** Where params without a common name go. */
export type ExtraParams =
  /** Into the JSON body of the request, by a function of body and params. */
  | { readonly _tag: "Body"; readonly merge: (body: Record<string, unknown>, extras: Json) => Record<string, unknown> }
  /** Into the provider package's own options, under its name, and there in `field` if one is given. */
  | { readonly _tag: "ProviderOptions"; readonly namespace: string; readonly field?: string }

/** How to use a model of the AI SDK (specification v4) as a connector. Only `model` is needed. */
export interface AiSdkOptions {
  readonly model: LanguageModelV4
  /** Name recorded as the result's provider; the model's own by default. */
  readonly provider?: string
  /** Values that must never appear in an error. */
  readonly secrets?: ReadonlyArray<Redacted.Redacted<string>>
  /** Folder against which attachments are resolved; the working directory by default. */
  readonly root?: string
  /** A stream that stays silent for so long is cut; 0 = off; 60 by default. Seconds. */
  readonly idleTimeoutS?: number
  /** Limit of a whole call; 0 = off; 600 by default. The engine has limits of its own. Seconds. */
  readonly timeoutS?: number
  readonly extras?: ExtraParams
  /** Address to name in errors of the connection. */
  readonly address?: string
  readonly healthCheck?: Effect.Effect<string | null>
  /** Cost that the provider itself reported, USD; null = it did not. */
  readonly reportedCost?: (answer: Collect.Answer) => number | null
}

/** One call while it runs. */
interface Call {
  readonly answer: Collect.Answer
  readonly notes: CallNotes.CallNotes
  readonly settings: Settings.Settings
  readonly now: () => number
  readonly startedAt: number
  /** When something last arrived; null = nothing yet. */
  lastActivityAt: number | null
  /** The request as the package says it sent it; undefined = it does not say. */
  sent: unknown
}

const defaultIdleS = 60
const defaultTimeoutS = 600

const editBody = (extras: ExtraParams, params: Json): CallNotes.CallNotes["editBody"] =>
  extras._tag === "Body" && Object.keys(params).length > 0 ? (body) => extras.merge(body, params) : null

const makeCall = (settings: Settings.Settings, extras: ExtraParams, clock: Clock.Clock): Call => {
  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
  const call: Call = {
    answer: Collect.emptyAnswer(),
    settings,
    now,
    startedAt: now(),
    lastActivityAt: null,
    sent: undefined,
    notes: {
      editBody: editBody(extras, settings.extras),
      onActivity: () => {
        call.lastActivityAt = now()
      },
      wasWhole: false,
      response: null
    }
  }
  return call
}

const callOptions = async (
  call: Call,
  request: GenerationRequest,
  extras: ExtraParams,
  root: string,
  signal: AbortSignal
): Promise<LanguageModelV4CallOptions> => {
  const { options, extras: params } = call.settings
  const base = { ...options, prompt: await Prompt.make(request, root, signal), abortSignal: signal }
  if (extras._tag === "Body" || Object.keys(params).length === 0) return base
  const placed = extras.field === undefined ? params : { [extras.field]: params }
  const merged = { ...placed, ...options.providerOptions?.[extras.namespace] }
  // Params are JSON by construction (they come from a config file), which the type of the loader does not say.
  const own = { [extras.namespace]: merged } as NonNullable<LanguageModelV4CallOptions["providerOptions"]>
  return { ...base, providerOptions: { ...options.providerOptions, ...own } }
}

const exchange = async (model: LanguageModelV4, call: Call, options: LanguageModelV4CallOptions): Promise<void> => {
  if (!call.settings.stream) {
    const result = await model.doGenerate(options)
    call.sent = result.request?.body
    return Collect.readWhole(result, call.answer)
  }
  const { stream, request, response } = await model.doStream(options)
  call.sent = request?.body
  if (call.notes.response === null && response?.headers !== undefined) {
    call.notes.response = { status: 200, headers: response.headers }
  }
  call.notes.onActivity()
  await Collect.readStream(stream, call.answer, call.now, call.notes.onActivity)
}

class IdleError extends Error {
  readonly code = "ARENA_IDLE"
}

/** Fails when nothing arrives for `limitMs` once the answer has begun; never succeeds. */
const watchIdle = Effect.fnUntraced(function* (call: Call, limitMs: number) {
  while (true) {
    const silence = call.lastActivityAt === null ? 0 : call.now() - call.lastActivityAt
    if (silence >= limitMs) {
      return yield* Effect.fail<unknown>(new IdleError(`the answer stopped: nothing arrived for ${limitMs / 1000} s`))
    }
    yield* Effect.sleep(Duration.millis(limitMs - silence))
  }
})

const finishName = (answer: Collect.Answer): string | null => {
  const finish = answer.finishReason
  if (finish === undefined) return null
  return finish.unified === "other" ? (finish.raw ?? "other") : finish.unified.replace("-", "_")
}

/** Why an answer that ended without an error is still not one; null = it is. */
const defect = (answer: Collect.Answer): Pick<GenerationError.GenerationError, "reason" | "detail"> | null => {
  const empty = answer.text === "" && answer.toolCalls.length === 0
  switch (answer.finishReason?.unified) {
    case undefined:
    case "interrupted":
      return { reason: "truncated", detail: "the answer ended without a finish reason" }
    case "error":
      return { reason: "unknown", detail: "the provider ended the answer with an error" }
    case "content-filter":
      return empty ? { reason: "content_filtered", detail: "the answer was filtered out" } : null
    default:
      return null
  }
}

/** The error of such an answer. What it cost is kept. */
const defectError = (call: Call): GenerationError.GenerationError | null => {
  const found = defect(call.answer)
  if (found === null) return null
  const requestId = HttpErrors.requestId(call.notes.response?.headers ?? {})
  const { usage } = call.answer
  return GenerationError.make({
    ...found,
    requestId,
    ...(usage === undefined ? {} : { usage: Usage.fromAiSdk(usage) })
  })
}

/**
 * Params that went into the package's own options and did not come out of it: packages leave out what they do not know
 * without a word. Empty when the package does not show its request.
 */
const unsent = (call: Call, extras: ExtraParams): ReadonlyArray<string> => {
  if (extras._tag === "Body" || call.sent === undefined) return []
  const text = (typeof call.sent === "string" ? call.sent : JSON.stringify(call.sent)).replaceAll("_", "").toLowerCase()
  return Object.keys(call.settings.extras).filter(
    (name) => !text.includes(`"${name.replaceAll("_", "").toLowerCase()}"`)
  )
}

const toGeneration = (call: Call, options: AiSdkOptions, extras: ExtraParams, nowMs: number): Generation.Generation => {
  const { answer, settings } = call
  const headers = call.notes.response?.headers ?? {}
  const quota = ResponseHeaders.parseQuota(headers, nowMs)
  const { applied, dropped } = Settings.outcome(settings.names, answer.warnings, unsent(call, extras))
  return Generation.make({
    text: answer.text,
    reasoning: answer.reasoning === "" ? null : answer.reasoning,
    servedModel: answer.servedModel,
    usage: Usage.fromAiSdk(answer.usage),
    costUsd: options.reportedCost?.(answer) ?? null,
    timeToFirstTokenMs:
      answer.firstTokenAt === null || call.notes.wasWhole ? null : answer.firstTokenAt - call.startedAt,
    finishReason: finishName(answer),
    responseId: answer.responseId,
    requestId: HttpErrors.requestId(headers),
    toolCalls: answer.toolCalls,
    settingsApplied: applied,
    settingsDropped: dropped,
    ...(quota === null ? {} : { quota })
  })
}

const timeoutError = (seconds: number): GenerationError.GenerationError =>
  GenerationError.make({ reason: "timeout", detail: `no complete answer within ${seconds} s` })

/** A connector over any AI SDK model. One try per call: the SDK's own retries are never used. */
export const fromAiSdk = (options: AiSdkOptions): Connector["Service"] => {
  const provider = options.provider ?? options.model.provider
  const secrets = options.secrets ?? []
  const scrub = scrubber(secrets)
  const extras = options.extras ?? {
    _tag: "ProviderOptions",
    namespace: options.model.provider.split(".")[0] ?? options.model.provider
  }
  const root = options.root ?? "."
  const idleMs = (options.idleTimeoutS ?? defaultIdleS) * 1000
  const timeoutS = options.timeoutS ?? defaultTimeoutS

  const failure = (error: unknown, nowMs: number, call: Call | null) =>
    Errors.toGenerationError(error, {
      scrub,
      nowMs,
      headers: call?.notes.response?.headers ?? null,
      started: call?.notes.response != null,
      address: options.address ?? null
    })

  const run = Effect.fnUntraced(function* (request: GenerationRequest) {
    const clock = yield* Clock.Clock
    const nowMs = () => clock.currentTimeMillisUnsafe()
    const settings = yield* Effect.try({
      try: () => Settings.read(request),
      catch: (error) => failure(error, nowMs(), null)
    })
    const call = makeCall(settings, extras, clock)
    const attempt = Effect.tryPromise({
      try: async (signal) => {
        CallNotes.attach(signal, call.notes)
        await exchange(options.model, call, await callOptions(call, request, extras, root, signal))
      },
      catch: (error) => error
    })
    const watched = idleMs > 0 ? Effect.raceFirst(attempt, watchIdle(call, idleMs)) : attempt
    yield* Effect.mapError(watched, (error) => failure(error, nowMs(), call))
    const wrong = defectError(call)
    if (wrong !== null) return yield* wrong
    return toGeneration(call, options, extras, nowMs())
  })

  return {
    provider,
    secrets,
    healthCheck: options.healthCheck ?? Effect.succeed(null),
    generate: (request) =>
      timeoutS > 0
        ? Effect.timeoutOrElse(run(request), {
            duration: Duration.seconds(timeoutS),
            orElse: () => Effect.fail(timeoutError(timeoutS))
          })
        : run(request)
  }
}
