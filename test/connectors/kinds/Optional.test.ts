import { createRequire } from "node:module"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as AiMock from "../support/AiMock.ts"
import { ask, profile, testKey } from "../support/Calls.ts"
import * as LoopbackServer from "../support/LoopbackServer.ts"
import { optional } from "../support/Providers.ts"
import * as TemporaryFolder from "../support/TemporaryFolder.ts"

const isInstalled = (name: string): boolean => {
  try {
    createRequire(import.meta.url).resolve(name)
    return true
  } catch {
    return false
  }
}

// Which packages are there depends on who installed this workspace; both cases are promises to keep.
const missing = optional.filter((provider) => provider.package !== null && !isInstalled(provider.package))
const present = optional.filter((provider) => provider.package === null || isInstalled(provider.package))

describe("a provider whose package a project installs", () => {
  for (const provider of missing) {
    it.live(`${provider.name}: says what to install`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(ask(provider.at("http://127.0.0.1:9")))
        expect(error).toMatchObject({
          _tag: "ConnectorError",
          detail: `the package ${provider.package} is not installed`,
          suggestion: expect.stringMatching(new RegExp(`^npm i ${provider.package}@\\d+$`))
        })
      }).pipe(Effect.scoped)
    )
  }

  for (const provider of present) {
    it.live(`${provider.name}: answers`, () =>
      Effect.gen(function* () {
        const mock = yield* AiMock.start()
        mock.onMessage("order", { content: "refund" })
        const generation = yield* ask(provider.at(mock.url), { system: "Be terse.", params: { stream: false } })
        expect(generation.text).toBe("refund")
        expect(JSON.stringify(mock.getLastRequest()?.body)).toContain("Be terse.")
      }).pipe(Effect.scoped)
    )
  }
})

describe("azure and bedrock", () => {
  it.live("say which variables are missing", () =>
    Effect.gen(function* () {
      const azure = yield* Effect.flip(ask({ kind: "azure", model: "gpt-4o", env: { AZURE_API_KEY: testKey } }))
      expect(azure).toMatchObject({ _tag: "ConnectorError", detail: "AZURE_RESOURCE_NAME is not set" })
      const region = yield* Effect.flip(ask({ kind: "bedrock", model: "m", env: {} }))
      expect(region).toMatchObject({ detail: "AWS_REGION is not set" })
      const env = { AWS_REGION: "eu-west-1", AWS_ACCESS_KEY_ID: "AKIA0123456789" }
      const secret = yield* Effect.flip(ask({ kind: "bedrock", model: "m", env }))
      expect(secret).toMatchObject({ detail: "AWS_SECRET_ACCESS_KEY is not set" })
    }).pipe(Effect.scoped)
  )
})

const talkingPackage = `
export const version = "1.0.0"
export const createAcmeTools = () => { throw new Error("not this one") }
export function createAcme({ apiKey, baseURL, headers, fetch }) {
  const languageModel = (modelId) => ({
    specificationVersion: "v4",
    provider: "acme.chat",
    modelId,
    supportedUrls: {},
    async doGenerate() { throw new Error("streams only") },
    async doStream({ prompt, topK, providerOptions, abortSignal }) {
      const body = JSON.stringify({ modelId, prompt, acme: providerOptions?.acme })
      const response = await fetch(baseURL + "/talk", {
        method: "POST", body, signal: abortSignal, headers: { ...headers, "x-acme-key": apiKey }
      })
      const { text } = await response.json()
      const stream = new ReadableStream({
        start(controller) {
          controller.enqueue({ type: "stream-start", warnings: topK ? [{ type: "unsupported", feature: "topK" }] : [] })
          controller.enqueue({ type: "text-delta", id: "1", delta: text })
          controller.enqueue({
            type: "finish",
            finishReason: { unified: "stop", raw: "done" },
            usage: {
              inputTokens: { total: 4, noCache: undefined, cacheRead: 0, cacheWrite: undefined },
              outputTokens: { total: 2, text: undefined, reasoning: 0 }
            }
          })
          controller.close()
        }
      })
      return { stream, request: { body } }
    }
  })
  return Object.assign(() => { throw new Error("use languageModel") }, { languageModel })
}
`

