/** Models that a program brings along: of the AI SDK, and of effect/ai. */

import { fromAiSdk } from "@agent-arena/connectors/adapter/FromAiSdk"
import { fromLanguageModel, languageModelKind } from "@agent-arena/connectors/adapter/FromLanguageModel"
import { layerWith } from "@agent-arena/connectors/Connectors"
import { Connector } from "@agent-arena/core/connector/Connector"
import { ConnectorRegistry } from "@agent-arena/core/connector/ConnectorRegistry"
import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { describe, expect, it } from "@effect/vitest"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import * as Response from "effect/ai/Response"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { cell, config, request, testKey } from "../support/Calls.ts"

/** A model of the AI SDK that streams what `parts` enqueues. */
const streaming = (
  start: (
    controller: ReadableStreamDefaultController<LanguageModelV4StreamPart>,
    signal: AbortSignal | undefined
  ) => void
): LanguageModelV4 => ({
  specificationVersion: "v4",
  provider: "own.chat",
  modelId: "m",
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error("streams only")),
  doStream: ({ abortSignal }) =>
    Promise.resolve({
      stream: new ReadableStream<LanguageModelV4StreamPart>({ start: (controller) => start(controller, abortSignal) })
    })
})

describe("a model of the AI SDK", () => {
  it.effect("is a connector of its own", () =>
    Effect.gen(function* () {
      const connector = fromAiSdk({
        model: streaming((controller) => {
          controller.enqueue({ type: "text-delta", id: "1", delta: "ref" })
          controller.enqueue({ type: "text-delta", id: "1", delta: "und" })
          controller.enqueue({
            type: "finish",
            finishReason: { unified: "stop", raw: undefined },
            usage: {
              inputTokens: { total: 5, noCache: 5, cacheRead: 0, cacheWrite: 0 },
              outputTokens: { total: 2, text: 2, reasoning: 0 },
              raw: { input_tokens: 5, output_tokens: 2 }
            }
          })
          controller.close()
        })
      })
      const generation = yield* connector.generate(request(), cell)
      expect(connector.provider).toBe("own.chat")
      expect(generation).toMatchObject({
        text: "refund",
        timeToFirstTokenMs: 0,
        usage: { prompt: 5, completion: 2, cachedRead: null, cachedWrite: null, reasoning: null }
      })
    })
  )

  it.effect("whose stream stops is cut after a minute, and told to stop", () =>
    Effect.gen(function* () {
      const seen: { signal?: AbortSignal | undefined } = {}
      const started = Promise.withResolvers<void>()
      const model = streaming((controller, signal) => {
        seen.signal = signal
        controller.enqueue({ type: "text-delta", id: "1", delta: "ref" })
        started.resolve()
      })
      const connector = fromAiSdk({ model })
      const call = yield* Effect.forkChild(Effect.flip(connector.generate(request(), cell)), { startImmediately: true })
      yield* Effect.promise(() => started.promise)
      yield* Effect.promise(() => new Promise((resume) => setImmediate(resume)))
      yield* TestClock.adjust("59 seconds")
      expect(call.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("61 seconds")
      expect(yield* Fiber.join(call)).toMatchObject({
        reason: "timeout",
        detail: "the answer stopped: nothing arrived for 60 s"
      })
      expect(seen.signal?.aborted).toBe(true)
    })
  )

  it.effect("that throws anything gives a typed error without its secrets", () =>
    Effect.gen(function* () {
      const throwing = (cause: unknown) =>
        fromAiSdk({
          model: { ...streaming(() => undefined), doStream: () => Promise.reject(cause) },
          secrets: [Redacted.make(testKey)]
        })
      const fail = (cause: unknown) => Effect.flip(throwing(cause).generate(request(), cell))
      expect(yield* fail(new Error(`key ${testKey}\n  is bad`))).toMatchObject({
        reason: "unknown",
        detail: "key *** is bad"
      })
      expect(yield* fail("plain text")).toMatchObject({ reason: "unknown", detail: "plain text" })
      expect(yield* fail(undefined)).toMatchObject({ reason: "unknown" })
      expect(yield* fail({ status: 503, message: "busy" })).toMatchObject({ reason: "overloaded", status: 503 })
      const looped: { cause?: unknown } = {}
      looped.cause = looped
      expect(yield* fail(looped)).toMatchObject({ _tag: "GenerationError" })
      expect((yield* fail(new Error("x".repeat(5000)))).detail.length).toBeLessThanOrEqual(600)
    })
  )
})

const usage = new Response.Usage({
  inputTokens: { total: 5, uncached: 5, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 2, text: 2, reasoning: undefined }
})

const scripted = (answer: (prompt: Prompt.Prompt) => Effect.Effect<string, AiError.AiError>) =>
  Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: ({ prompt }) =>
        Effect.map(answer(prompt), (text) => [
          { type: "response-metadata" as const, id: "r1", modelId: "served", timestamp: undefined },
          { type: "reasoning" as const, text: "hm" },
          { type: "text" as const, text },
          { type: "finish" as const, reason: "stop" as const, response: undefined, usage }
        ]),
      streamText: () => Stream.empty
    })
  )

