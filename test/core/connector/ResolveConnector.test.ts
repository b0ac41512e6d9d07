import { resolveConnector, resolveModel } from "@agent-arena/core/connector/ResolveConnector"
import * as Target from "@agent-arena/core/connector/Target"
import type { Contestant } from "@agent-arena/core/domain/Contestant"
import { ContestantKey } from "@agent-arena/core/domain/Ids"
import type { ProviderProfile } from "@agent-arena/core/domain/Settings"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

const profile = (id: string, kind: string, fields: Partial<ProviderProfile> = {}): ProviderProfile => ({
  id,
  kind,
  baseUrl: null,
  apiKeyRef: null,
  headers: {},
  timeoutS: null,
  verifyTls: true,
  caFile: null,
  proxy: null,
  modelPrefix: null,
  package: null,
  rateLimit: { rpm: null, tpm: null, concurrency: null, burst: null },
  retry: { attempts: null, backoffS: null },
  params: {},
  position: { file: "config.yaml", line: 1, column: 1 },
  ...fields
})

const project = {
  root: "/project",
  env: { FROM_FILE: "file", BOTH: "file" },
  defaults: { params: { top_p: 0.1, from: "defaults" } },
  providers: [
    profile("gateway", "openai_compatible", {
      baseUrl: "http://gateway/v1",
      modelPrefix: "team/",
      params: { from: "profile", region: "eu" }
    }),
    profile("vertex", "gemini"),
    profile("laptop", "lmstudio"),
    profile("typo", "antropic")
  ]
}

interface Entry {
  readonly provider?: string
  readonly apiBase?: string
  readonly params?: Record<string, unknown>
  readonly kinds?: ReadonlyArray<string>
}

const resolve = (model: string, { provider, apiBase, params, kinds }: Entry = {}) =>
  resolveModel(
    { model, provider: provider ?? null, apiKeyEnv: null, apiBase: apiBase ?? null, params: params ?? {} },
    project,
    { env: { BOTH: "process" }, ...(kinds === undefined ? {} : { kinds }) }
  )

const ok = (model: string, entry: Entry = {}) => Result.getOrThrow(resolve(model, entry))
const words = (model: string, entry: Entry = {}) => Result.getOrThrow(Result.flip(resolve(model, entry))).message

const baseOf = (model: string, entry: Entry = {}) => {
  const { source } = ok(model, entry)
  return source._tag === "Model" ? source.apiBase : null
}

describe("a bare model id", () => {
  it("of a hosted provider goes there", () => {
    for (const [model, kind] of [
      ["claude-opus-5", "anthropic"],
      ["Claude-Haiku-4-5", "anthropic"],
      ["gpt-4o", "openai"],
      ["o3", "openai"],
      ["o4-mini", "openai"],
      ["chatgpt-4o-latest", "openai"],
      ["ft:gpt-4o:acme", "openai"],
      ["gemini-2.5-pro", "google"],
      ["models/gemini-2.5-pro", "google"],
      ["mistral-large-latest", "mistral"],
      ["codestral-latest", "mistral"],
      ["deepseek-chat", "deepseek"],
      ["deepseek-reasoner", "deepseek"],
      ["grok-4", "xai"],
      ["command-r-plus", "cohere"]
    ] as const) {
      assert.strictEqual(ok(model).kind, kind, model)
      assert.strictEqual(baseOf(model), null, model)
      assert.strictEqual(ok(model).model, model)
    }
  })

  it("of a mock keeps its whole name", () => {
    for (const model of ["mock", "mock:small", "mock-fast"]) {
      assert.deepStrictEqual([ok(model).kind, ok(model).model], ["mock", model])
    }
  })

  it("of a local server loses its prefix and gets that server's usual address", () => {
    for (const [model, base] of [
      ["ollama/llama3.2", "http://localhost:11434/v1"],
      ["local/llama3.2", "http://localhost:11434/v1"],
      ["lmstudio/llama3.2", "http://localhost:1234/v1"],
      ["llamacpp/llama3.2", "http://localhost:8080/v1"],
      ["vllm/llama3.2", "http://localhost:8000/v1"]
    ] as const) {
      assert.deepStrictEqual([ok(model).kind, ok(model).model, baseOf(model)], ["openai_compatible", "llama3.2", base])
    }
    assert.strictEqual(ok("vllm/meta-llama/Llama-3").model, "meta-llama/Llama-3")
  })

  it("as Ollama writes it goes to Ollama; a family name alone does not say where", () => {
    for (const model of [
      "llama3.2",
      "qwen2.5:7b",
      "mistral",
      "mistral-small:24b",
      "phi4",
      "smollm2:135m",
      "deepseek-r1:8b"
    ]) {
      assert.deepStrictEqual([ok(model).kind, baseOf(model)], ["openai_compatible", "http://localhost:11434/v1"], model)
    }
    for (const model of ["qwen-max", "llama-3.3-70b-versatile", "gemma-3-27b-it", "something-new"]) {
      assert.include(words(model), `write {model: ${model}, provider: KIND}`)
    }
  })

  it("with a slash must say who serves it", () => {
    assert.include(words("meta-llama/Llama-3.1-8B"), "{model: meta-llama/Llama-3.1-8B, provider: openrouter}")
    assert.include(words("meta-llama/Llama-3.1-8B"), "api_base:")
  })
})