const project = (source: string) =>
  TemporaryFolder.make({
    "package.json": "{}",
    "node_modules/@acme/provider/package.json": JSON.stringify({
      name: "@acme/provider",
      type: "module",
      exports: { ".": { import: "./index.js" } }
    }),
    "node_modules/@acme/provider/index.js": source
  })

const acme = (root: string, url: string) => ({
  kind: "ai-sdk",
  model: "acme-1",
  root,
  apiKeyEnv: "ACME_KEY",
  env: { ACME_KEY: testKey },
  profile: profile({ kind: "ai-sdk", package: "@acme/provider", baseUrl: url })
})

describe("any AI SDK provider by package name", () => {
  it.live("is loaded from the project's folder and talks over the arena's own connections", () =>
    Effect.gen(function* () {
      const root = yield* project(talkingPackage)
      const server = yield* LoopbackServer.start((_, response) =>
        LoopbackServer.json(response, 200, { text: "refund" })
      )
      const generation = yield* ask(acme(root, server.url), { params: { top_k: 3, mood: "calm" } })
      expect(generation).toMatchObject({
        text: "refund",
        usage: { prompt: 4, completion: 2, cachedRead: null, reasoning: null },
        settingsApplied: ["mood"],
        settingsDropped: ["top_k"]
      })
      expect(server.seen[0]?.headers["x-acme-key"]).toBe(testKey)
      expect(JSON.parse(server.seen[0]?.body ?? "")).toMatchObject({ modelId: "acme-1", acme: { mood: "calm" } })
    }).pipe(Effect.scoped)
  )

  it.live("tells of a param that the package did not send", () =>
    Effect.gen(function* () {
      const root = yield* project(talkingPackage.replace(", acme: providerOptions?.acme", ""))
      const server = yield* LoopbackServer.start((_, response) =>
        LoopbackServer.json(response, 200, { text: "refund" })
      )
      const generation = yield* ask(acme(root, server.url), { params: { mood: "calm" } })
      expect(generation.settingsApplied).toEqual([])
      expect(generation.settingsDropped).toEqual(["mood: not sent by the provider's package"])
    }).pipe(Effect.scoped)
  )

  it.live("refuses a package of another specification, and says what to do", () =>
    Effect.gen(function* () {
      const root = yield* project(talkingPackage.replace('"v4"', '"v2"'))
      const error = yield* Effect.flip(ask(acme(root, "http://127.0.0.1:9")))
      expect(error).toMatchObject({
        detail: "@acme/provider makes models of specification v2; specification v4 (AI SDK 7) is needed",
        suggestion: "npm i @acme/provider"
      })
    }).pipe(Effect.scoped)
  )

  it.live("says why a package refuses its settings, without the key that it repeats", () =>
    Effect.gen(function* () {
      const root = yield* project("export const createAcme = ({ apiKey }) => { throw new Error('bad key ' + apiKey) }")
      expect(yield* Effect.flip(ask(acme(root, "http://127.0.0.1:9")))).toMatchObject({
        detail: "@acme/provider refuses its settings: bad key ***"
      })
    }).pipe(Effect.scoped)
  )

  it.live("says why a package cannot be used", () =>
    Effect.gen(function* () {
      const broken = yield* project("throw new Error('half installed')")
      expect(yield* Effect.flip(ask(acme(broken, "http://127.0.0.1:9")))).toMatchObject({
        detail: "@acme/provider cannot be loaded: half installed"
      })
      const foreign = yield* project("export const answer = 42")
      expect(yield* Effect.flip(ask(acme(foreign, "http://127.0.0.1:9")))).toMatchObject({
        detail: "@acme/provider exports no function that creates a provider"
      })
      const nothing = yield* TemporaryFolder.make({ "package.json": "{}" })
      expect(yield* Effect.flip(ask(acme(nothing, "http://127.0.0.1:9")))).toMatchObject({
        detail: "the package @acme/provider is not installed",
        suggestion: "npm i @acme/provider"
      })
      const unnamed = { ...acme(nothing, "http://127.0.0.1:9"), profile: profile({ kind: "ai-sdk" }) }
      expect(yield* Effect.flip(ask(unnamed))).toMatchObject({ detail: "kind ai-sdk needs a package" })
    }).pipe(Effect.scoped)
  )
})
