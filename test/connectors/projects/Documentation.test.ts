/** Every config in docs/providers.md loads, and says itself what it still needs. */
import * as fs from "node:fs"
import * as path from "node:path"
import { layer } from "@agent-arena/connectors/Connectors"
import { Arena } from "@agent-arena/core/engine/Arena"
import * as Project from "@agent-arena/core/project/Project"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TemporaryFolder from "../support/TemporaryFolder.ts"

const page = fs.readFileSync(path.join(import.meta.dirname, "../../../docs/providers.md"), "utf8")
const tlsAuthority = fs.readFileSync(path.join(import.meta.dirname, "../support/tls/ca.pem"), "utf8")
const blocks = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? "")

/** Variables that would make a contestant ready to call a real provider. */
const clearKeys = Effect.acquireRelease(
  Effect.sync(() => {
    const names = Object.keys(process.env).filter((name) => /_API_KEY$|^AWS_|^AZURE_|^CO_API|^OLLAMA_/.test(name))
    const kept = names.map((name) => [name, process.env[name]] as const)
    for (const name of names) delete process.env[name]
    return kept
  }),
  (kept) =>
    Effect.sync(() => {
      for (const [name, value] of kept) process.env[name] = value
    })
)

const reasonsOf = (config: string) =>
  Effect.gen(function* () {
    yield* clearKeys
    const root = yield* TemporaryFolder.make({
      // A project in which nobody can run is refused as a whole, so somebody can. Every config ends with its models.
      "config.yaml": `project: doc\n${config}  - { key: present, model: "mock:oracle" }\n`,
      "certificates/company.pem": tlsAuthority,
      "tests.yaml": "tests:\n  - { id: a, input: hello, expected: hello }\n"
    })
    const loaded = yield* Project.load(root)
    const readiness = yield* Arena.check(loaded)
    return readiness.contestants.flatMap(({ key, skipped }) => (key === "present" ? [] : [skipped ?? "ready"]))
  }).pipe(Effect.provide(Layer.mergeAll(Arena.layerMemory, layer)), Effect.scoped)

/** What a machine without keys, packages and servers is told. */
const expected: ReadonlyArray<ReadonlyArray<RegExp>> = [
  [/^ANTHROPIC_API_KEY is not set/],
  [/^OPENAI_API_KEY is not set/, /^OPENAI_API_KEY is not set/],
  [/^GEMINI_API_KEY is not set/],
  [/11434\/v1|^ready$/, /1234\/v1/, /8000\/v1/, /8080\/v1/],
  [/^EXAMPLE_KEY is not set/],
  [/^AZURE_API_KEY is not set/],
  [/^AZURE_API_KEY is not set/],
  [/^AWS_REGION is not set/],
  [
    /^MISTRAL_API_KEY is not set/,
    /^GROQ_API_KEY is not set/,
    /^XAI_API_KEY is not set/,
    /^DEEPSEEK_API_KEY is not set/,
    /^OPENROUTER_API_KEY is not set/,
    /^COHERE_API_KEY is not set/
  ],
  [/^provider fireworks: FIREWORKS_API_KEY is not set/],
  [/^provider gateway: GATEWAY_KEY is not set/]
]

describe("docs/providers.md", () => {
  it("has a config for each of the expectations below", () => {
    expect(blocks.length).toBe(expected.length)
  })

  for (const [index, patterns] of expected.entries()) {
    it.live(`config ${index + 1} is understood`, () =>
      Effect.gen(function* () {
        const reasons = yield* reasonsOf(blocks[index] ?? "")
        expect(reasons.length).toBe(patterns.length)
        for (const [position, pattern] of patterns.entries()) expect(reasons[position]).toMatch(pattern)
      })
    )
  }
})
