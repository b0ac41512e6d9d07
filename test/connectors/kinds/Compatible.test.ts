import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ask, connect, testKey } from "../support/Calls.ts"
import * as LoopbackServer from "../support/LoopbackServer.ts"

const chunk = (delta: unknown, rest: object = {}) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "qwen3:8b-served",
  choices: [{ index: 0, delta, finish_reason: null }],
  ...rest
})

const end = (usage?: unknown) => [
  chunk({}, { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
  ...(usage === undefined ? [] : [chunk({}, { choices: [], usage })]),
  "[DONE]"
]

const answering =
  (usage?: unknown): LoopbackServer.Handler =>
  (seen, response) => {
    if (seen.path === "/v1/models") return LoopbackServer.json(response, 200, { data: [{ id: "qwen3:8b" }] })
    LoopbackServer.events(
      response,
      [chunk({ role: "assistant", content: "ref" }), chunk({ content: "und" }), ...end(usage)],
      {
        "x-request-id": "req-7"
      }
    )
    response.end()
  }

it.live("streams an answer and keeps what the server said about it", () =>
  Effect.gen(function* () {
    const server = yield* LoopbackServer.start(answering({ prompt_tokens: 11, completion_tokens: 2, total_tokens: 13 }))
    const generation = yield* ask(
      { kind: "ollama", model: "qwen3:8b", apiBase: server.url },
      { system: "Answer with one word.", temperature: 0, maxTokens: 5, seed: 7, params: { top_p: 0.9, num_ctx: 4096 } }
    )
    expect(generation).toMatchObject({
      text: "refund",
      servedModel: "qwen3:8b-served",
      responseId: "chatcmpl-1",
      requestId: "req-7",
      finishReason: "stop",
      usage: { prompt: 11, completion: 2, cachedRead: null, cachedWrite: null, reasoning: null }
    })
    expect(generation.timeToFirstTokenMs).toBeGreaterThan(0)
    expect([...generation.settingsApplied].sort()).toEqual(["max_tokens", "num_ctx", "seed", "temperature", "top_p"])
    const sent = JSON.parse(server.seen[0]?.body ?? "")
    expect(server.seen[0]?.path).toBe("/v1/chat/completions")
    expect(sent).toMatchObject({
      model: "qwen3:8b",
      messages: [
        { role: "system", content: "Answer with one word." },
        { role: "user", content: "Where is my order?" }
      ],
      temperature: 0,
      max_tokens: 5,
      seed: 7,
      top_p: 0.9,
      num_ctx: 4096,
      stream: true,
      stream_options: { include_usage: true }
    })
  }).pipe(Effect.scoped)
)

it.live("leaves tokens unknown when the server does not count them", () =>
  Effect.gen(function* () {
    const server = yield* LoopbackServer.start(answering())
    const generation = yield* ask({ kind: "ollama", model: "qwen3:8b", apiBase: server.url })
    expect(generation.usage).toEqual({
      prompt: null,
      completion: null,
      cachedRead: null,
      cachedWrite: null,
      reasoning: null
    })
    expect(generation.costUsd).toBeNull()
  }).pipe(Effect.scoped)
)

it.live("reports a wrong key without showing it", () =>
  Effect.gen(function* () {
    const server = yield* LoopbackServer.start((seen, response) =>
      LoopbackServer.json(response, 401, { error: { message: `bad key ${seen.headers.authorization}`, type: "auth" } })
    )
    const options = {
      kind: "vllm",
      model: "m",
      apiBase: server.url,
      apiKeyEnv: "GATEWAY_KEY",
      env: { GATEWAY_KEY: testKey }
    }
    const error = yield* Effect.flip(ask(options))
    expect(error).toMatchObject({
      _tag: "GenerationError",
      reason: "authentication",
      status: 401,
      detail: "bad key Bearer ***"
    })
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${testKey}`)
  }).pipe(Effect.scoped)
)

it.live("tells before a run what a server does not serve", () =>
  Effect.gen(function* () {
    const server = yield* LoopbackServer.start(answering())
    const present = yield* connect({ kind: "ollama", model: "qwen3", apiBase: server.url })
    expect(yield* present.healthCheck).toBeNull()
    const absent = yield* connect({ kind: "ollama", model: "llama3.3", apiBase: `${server.url}/v1/chat/completions` })
    expect(yield* absent.healthCheck).toBe(
      `${server.url}/v1 does not serve llama3.3; it serves qwen3:8b; get it with \`ollama pull llama3.3\``
    )
    expect(server.seen.map((one) => one.path)).toEqual(["/v1/models", "/v1/models"])
  }).pipe(Effect.scoped)
)

it.live("closes the socket of a call that is interrupted", () =>
  Effect.gen(function* () {
    const server = yield* LoopbackServer.start((_, response) =>
      LoopbackServer.events(response, [chunk({ content: "I" })])
    )
    const fiber = yield* Effect.forkChild(ask({ kind: "vllm", model: "m", apiBase: server.url }), {
      startImmediately: true
    })
    yield* server.arrived(1)
    yield* Effect.sync(() => fiber.interruptUnsafe())
    yield* server.closed(1)
    expect(server.sockets.size).toBe(0)
  }).pipe(Effect.scoped)
)
