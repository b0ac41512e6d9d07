/** Any `LanguageModel` of `effect/ai` as a connector. */

import type { ConnectorFactory } from "@agent-arena/core/connector/Connector"
import { Connector } from "@agent-arena/core/connector/Connector"
import type { GenerationRequest } from "@agent-arena/core/domain/Generation"
import * as Generation from "@agent-arena/core/domain/Generation"
import type { GenerationReason } from "@agent-arena/core/domain/GenerationError"
import * as GenerationError from "@agent-arena/core/domain/GenerationError"
import type { LanguageModelV4Message } from "@ai-sdk/provider"
import type * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as AiPrompt from "effect/ai/Prompt"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Prompt from "./Prompt.ts"
import * as Settings from "./Settings.ts"

const reasons: Readonly<Record<AiError.AiErrorReason["_tag"], GenerationReason>> = {
  RateLimitError: "rate_limited",
  QuotaExhaustedError: "quota_exhausted",
  AuthenticationError: "authentication",
  ContentPolicyError: "content_filtered",
  InvalidRequestError: "invalid_request",
  InvalidUserInputError: "invalid_request",
  UnsupportedSchemaError: "invalid_request",
  ToolConfigurationError: "invalid_request",
  ToolkitRequiredError: "invalid_request",
  InternalProviderError: "server",
  NetworkError: "connection",
  InvalidResponseError: "malformed_response",
  InvalidOutputError: "malformed_response",
  StructuredOutputError: "malformed_response",
  ToolNotFoundError: "malformed_response",
  ToolParameterValidationError: "malformed_response",
  InvalidToolResultError: "malformed_response",
  ToolResultEncodingError: "malformed_response",
  UnknownError: "unknown"
}

const statusOf = (reason: AiError.AiErrorReason): number | null =>
  "http" in reason ? (reason.http?.response?.status ?? null) : null

const toGenerationError = (error: AiError.AiError): GenerationError.GenerationError => {
  const { reason, retryAfter } = error
  const denied = reason._tag === "AuthenticationError" && reason.kind === "InsufficientPermissions"
  return GenerationError.make({
    reason: denied ? "permission" : reasons[reason._tag],
    detail: reason.message,
    status: statusOf(reason),
    retryAfterMs: retryAfter === undefined ? null : Duration.toMillis(retryAfter)
  })
}

type UserPart = Extract<LanguageModelV4Message, { role: "user" }>["content"][number]

const toPart = (part: UserPart): AiPrompt.UserMessagePartEncoded => {
  if (part.type === "text") return { type: "text", text: part.text }
  const data = part.data.type === "data" ? part.data.data : part.data.type === "url" ? part.data.url : ""
  return {
    type: "file",
    mediaType: part.mediaType,
    data,
    ...(part.filename === undefined ? {} : { fileName: part.filename })
  }
}

const isUserPart = (part: { readonly type: string }): part is UserPart => part.type === "text" || part.type === "file"

const toMessage = (message: LanguageModelV4Message): AiPrompt.MessageEncoded => {
  if (message.role === "system") return { role: "system", content: message.content }
  const content = message.content.filter(isUserPart).map(toPart)
  return message.role === "assistant" ? { role: "assistant", content } : { role: "user", content }
}

const failed = (detail: string) => GenerationError.make({ reason: "invalid_request", detail })

const promptOf = (request: GenerationRequest, root: string) =>
  Effect.tryPromise({
    try: (signal) => Prompt.make(request, root, signal),
    catch: (error) => failed(error instanceof Error ? error.message : String(error))
  }).pipe(Effect.map((prompt) => prompt.map(toMessage)))

const settingNames = (request: GenerationRequest) =>
  Effect.try({
    try: () => Settings.read(request).names,
    catch: (error) => failed(error instanceof Error ? error.message : String(error))
  })

type Reply = LanguageModel.GenerateTextResponse<Record<never, never>>

const toGeneration = (reply: Reply, names: ReadonlyArray<string>): Generation.Generation => {
  const { inputTokens, outputTokens } = reply.usage
  const metadata = reply.content.find((part) => part.type === "response-metadata")
  return Generation.make({
    text: reply.text,
    reasoning: reply.reasoningText ?? null,
    servedModel: metadata?.modelId ?? null,
    responseId: metadata?.id ?? null,
    usage: {
      prompt: inputTokens.total ?? null,
      completion: outputTokens.total ?? null,
      cachedRead: inputTokens.cacheRead ?? null,
      cachedWrite: inputTokens.cacheWrite ?? null,
      reasoning: outputTokens.reasoning ?? null
    },
    finishReason: reply.finishReason.replace("-", "_"),
    settingsDropped: names.map((name) => `${name}: set in the language model itself`)
  })
}

/** How to use a language model as a connector. */
export interface LanguageModelOptions {
  /** Name recorded as the result's provider. */
  readonly provider: string
  /** Folder against which attachments are resolved; the working directory by default. */
  readonly root?: string
}

/**
 * A connector over the `LanguageModel` of the context. Its settings (temperature, limits, tools) are those of the model
 * itself: what a request asks for is recorded as dropped. It is not streamed, so there is no time to the first token.
 */
export const fromLanguageModel = Effect.fnUntraced(function* (options: LanguageModelOptions) {
  const model = yield* LanguageModel.LanguageModel
  const generate = Effect.fnUntraced(function* (request: GenerationRequest) {
    const names = yield* settingNames(request)
    const prompt = yield* promptOf(request, options.root ?? ".")
    const reply = yield* model.generateText({ prompt }).pipe(Effect.mapError(toGenerationError))
    return toGeneration(reply, names)
  })
  return Connector.of({ provider: options.provider, secrets: [], healthCheck: Effect.succeed(null), generate })
})

/** The Layer of such a connector. */
export const layerLanguageModel = (options: LanguageModelOptions) => Layer.effect(Connector, fromLanguageModel(options))

/** A kind of connector over one language model, for `Connectors.layerWith({my_model: …})`. */
export const languageModelKind =
  (provider: string, model: Layer.Layer<LanguageModel.LanguageModel>): ConnectorFactory =>
  ({ root }) =>
    Layer.provide(layerLanguageModel({ provider, root }), model)