describe("a language model of effect/ai", () => {
  it.effect("is a connector; what it takes from its own configuration is recorded as dropped", () =>
    Effect.gen(function* () {
      const seen: Array<Prompt.Prompt> = []
      const connector = yield* fromLanguageModel({ provider: "own" }).pipe(
        Effect.provide(
          scripted((prompt) => {
            seen.push(prompt)
            return Effect.succeed("refund")
          })
        )
      )
      const generation = yield* connector.generate(request({ system: "Be terse.", temperature: 0 }), cell)
      expect(generation).toMatchObject({
        text: "refund",
        reasoning: "hm",
        servedModel: "served",
        responseId: "r1",
        finishReason: "stop",
        usage: { prompt: 5, completion: 2, cachedRead: null, cachedWrite: null, reasoning: null },
        settingsApplied: [],
        settingsDropped: ["temperature: set in the language model itself"],
        timeToFirstTokenMs: null
      })
      expect(seen[0]?.content.map((message) => message.role)).toEqual(["system", "user"])
    })
  )

  it.effect("has its errors mapped", () =>
    Effect.gen(function* () {
      const failing = (reason: AiError.AiErrorReason) =>
        Effect.flatMap(
          Effect.provide(
            fromLanguageModel({ provider: "own" }),
            scripted(() => Effect.fail(AiError.make({ module: "own", method: "generateText", reason })))
          ),
          (connector) => Effect.flip(connector.generate(request(), cell))
        )
      const limited = new AiError.RateLimitError({ retryAfter: Duration.seconds(3) })
      expect(yield* failing(limited)).toMatchObject({ reason: "rate_limited", retryAfterMs: 3000, isRetryable: true })
      const denied = new AiError.AuthenticationError({ kind: "InsufficientPermissions" })
      expect(yield* failing(denied)).toMatchObject({ reason: "permission", isRetryable: false })
      const wrongKey = new AiError.AuthenticationError({ kind: "InvalidKey" })
      expect(yield* failing(wrongKey)).toMatchObject({ reason: "authentication", isRetryable: false })
      expect(yield* failing(new AiError.QuotaExhaustedError({}))).toMatchObject({ reason: "quota_exhausted" })
    })
  )

  it.effect("can be registered as a kind, beside all others", () =>
    Effect.gen(function* () {
      const kinds = {
        own: languageModelKind(
          "own",
          scripted(() => Effect.succeed("refund"))
        )
      }
      const registry = yield* Effect.provide(Effect.service(ConnectorRegistry), layerWith(kinds))
      const factory = registry.get("own")
      expect(registry.has("anthropic")).toBe(true)
      if (factory === undefined) return yield* Effect.die("not registered")
      const context = yield* Layer.build(factory(config({ kind: "own", model: "m" })))
      const connector = yield* Effect.provideContext(Effect.service(Connector), context)
      expect((yield* connector.generate(request(), cell)).text).toBe("refund")
    }).pipe(Effect.scoped)
  )
})
