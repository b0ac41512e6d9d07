/** What of a request reaches the wire, checked on the body that a server receives. */
import type { GenerationRequest } from "@agent-arena/core/domain/Generation"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ask, type ModelConfig, testKey } from "../support/Calls.ts"
import * as LoopbackServer from "../support/LoopbackServer.ts"
import * as TemporaryFolder from "../support/TemporaryFolder.ts"

const completion = {
  id: "1",
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "refund" }, finish_reason: "stop" }]
}

/** What a compatible server received, and what came of the call. */
const send = (fields: Partial<GenerationRequest>, options: Partial<ModelConfig> = {}) =>
  Effect.gen(function* () {
    const server = yield* LoopbackServer.start((_, response) => LoopbackServer.json(response, 200, completion))
    const generation = yield* ask({ kind: "vllm", model: "m", apiBase: server.url, ...options }, fields)
    return { generation, body: JSON.parse(server.seen[0]?.body ?? "{}") }
  })

describe("a request", () => {
  it.live("carries the common settings under the names of the API", () =>
    Effect.gen(function* () {
      const { body, generation } = yield* send({
        temperature: 0.3,
        maxTokens: 64,
        seed: 9,
        params: {
          top_p: 0.9,
          stop: "END",
          presence_penalty: 0.1,
          frequency_penalty: 0.2,
          reasoning_effort: "low"
        }
      })
      expect(body).toMatchObject({
        temperature: 0.3,
        max_tokens: 64,
        seed: 9,
        top_p: 0.9,
        stop: ["END"],
        presence_penalty: 0.1,
        frequency_penalty: 0.2,
        reasoning_effort: "low"
      })
      expect(generation.settingsDropped).toEqual([])
      expect(new Set(generation.settingsApplied)).toEqual(
        new Set([
          "temperature",
          "max_tokens",
          "seed",
          "top_p",
          "stop",
          "presence_penalty",
          "frequency_penalty",
          "reasoning_effort"
        ])
      )
    }).pipe(Effect.scoped)
  )

  it.live("leaves out what nobody asked for", () =>
    Effect.gen(function* () {
      const { body } = yield* send({})
      expect(Object.keys(body).sort()).toEqual(["messages", "model", "stream", "stream_options"])
    }).pipe(Effect.scoped)
  )

  it.live("records what the provider does not take", () =>
    Effect.gen(function* () {
      const { body, generation } = yield* send({ params: { top_k: 5 } })
      expect(body).not.toHaveProperty("top_k")
      expect(generation.settingsApplied).toEqual([])
      expect(generation.settingsDropped).toEqual(["top_k"])
    }).pipe(Effect.scoped)
  )

  it.live("passes unknown params through untouched, and merges maps", () =>
    Effect.gen(function* () {
      const { body } = yield* send({
        params: { options: { num_ctx: 8192 }, guided_regex: "a|b", stream_options: { continuous: true } }
      })
      expect(body).toMatchObject({
        options: { num_ctx: 8192 },
        guided_regex: "a|b",
        stream_options: { include_usage: true, continuous: true }
      })
    }).pipe(Effect.scoped)
  )

  it.live("keeps the turns of a conversation, with the system prompt before them", () =>
    Effect.gen(function* () {
      const { body } = yield* send({
        system: "Be terse.",
        messages: [
          { role: "user", content: "Hi" },
          { role: "assistant", content: "Hello" },
          { role: "system", content: "Now in French." },
          { role: "user", content: [{ type: "text", text: "Where is it?" }] }
        ]
      })
      expect(body.messages).toEqual([
        { role: "system", content: "Be terse." },
        { role: "user", content: "Hi" },
        { role: "assistant", content: "Hello" },
        { role: "system", content: "Now in French." },
        { role: "user", content: "Where is it?" }
      ])
    }).pipe(Effect.scoped)
  )

  it.live("refuses a param of the wrong type before anything is sent", () =>
    Effect.gen(function* () {
      const server = yield* LoopbackServer.start((_, response) => LoopbackServer.json(response, 200, completion))
      const options = { kind: "vllm", model: "m", apiBase: server.url }
      const wrong: ReadonlyArray<readonly [string, unknown, string]> = [
        ["top_p", "high", "params.top_p must be a number"],
        ["stop", [1], "params.stop must be a text or a list of texts"],
        [
          "reasoning_effort",
          "huge",
          "params.reasoning_effort must be one of none, minimal, low, medium, high, xhigh, max"
        ],
        ["response_format", 7, "params.response_format must be `json`, `text`, or a JSON Schema"],
        ["tools", {}, "params.tools must be a list"],
        ["provider_options", { openai: 1 }, "params.provider_options must be a map of provider names to maps"]
      ]
      for (const [name, value, detail] of wrong) {
        const error = yield* Effect.flip(ask(options, { params: { [name]: value } }))
        expect(error).toMatchObject({ reason: "invalid_request", detail, isRetryable: false })
      }
      expect(server.seen.length).toBe(0)
    }).pipe(Effect.scoped)
  )
})

