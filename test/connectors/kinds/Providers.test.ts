import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as AiMock from "../support/AiMock.ts"
import { ask, testKey } from "../support/Calls.ts"
import * as LoopbackServer from "../support/LoopbackServer.ts"
import { bundled } from "../support/Providers.ts"

const tokens = {
  prompt_tokens: 21,
  completion_tokens: 3,
  total_tokens: 24,
  input_tokens: 21,
  output_tokens: 3,
  promptTokenCount: 21,
  candidatesTokenCount: 3,
  totalTokenCount: 24
}

describe.each(bundled)("$name", (provider) => {
  it.live("answers with text, tokens and the time to the first of them", () =>
    Effect.gen(function* () {
      const mock = yield* AiMock.start()
      mock.onMessage("order", { content: "refund", usage: tokens })
      const generation = yield* ask(provider.at(mock.url), { system: "Be terse.", maxTokens: 9 })
      expect(generation).toMatchObject({
        text: "refund",
        finishReason: "stop",
        usage: { prompt: 21, completion: 3, cachedRead: null, cachedWrite: null, reasoning: null },
        settingsApplied: ["max_tokens"]
      })
      expect(generation.timeToFirstTokenMs).toBeGreaterThan(0)
      expect(generation.requestId).toMatch(/^req-/)
      expect(mock.getLastRequest()?.body).toMatchObject({
        max_tokens: 9,
        stream: true,
        messages: [
          { role: "system", content: "Be terse." },
          { role: "user", content: "Where is my order?" }
        ]
      })
    }).pipe(Effect.scoped)
  )

  it.live("answers without a stream when told so, and then knows no time to the first token", () =>
    Effect.gen(function* () {
      const mock = yield* AiMock.start()
      mock.onMessage("order", { content: "refund", usage: tokens })
      const generation = yield* ask(provider.at(mock.url), { params: { stream: false } })
      expect(generation).toMatchObject({
        text: "refund",
        timeToFirstTokenMs: null,
        usage: { prompt: 21, completion: 3 }
      })
    }).pipe(Effect.scoped)
  )

  it.live("reports a rate limit with the wait that the server asks for", () =>
    Effect.gen(function* () {
      const mock = yield* AiMock.start()
      mock.onMessage("order", { error: { message: "slow down", type: "rate_limit_error" }, status: 429, retryAfter: 7 })
      const error = yield* Effect.flip(ask(provider.at(mock.url)))
      expect(error).toMatchObject({ _tag: "GenerationError", reason: "rate_limited", status: 429, retryAfterMs: 7000 })
      expect(error).toMatchObject({ detail: "slow down", isRetryable: true })
      expect(mock.getRequests().length).toBe(1)
    }).pipe(Effect.scoped)
  )

  it.live("reports a failure of the server once: only the engine tries again", () =>
    Effect.gen(function* () {
      const mock = yield* AiMock.start()
      mock.onMessage("order", { error: { message: "boom", type: "server_error" }, status: 500 })
      const error = yield* Effect.flip(ask(provider.at(mock.url)))
      expect(error).toMatchObject({ _tag: "GenerationError", reason: "server", status: 500, isRetryable: true })
      expect(mock.getRequests().length).toBe(1)
    }).pipe(Effect.scoped)
  )

  it.live("reports a reply that is not what the API promises", () =>
    Effect.gen(function* () {
      const mock = yield* AiMock.start({ chaos: { malformedRate: 1 } })
      mock.onMessage("order", { content: "refund" })
      const error = yield* Effect.flip(ask(provider.at(mock.url)))
      expect(error).toMatchObject({ _tag: "GenerationError", isRetryable: true })
      expect(["malformed_response", "truncated"]).toContain(error._tag === "GenerationError" ? error.reason : "")
    }).pipe(Effect.scoped)
  )

  it.live("reports a connection that breaks", () =>
    Effect.gen(function* () {
      const mock = yield* AiMock.start({ chaos: { disconnectRate: 1 } })
      mock.onMessage("order", { content: "refund" })
      const error = yield* Effect.flip(ask(provider.at(mock.url)))
      expect(error).toMatchObject({ _tag: "GenerationError", isRetryable: true })
      expect(["connection", "truncated"]).toContain(error._tag === "GenerationError" ? error.reason : "")
    }).pipe(Effect.scoped)
  )

  it.live("closes its socket when it is interrupted", () =>
    Effect.gen(function* () {
      const server = yield* LoopbackServer.start(() => undefined)
      const fiber = yield* Effect.forkChild(ask(provider.at(server.url)), { startImmediately: true })
      yield* server.arrived(1)
      fiber.interruptUnsafe()
      yield* server.closed(1)
      expect(server.sockets.size).toBe(0)
    }).pipe(Effect.scoped)
  )

  it.live("never shows its key, not even when the server repeats it", () =>
    Effect.gen(function* () {
      const server = yield* LoopbackServer.start((seen, response) =>
        LoopbackServer.json(response, 400, {
          error: { message: `cannot read ${JSON.stringify(seen.headers)}`, type: "invalid_request_error" }
        })
      )
      const error = yield* Effect.flip(ask(provider.at(server.url)))
      expect(JSON.stringify(server.seen[0]?.headers)).toContain(testKey)
      expect(error).toMatchObject({
        _tag: "GenerationError",
        reason: "invalid_request",
        status: 400,
        isRetryable: false
      })
      expect(error.message).toContain("cannot read")
      expect(error.message).toContain("***")
      expect(JSON.stringify(error)).not.toContain(testKey)
    }).pipe(Effect.scoped)
  )

  it.live("says which variable is missing before anything is called", () =>
    Effect.gen(function* () {
      const options = provider.at("http://127.0.0.1:9")
      const error = yield* Effect.flip(ask({ ...options, env: {} }))
      const name = Object.keys(options.env ?? {})[0]
      expect(error).toMatchObject({ _tag: "ConnectorError", detail: `${name} is not set` })
      expect(error.message).toContain(`export ${name}=`)
    }).pipe(Effect.scoped)
  )
})
