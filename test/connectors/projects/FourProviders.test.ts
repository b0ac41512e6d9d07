/** One run over four providers, all played by one local server. */
import { layer } from "@agent-arena/connectors/Connectors"
import type { CallResult } from "@agent-arena/core/domain/CallResult"
import { Arena } from "@agent-arena/core/engine/Arena"
import * as Plan from "@agent-arena/core/engine/Plan"
import * as Project from "@agent-arena/core/project/Project"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as AiMock from "../support/AiMock.ts"
import { testKey } from "../support/Calls.ts"
import * as LoopbackServer from "../support/LoopbackServer.ts"
import * as TemporaryFolder from "../support/TemporaryFolder.ts"

const tokens = {
  prompt_tokens: 1000,
  completion_tokens: 10,
  total_tokens: 1010,
  input_tokens: 1000,
  output_tokens: 10,
  promptTokenCount: 1000,
  candidatesTokenCount: 10,
  totalTokenCount: 1010
}

const profile = (kind: string, url: string) => ({ id: `${kind}_here`, kind, base_url: url, api_key: testKey })

const project = (models: ReadonlyArray<unknown>, providers: ReadonlyArray<unknown>, run: object = {}, cases = 6) =>
  Effect.gen(function* () {
    const tests = Array.from({ length: cases }, (_, index) => ({
      id: `c${index}`,
      input: `Where is order ${index}?`,
      expected: "refund"
    }))
    const config = { project: "four", models, providers, run: { concurrency: 8, ...run } }
    const root = yield* TemporaryFolder.make({
      "config.json": JSON.stringify(config),
      "tests.json": JSON.stringify(tests)
    })
    return yield* Project.load(root)
  })

const resultsOf = (loaded: Project.Project) =>
  Plan.make(loaded).pipe(
    Arena.execute,
    Stream.runCollect,
    Effect.map((results): ReadonlyArray<CallResult> => [...results]),
    Effect.provide(Layer.mergeAll(Arena.layerMemory, layer))
  )

it.live("gives right answers, tokens, times and the catalogue's costs", () =>
  Effect.gen(function* () {
    const mock = yield* AiMock.start()
    mock.onMessage("order", { content: "refund", usage: tokens })
    const loaded = yield* project(
      [
        { key: "anthropic", model: "claude-haiku-4-5", provider: "anthropic_here" },
        { key: "openai", model: "gpt-4o-mini", provider: "openai_here" },
        { key: "google", model: "gemini-2.5-flash", provider: "google_here" },
        { key: "local", model: "qwen3:8b", provider: "openai_compatible_here" }
      ],
      ["anthropic", "openai", "google", "openai_compatible"].map((kind) => profile(kind, mock.url))
    )
    // aimock lists models of its own choice; the compatible server of this test serves what it is asked for.
    mock.mount("/v1/models", {
      handleRequest: async (_, response) => {
        LoopbackServer.json(response, 200, { data: [{ id: "qwen3:8b" }] })
        return true
      }
    })
    const results = yield* resultsOf(loaded)
    expect(results.length).toBe(24)
    const costs: Readonly<Record<string, number | null>> = {
      anthropic: (1000 * 1 + 10 * 5) / 1e6,
      openai: (1000 * 0.15 + 10 * 0.6) / 1e6,
      google: (1000 * 0.3 + 10 * 2.5) / 1e6,
      local: null
    }
    for (const result of results) {
      expect(result).toMatchObject({
        status: "ok",
        output: "refund",
        score: 1,
        usage: { prompt: 1000, completion: 10 }
      })
      expect(result.timeToFirstTokenMs).toBeGreaterThan(0)
      expect(result.latencyMs).toBeGreaterThan(result.timeToFirstTokenMs ?? 0)
      const cost = costs[result.contestant] ?? null
      if (cost === null) expect(result.costUsd).toBeNull()
      else expect(result.costUsd).toBeCloseTo(cost, 12)
    }
  }).pipe(Effect.scoped)
)

it.live("a provider under pressure finishes without a failure, and does not hold the other back", () =>
  Effect.gen(function* () {
    const answer = (text: string) => ({
      id: "1",
      model: "m",
      choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }]
    })
    let seen = 0
    const pressed = yield* LoopbackServer.start((request, response) => {
      if (request.method === "GET") return LoopbackServer.json(response, 404, {})
      seen += 1
      // Every third call is refused.
      if (seen % 3 === 0) {
        return LoopbackServer.json(response, 429, { error: { message: "slow down" } }, { "retry-after-ms": "50" })
      }
      LoopbackServer.json(response, 200, answer("refund"))
    })
    const calm = yield* LoopbackServer.start((request, response) =>
      request.method === "GET"
        ? LoopbackServer.json(response, 404, {})
        : LoopbackServer.json(response, 200, answer("refund"))
    )
    const loaded = yield* project(
      [
        { key: "pressed", model: "m", provider: "a" },
        { key: "calm", model: "m", provider: "b" }
      ],
      [
        { id: "a", kind: "openai_compatible", base_url: pressed.url },
        { id: "b", kind: "openai_compatible", base_url: calm.url }
      ],
      { retries: 6, retry_backoff_s: 0.01 },
      12
    )
    const results = yield* resultsOf(loaded)
    expect(results.filter((result) => result.status === "ok").length).toBe(24)
    expect(seen).toBeGreaterThan(12)
    expect(calm.seen.filter((request) => request.method === "POST").length).toBe(12)
  }).pipe(Effect.scoped)
)