describe("an explicit address or provider", () => {
  it("an api_base means an OpenAI-compatible server, whatever the id", () => {
    for (const model of ["meta-llama/Llama-3.1-8B", "claude-opus-5", "llama3.2", "mock", "anything"]) {
      const config = ok(model, { apiBase: "http://host/v1" })
      assert.deepStrictEqual([config.kind, config.model], ["openai_compatible", model])
      assert.strictEqual(baseOf(model, { apiBase: "http://host/v1" }), "http://host/v1")
    }
    assert.strictEqual(ok("ollama/llama3.2", { apiBase: "http://host/v1" }).model, "llama3.2")
  })

  it("a kind or an alias decides; a provider with its own address keeps it", () => {
    assert.strictEqual(ok("my-finetune", { provider: "openai" }).kind, "openai")
    assert.strictEqual(ok("gemma-3-27b-it", { provider: "gemini" }).kind, "google")
    assert.deepStrictEqual(
      [ok("x", { provider: "lmstudio" }).kind, baseOf("x", { provider: "lmstudio" })],
      ["openai_compatible", "http://localhost:1234/v1"]
    )
    const proxied = ok("claude-opus-5", { provider: "anthropic", apiBase: "http://proxy" })
    assert.strictEqual(proxied.kind, "anthropic")
    assert.include(words("x", { provider: "openai_compatible" }), "api_base")
  })

  it("a profile gives kind, address, prefix and params", () => {
    const config = ok("llama", { provider: "gateway", params: { from: "entry" } })
    assert.strictEqual(config.kind, "openai_compatible")
    assert.strictEqual(config.model, "team/llama")
    assert.strictEqual(ok("team/llama", { provider: "gateway" }).model, "team/llama")
    assert.strictEqual(config.profile?.id, "gateway")
    assert.deepStrictEqual(config.params, { top_p: 0.1, from: "entry", region: "eu" })
    assert.strictEqual(baseOf("llama", { provider: "gateway" }), "http://gateway/v1")
    assert.strictEqual(baseOf("llama", { provider: "gateway", apiBase: "http://own/v1" }), "http://own/v1")
    assert.strictEqual(ok("x", { provider: "vertex" }).kind, "google")
    assert.strictEqual(baseOf("x", { provider: "laptop" }), "http://localhost:1234/v1")
  })

  it("an unknown one is answered with those that exist", () => {
    const unknown = words("x", { provider: "opnai" })
    assert.include(unknown, 'unknown provider "opnai"')
    assert.include(unknown, "anthropic, openai, google")
    assert.include(unknown, "profiles of this project: gateway, vertex, laptop, typo")
    assert.include(unknown, 'did you mean "openai"?')
    assert.include(words("x", { provider: "typo" }), 'profile "typo" has the unknown kind "antropic"')
    assert.include(words("x", { provider: "command" }), "write command: [program, argument]")
  })

  it("a kind that a program registers is known there", () => {
    assert.strictEqual(ok("x", { provider: "house", kinds: ["house"] }).kind, "house")
    assert.include(words("x", { provider: "hause", kinds: ["house"] }), 'did you mean "house"?')
  })
})

describe("a contestant", () => {
  const contestant = (source: Contestant["source"], fields: Partial<Contestant> = {}): Contestant => ({
    key: ContestantKey.make("c"),
    label: "c",
    model: "c",
    source,
    params: { own: true },
    card: null,
    enabled: true,
    exposeReference: false,
    blocking: false,
    position: { file: "config.yaml", line: 1, column: 1 },
    ...fields
  })
  const kindOf = (source: Contestant["source"]) => Result.getOrThrow(resolveConnector(contestant(source), project)).kind

  it("that is a target gets the kind of its form", () => {
    assert.strictEqual(kindOf({ _tag: "Callable", module: "a.ts", exportName: "f" }), "callable")
    assert.strictEqual(kindOf({ _tag: "Command", argv: ["sh"], env: {} }), "command")
    assert.strictEqual(kindOf({ _tag: "Url", url: "http://x", headers: {}, body: null, responsePath: null }), "url")
    const inline = Target.make("mine", () => Effect.succeed("x"))
    assert.strictEqual(Result.getOrThrow(resolveConnector(inline, project)).kind, "inline")
  })

  it("carries what its connector needs from the project", () => {
    const callable = contestant(
      { _tag: "Callable", module: "a.ts", exportName: "f" },
      { exposeReference: true, blocking: true }
    )
    const config = Result.getOrThrow(resolveConnector(callable, project, { env: { BOTH: "process" } }))
    assert.deepStrictEqual([config.root, config.exposeReference, config.blocking], ["/project", true, true])
    assert.deepStrictEqual(config.env, { FROM_FILE: "file", BOTH: "process" })
    assert.deepStrictEqual(config.params, { top_p: 0.1, from: "defaults", own: true })
  })
})