describe("structured output", () => {
  const schema = { type: "object", properties: { label: { type: "string" } }, required: ["label"] }
  const forms: ReadonlyArray<readonly [string, unknown]> = [
    ["a bare schema", schema],
    ["the form of OpenAI", { type: "json_schema", json_schema: { name: "response", schema } }],
    ["a short form", { type: "json", schema, name: "response" }]
  ]
  for (const [what, response_format] of forms) {
    it.live(`is asked for with ${what}`, () =>
      Effect.gen(function* () {
        const { body, generation } = yield* send({ params: { response_format } })
        expect(body.response_format).toMatchObject({ type: "json_schema", json_schema: { schema, name: "response" } })
        expect(generation.settingsApplied).toEqual(["response_format"])
      }).pipe(Effect.scoped)
    )
  }

  it.live("without a schema asks for any JSON", () =>
    Effect.gen(function* () {
      expect((yield* send({ params: { response_format: "json" } })).body.response_format).toEqual({
        type: "json_object"
      })
      const openai = { response_format: { type: "json_object" } }
      expect((yield* send({ params: openai })).body.response_format).toEqual({ type: "json_object" })
      expect((yield* send({ params: { response_format: "text" } })).body).not.toHaveProperty("response_format")
    }).pipe(Effect.scoped)
  )
})

describe("tools", () => {
  it.live("are offered, and the calls of the model are kept", () =>
    Effect.gen(function* () {
      const server = yield* LoopbackServer.start((_, response) =>
        LoopbackServer.json(response, 200, {
          ...completion,
          choices: [
            {
              index: 0,
              finish_reason: "tool_calls",
              message: {
                role: "assistant",
                content: null,
                tool_calls: [
                  { id: "call_1", type: "function", function: { name: "lookup", arguments: '{"id":7}' } },
                  { id: "call_2", type: "function", function: { name: "lookup", arguments: '{"id":8}' } }
                ]
              }
            }
          ]
        })
      )
      const parameters = { type: "object", properties: { id: { type: "number" } } }
      const params = {
        tools: [{ type: "function", function: { name: "lookup", description: "Finds an order", parameters } }],
        tool_choice: "required"
      }
      const generation = yield* ask({ kind: "vllm", model: "m", apiBase: server.url }, { params })
      expect(generation).toMatchObject({
        text: "",
        finishReason: "tool_calls",
        toolCalls: [
          { id: "call_1", name: "lookup", input: { id: 7 } },
          { id: "call_2", name: "lookup", input: { id: 8 } }
        ]
      })
      expect(JSON.parse(server.seen[0]?.body ?? "")).toMatchObject({
        tools: [{ type: "function", function: { name: "lookup", description: "Finds an order", parameters } }],
        tool_choice: "required"
      })
    }).pipe(Effect.scoped)
  )
})

describe("a filter of tools", () => {
  const tool = (name: string) => ({ type: "function", function: { name } })
  const tools = [tool("files__read"), tool("mcp__files__delete"), { name: "find", server: "web" }, tool("plain")]
  const offered = (params: Readonly<Record<string, unknown>>) =>
    Effect.map(send({ params }), ({ body }) => ({
      names: body.tools?.map((one: { function: { name: string } }) => one.function.name),
      body
    }))

  it.live("takes tools away by server and name, and is not sent itself", () =>
    Effect.gen(function* () {
      const one = yield* offered({ tools, tool_filter: { remove: [{ server: "files", tool: "delete" }] } })
      expect(one.names).toEqual(["files__read", "find", "plain"])
      expect(one.body).not.toHaveProperty("tool_filter")
      expect(JSON.stringify(one.body)).not.toContain("server")
      const all = yield* offered({ tools, tool_filter: { remove: [{ server: "files" }, { server: "web" }] } })
      expect(all.names).toEqual(["plain"])
      expect((yield* offered({ tools, tool_filter: { remove: [{ server: "file" }] } })).names).toHaveLength(4)
    }).pipe(Effect.scoped)
  )

  it.live("that leaves no tool leaves no choice of one", () =>
    Effect.gen(function* () {
      const params = {
        tools: [tool("files__read")],
        tool_choice: "required",
        tool_filter: { remove: [{ server: "files" }] }
      }
      const { body } = yield* offered(params)
      expect(body).not.toHaveProperty("tools")
      expect(body).not.toHaveProperty("tool_choice")
    }).pipe(Effect.scoped)
  )
})

