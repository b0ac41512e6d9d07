/** What of a provider's answer is kept, and what is never invented. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ask, testKey } from "../support/Calls.ts"
import * as LoopbackServer from "../support/LoopbackServer.ts"

const answer = (usage: unknown, message: object = { content: "refund" }, finish = "stop") => ({
  id: "chatcmpl-9",
  model: "served-model",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finish }],
  ...(usage === undefined ? {} : { usage })
})

const receive = (body: unknown, headers: Readonly<Record<string, string>> = {}, params: object = { stream: false }) =>
  Effect.gen(function* () {
    const server = yield* LoopbackServer.start((_, response) => LoopbackServer.json(response, 200, body, headers))
    return yield* ask({ kind: "vllm", model: "m", apiBase: server.url }, { params: { ...params } })
  })

const unknown = { prompt: null, completion: null, cachedRead: null, cachedWrite: null, reasoning: null }

describe("tokens", () => {
  it.live("that the provider did not count are unknown, not zero", () =>
    Effect.gen(function* () {
      expect((yield* receive(answer(undefined))).usage).toEqual(unknown)
      expect((yield* receive(answer(null))).usage).toEqual(unknown)
      expect((yield* receive(answer({}))).usage).toEqual(unknown)
      expect((yield* receive(answer({ prompt_tokens: 8 }))).usage).toEqual({ ...unknown, prompt: 8 })
      const details = { prompt_tokens: 8, completion_tokens: 2, prompt_tokens_details: null }
      expect((yield* receive(answer(details))).usage).toEqual({ ...unknown, prompt: 8, completion: 2 })
    }).pipe(Effect.scoped)
  )

  it.live("that the provider counted as zero are zero", () =>
    Effect.gen(function* () {
      const usage = {
        prompt_tokens: 8,
        completion_tokens: 0,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 }
      }
      expect((yield* receive(answer(usage))).usage).toEqual({
        prompt: 8,
        completion: 0,
        cachedRead: 0,
        cachedWrite: null,
        reasoning: 0
      })
    }).pipe(Effect.scoped)
  )

  it.live("are split as anthropic bills them: the whole prompt includes what was cached", () =>
    Effect.gen(function* () {
      const server = yield* LoopbackServer.start((_, response) =>
        LoopbackServer.json(response, 200, {
          type: "message",
          id: "msg_1",
          model: "claude-haiku-4-5",
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Orders…", signature: "s" },
            { type: "text", text: "refund" }
          ],
          stop_reason: "end_turn",
          usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 100, cache_creation_input_tokens: 20 }
        })
      )
      const env = { ANTHROPIC_API_KEY: testKey }
      const options = { kind: "anthropic", model: "claude-haiku-4-5", apiBase: server.url, env }
      const generation = yield* ask(options, { params: { stream: false } })
      expect(generation).toMatchObject({
        text: "refund",
        reasoning: "Orders…",
        usage: { prompt: 130, completion: 5, cachedRead: 100, cachedWrite: 20, reasoning: null }
      })
    }).pipe(Effect.scoped)
  )
})

describe("an answer", () => {
  it.live("keeps who served it, and its ids", () =>
    Effect.gen(function* () {
      const generation = yield* receive(answer(undefined), { "x-request-id": "req-1" })
      expect(generation).toMatchObject({ servedModel: "served-model", responseId: "chatcmpl-9", requestId: "req-1" })
      expect(generation.latencyMs).toBeNull()
    }).pipe(Effect.scoped)
  )

  it.live("keeps the reasoning apart from the text", () =>
    Effect.gen(function* () {
      const generation = yield* receive(answer(undefined, { content: "refund", reasoning_content: "They want money." }))
      expect(generation).toMatchObject({ text: "refund", reasoning: "They want money." })
    }).pipe(Effect.scoped)
  )

  it.live("that came in one piece although a stream was asked for counts, without a time to the first token", () =>
    Effect.gen(function* () {
      const usage = { prompt_tokens: 4, completion_tokens: 2 }
      const generation = yield* receive(answer(usage), {}, {})
      expect(generation).toMatchObject({
        text: "refund",
        finishReason: "stop",
        timeToFirstTokenMs: null,
        usage: { prompt: 4, completion: 2 }
      })
    }).pipe(Effect.scoped)
  )

  it.live("that was cut at its limit says so", () =>
    Effect.gen(function* () {
      expect((yield* receive(answer(undefined, { content: "re" }, "length"))).finishReason).toBe("length")
    }).pipe(Effect.scoped)
  )

  it.live("that was filtered out is an error that does not heal, and what it cost is kept", () =>
    Effect.gen(function* () {
      const filtered = answer({ prompt_tokens: 7, completion_tokens: 0 }, { content: null }, "content_filter")
      const error = yield* Effect.flip(receive(filtered))
      expect(error).toMatchObject({
        reason: "content_filtered",
        isRetryable: false,
        usage: { prompt: 7, completion: 0 }
      })
      const refusal = yield* receive(answer(undefined, { content: null, refusal: "I cannot help with that." }))
      expect(refusal).toMatchObject({ text: "I cannot help with that.", finishReason: "content_filter" })
    }).pipe(Effect.scoped)
  )

  it.live("carries the cost that a gateway reports, and none that it does not", () =>
    Effect.gen(function* () {
      const usage = { prompt_tokens: 7, completion_tokens: 1 }
      expect((yield* receive(answer({ ...usage, cost: 0.0042 }))).costUsd).toBe(0.0042)
      expect((yield* receive(answer({ ...usage, cost: 0 }))).costUsd).toBe(0)
      expect((yield* receive(answer({ ...usage, cost: "free" }))).costUsd).toBeNull()
      expect((yield* receive(answer(usage))).costUsd).toBeNull()
    }).pipe(Effect.scoped)
  )

  it.live("tells what is left of the account's quota", () =>
    Effect.gen(function* () {
      const generation = yield* receive(answer(undefined), {
        "x-ratelimit-limit-requests": "500",
        "x-ratelimit-remaining-requests": "3",
        "x-ratelimit-reset-requests": "1m30.5s",
        "x-ratelimit-remaining-tokens": "1200",
        "x-ratelimit-reset-tokens": "250ms"
      })
      expect(generation.quota).toEqual({
        requests: { limit: 500, remaining: 3, resetMs: 90_500 },
        tokens: { limit: null, remaining: 1200, resetMs: 250 }
      })
      const anthropic = yield* receive(answer(undefined), {
        "anthropic-ratelimit-requests-limit": "50",
        "anthropic-ratelimit-requests-remaining": "49",
        "anthropic-ratelimit-requests-reset": new Date(Date.now() + 2000).toISOString()
      })
      expect(anthropic.quota?.requests).toMatchObject({ limit: 50, remaining: 49 })
      expect(anthropic.quota?.requests?.resetMs).toBeLessThanOrEqual(2000)
      expect(anthropic.quota?.tokens).toBeNull()
      expect((yield* receive(answer(undefined))).quota).toBeUndefined()
    }).pipe(Effect.scoped)
  )
})

describe("a refusal to serve", () => {
  const refuse = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
    Effect.gen(function* () {
      const server = yield* LoopbackServer.start((_, response) => LoopbackServer.json(response, status, body, headers))
      return yield* Effect.flip(ask({ kind: "vllm", model: "m", apiBase: server.url }))
    })

  const cases: ReadonlyArray<readonly [string, number, unknown, object]> = [
    ["a wrong key", 401, { error: { message: "no" } }, { reason: "authentication", isRetryable: false }],
    ["a missing right", 403, { error: { message: "no" } }, { reason: "permission", isRetryable: false }],
    ["an unknown model", 404, { error: { code: "model_not_found", message: "no" } }, { reason: "not_found" }],
    ["a bad request", 422, { detail: "field x" }, { reason: "invalid_request", detail: "field x" }],
    ["a prompt that is too long", 400, { error: { code: "context_length_exceeded" } }, { reason: "invalid_request" }],
    ["a filtered prompt", 400, { error: { code: "content_filter", message: "no" } }, { reason: "content_filtered" }],
    ["an empty account", 400, { error: { message: "Your credit balance is too low" } }, { reason: "quota_exhausted" }],
    ["a payment that is due", 402, { error: "pay first" }, { reason: "quota_exhausted", detail: "pay first" }],
    ["a conflict", 409, {}, { reason: "invalid_request", isRetryable: true }],
    ["a rate limit", 429, { error: { message: "slow" } }, { reason: "rate_limited", isRetryable: true }],
    ["a crash", 500, { error: { message: "oops" } }, { reason: "server", isRetryable: true }],
    ["a proxy that waits in vain", 504, "upstream timeout", { reason: "server", isRetryable: true }],
    ["overload", 529, { type: "error", error: { type: "overloaded_error" } }, { reason: "overloaded" }]
  ]
  for (const [what, status, body, expected] of cases) {
    it.live(`is told apart: ${what}`, () =>
      Effect.gen(function* () {
        expect(yield* refuse(status, body)).toMatchObject({ status, ...expected })
      }).pipe(Effect.scoped)
    )
  }

  it.live("of Google carries the wait inside its body, and a wrong key as a bad request", () =>
    Effect.gen(function* () {
      const google = (status: number, error: object) =>
        Effect.gen(function* () {
          const server = yield* LoopbackServer.start((_, response) => LoopbackServer.json(response, status, { error }))
          const env = { GEMINI_API_KEY: testKey }
          return yield* Effect.flip(ask({ kind: "google", model: "gemini-2.5-flash", apiBase: server.url, env }))
        })
      const limited = yield* google(429, {
        code: 429,
        status: "RESOURCE_EXHAUSTED",
        message: "You exceeded your current quota",
        details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.5s" }]
      })
      expect(limited).toMatchObject({ reason: "rate_limited", retryAfterMs: 34_500, isRetryable: true })
      const wrongKey = yield* google(400, { code: 400, status: "INVALID_ARGUMENT", message: "API key not valid." })
      expect(wrongKey).toMatchObject({ reason: "authentication", isRetryable: false })
    }).pipe(Effect.scoped)
  )
})
