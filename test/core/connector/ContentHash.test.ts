import { createHash } from "node:crypto"
import { contestantHash } from "@agent-arena/core/connector/ContestantHash"
import { canonicalJson, ofBytes, ofValue } from "@agent-arena/core/domain/ContentHash"
import type { ProviderProfile } from "@agent-arena/core/domain/Settings"
import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { configOf, mockConfig } from "./requests.ts"

/** The same data with the keys of every object in the opposite order. */
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, entry]) => [key, reversed(entry)])
  )
}

describe("canonical JSON", () => {
  it("sorts keys, drops what is undefined, and writes numbers in one way", () => {
    assert.strictEqual(
      canonicalJson({ b: [1.0, -0, 1e21], a: { d: undefined, c: null } }),
      '{"a":{"c":null},"b":[1,0,1e+21]}'
    )
    assert.strictEqual(canonicalJson("é\n\u2028"), JSON.stringify("é\n\u2028"))
    assert.strictEqual(canonicalJson(new Date(0)), '"1970-01-01T00:00:00.000Z"')
    assert.strictEqual(canonicalJson([undefined, () => 1]), "[null,null]")
  })

  it("keeps apart what JSON would confuse", () => {
    const values = [null, Number.NaN, Number.POSITIVE_INFINITY, "NaN", 1n, 1, "1", new Map([["a", 1]]), { a: 1 }, []]
    assert.strictEqual(new Set(values.map(ofValue)).size, values.length)
  })

  it("never writes a secret", () => {
    assert.notInclude(canonicalJson({ key: Redacted.make("s3cret-value") }), "s3cret-value")
  })

  it.prop("is JSON of equal value", [Schema.Json], ([value]) => {
    assert.deepStrictEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)))
  })

  it.prop("does not depend on the order of keys", [Schema.Json], ([value]) => {
    assert.strictEqual(ofValue(reversed(value)), ofValue(value))
  })

  it.prop("differs where values differ", [Schema.Json, Schema.Json], ([a, b]) => {
    const isSame = canonicalJson(a) === canonicalJson(b)
    assert.strictEqual(ofValue(a) === ofValue(b), isSame)
  })

  it("is hashed with SHA-256 over UTF-8", () => {
    const expected = createHash("sha256").update('{"a":"é"}', "utf8").digest("hex")
    assert.strictEqual(ofValue({ a: "é" }), expected)
    assert.strictEqual(ofBytes(new TextEncoder().encode('{"a":"é"}')), expected)
  })
})

describe("the hash of a contestant", () => {
  const profile: ProviderProfile = {
    id: "gateway",
    kind: "openai_compatible",
    baseUrl: "http://localhost:1/v1",
    apiKeyRef: Redacted.make("sk-literal-1"),
    headers: { Authorization: Redacted.make("Bearer literal-1"), "x-mode": Redacted.make("fast") },
    timeoutS: null,
    verifyTls: true,
    caFile: null,
    proxy: null,
    modelPrefix: null,
    package: null,
    rateLimit: { rpm: 10, tpm: null, concurrency: null, burst: null },
    retry: { attempts: null, backoffS: null },
    params: {},
    position: { file: "config.yaml", line: 3, column: 1 }
  }
  const hash = (fields: Partial<ProviderProfile> = {}) =>
    contestantHash(configOf({ kind: "openai_compatible", profile: { ...profile, ...fields } }), null, null)

  it("changes with whatever can change an answer or its price", () => {
    const base = contestantHash(mockConfig("mock:a"), null, null)
    assert.strictEqual(contestantHash(mockConfig("mock:a", {}), null, null), base)
    assert.notStrictEqual(contestantHash(mockConfig("mock:b"), null, null), base)
    assert.notStrictEqual(contestantHash(mockConfig("mock:a", { seed: 1 }), null, null), base)
    assert.notStrictEqual(contestantHash(mockConfig("mock:a"), { inputUsdPerMtok: 1 }, null), base)
    assert.notStrictEqual(contestantHash(mockConfig("mock:a"), null, "abc"), base)
    assert.notStrictEqual(hash({ baseUrl: "http://localhost:2/v1" }), hash())
    assert.notStrictEqual(hash({ headers: { ...profile.headers, "x-mode": Redacted.make("slow") } }), hash())
  })

  it("does not change with a key, a limit, or the place in the file", () => {
    assert.strictEqual(hash({ apiKeyRef: Redacted.make("sk-literal-2") }), hash())
    assert.strictEqual(
      hash({ headers: { ...profile.headers, Authorization: Redacted.make("Bearer literal-2") } }),
      hash()
    )
    assert.strictEqual(hash({ rateLimit: { rpm: 99, tpm: null, concurrency: null, burst: null } }), hash())
    assert.strictEqual(hash({ position: { file: "config.yaml", line: 9, column: 1 } }), hash())
  })

  it("does not change with a secret of an address or of a program's variables, but with what else they say", () => {
    const url = (address: string) =>
      contestantHash(
        configOf({ source: { _tag: "Url", url: address, headers: {}, body: null, responsePath: null } }),
        null,
        null
      )
    assert.strictEqual(
      url("https://me:first@example.org/a?api_key=1"),
      url("https://me:second@example.org/a?api_key=2")
    )
    assert.notStrictEqual(url("https://me:first@example.org/a?v=1"), url("https://me:first@example.org/a?v=2"))
    assert.strictEqual(hash({ baseUrl: "https://me:first@host/v1" }), hash({ baseUrl: "https://me:second@host/v1" }))
    const command = (env: Record<string, string>) =>
      contestantHash(configOf({ source: { _tag: "Command", argv: ["x"], env } }), null, null)
    assert.strictEqual(command({ API_KEY: "first" }), command({ API_KEY: "second" }))
    assert.notStrictEqual(command({ MODE: "first" }), command({ MODE: "second" }))
  })

  it("knows a key by the name of its reference", () => {
    const named = (name: string) => hash({ apiKeyRef: Redacted.make(`\${env:${name}}`) })
    assert.notStrictEqual(named("KEY_A"), named("KEY_B"))
  })
})