describe("attachments", () => {
  const pixel = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
    "base64"
  )

  it.live("from the project's folder and from the web are sent with the text", () =>
    Effect.gen(function* () {
      const root = yield* TemporaryFolder.make({ "cases/pixel.png": pixel })
      const { body } = yield* send(
        {
          messages: [
            {
              role: "user",
              content: [
                { type: "text", text: "What is this?" },
                { type: "image", path: "cases/pixel.png" },
                { type: "image", url: "https://example.com/cat.jpg" }
              ]
            }
          ]
        },
        { root }
      )
      const [text, local, remote] = body.messages[0].content
      expect(text).toEqual({ type: "text", text: "What is this?" })
      expect(local.image_url.url).toMatch(/^data:image\/png;base64,/)
      expect(remote.image_url.url).toBe("https://example.com/cat.jpg")
    }).pipe(Effect.scoped)
  )

  it.live("that cannot be read are an error of the case, and nothing is sent", () =>
    Effect.gen(function* () {
      const server = yield* LoopbackServer.start((_, response) => LoopbackServer.json(response, 200, completion))
      const options = { kind: "vllm", model: "m", apiBase: server.url }
      const part = (fields: object) =>
        [{ role: "user" as const, content: [{ type: "image" as const, ...fields }] }] as const
      const missing = yield* Effect.flip(ask(options, { messages: part({ path: "nowhere.png" }) }))
      expect(missing).toMatchObject({ reason: "invalid_request", isRetryable: false })
      expect(missing.message).toContain("the attachment nowhere.png does not exist")
      const empty = yield* Effect.flip(ask(options, { messages: part({}) }))
      expect(empty.message).toContain("needs a path or a valid url")
      expect(server.seen.length).toBe(0)
    }).pipe(Effect.scoped)
  )
})

describe("params of single providers", () => {
  const anthropicReply: LoopbackServer.Handler = (_, response) =>
    LoopbackServer.json(response, 200, {
      type: "message",
      id: "msg_1",
      model: "claude-sonnet-5",
      role: "assistant",
      content: [{ type: "text", text: "refund" }],
      stop_reason: "end_turn",
      usage: { input_tokens: 3, output_tokens: 1 }
    })

  it.live("anthropic: effort and task_budget go under output_config, others to the top", () =>
    Effect.gen(function* () {
      const server = yield* LoopbackServer.start(anthropicReply)
      const env = { ANTHROPIC_API_KEY: testKey, ANTHROPIC_BASE_URL: server.url }
      yield* ask(
        { kind: "anthropic", model: "claude-sonnet-5", env },
        { params: { effort: "low", task_budget: { type: "tokens", total: 9 }, service_tier: "auto", stream: false } }
      )
      const body = JSON.parse(server.seen[0]?.body ?? "")
      expect(body.output_config).toMatchObject({ effort: "low", task_budget: { type: "tokens", total: 9 } })
      expect(body.service_tier).toBe("auto")
      expect(server.seen[0]?.path).toBe("/v1/messages")
      expect(server.seen[0]?.headers["x-api-key"]).toBe(testKey)
    }).pipe(Effect.scoped)
  )

  it.live("google: they belong to the generation config, but for those of the request", () =>
    Effect.gen(function* () {
      const server = yield* LoopbackServer.start((_, response) =>
        LoopbackServer.json(response, 200, {
          candidates: [{ content: { parts: [{ text: "refund" }] }, finishReason: "STOP" }],
          usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2, thoughtsTokenCount: 7 },
          modelVersion: "gemini-2.5-flash-002",
          responseId: "g1"
        })
      )
      const generation = yield* ask(
        { kind: "google", model: "gemini-2.5-flash", apiBase: server.url, env: { GEMINI_API_KEY: testKey } },
        { params: { responseModalities: ["TEXT"], labels: { team: "a" }, stream: false } }
      )
      const body = JSON.parse(server.seen[0]?.body ?? "")
      expect(body.generationConfig.responseModalities).toEqual(["TEXT"])
      expect(body.labels).toEqual({ team: "a" })
      expect(generation).toMatchObject({
        text: "refund",
        usage: { prompt: 5, completion: 9, reasoning: 7, cachedRead: null, cachedWrite: null }
      })
    }).pipe(Effect.scoped)
  )

  it.live("openai: token_param and send_temperature steer the body and are not sent", () =>
    Effect.gen(function* () {
      const server = yield* LoopbackServer.start((_, response) => LoopbackServer.json(response, 200, completion))
      yield* ask(
        { kind: "openai", model: "gpt-4o", apiBase: server.url, env: { OPENAI_API_KEY: testKey } },
        {
          maxTokens: 5,
          temperature: 0.2,
          params: { token_param: "max_completion_tokens", send_temperature: false, stream: false }
        }
      )
      const body = JSON.parse(server.seen[0]?.body ?? "")
      expect(body).toMatchObject({ max_completion_tokens: 5 })
      for (const name of ["max_tokens", "temperature", "token_param", "send_temperature"]) {
        expect(body).not.toHaveProperty(name)
      }
    }).pipe(Effect.scoped)
  )

  it.live("provider_options go to the provider's package as they are", () =>
    Effect.gen(function* () {
      const server = yield* LoopbackServer.start((_, response) => LoopbackServer.json(response, 200, completion))
      yield* ask(
        { kind: "openai", model: "gpt-4o", apiBase: server.url, env: { OPENAI_API_KEY: testKey } },
        { params: { provider_options: { openai: { user: "u-1" } }, stream: false } }
      )
      expect(JSON.parse(server.seen[0]?.body ?? "")).toMatchObject({ user: "u-1" })
    }).pipe(Effect.scoped)
  )
})
