import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { decodeEntry, decodeFrame } from "@agent-arena/core/project/cases/CaseFile"
import * as ConfigFile from "@agent-arena/core/project/config/ConfigFile"
import { configJsonSchema, testsJsonSchema } from "@agent-arena/core/project/JsonSchema"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import fc from "fast-check"
import { parse } from "yaml"
import { isValid } from "./jsonSchemaCheck.ts"

const fixtures = fileURLToPath(new URL("../../fixtures/projects", import.meta.url))

const filesOf = (pattern: RegExp): ReadonlyArray<readonly [string, unknown]> =>
  readdirSync(fixtures, { recursive: true, encoding: "utf8" })
    .filter((name) => pattern.test(name))
    .map((name) => [name, parse(readFileSync(`${fixtures}/${name}`, "utf8"), { merge: true })])

const caseFileFits = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.every((entry) => Result.isSuccess(decodeEntry(entry)))
  const frame = decodeFrame(value)
  return (
    Result.isSuccess(frame) &&
    [frame.success.tests, frame.success.cases, frame.success.test_cases].every((list) =>
      (list ?? []).every((entry) => Result.isSuccess(decodeEntry(entry)))
    )
  )
}

/** Every description in a schema, and how many properties have none. */
const undescribed = (schema: unknown, path: string): ReadonlyArray<string> => {
  if (typeof schema !== "object" || schema === null) return []
  return Object.entries(schema).flatMap(([key, part]) => {
    if (key !== "properties") return undescribed(part, `${path}/${key}`)
    return Object.entries(part as Record<string, Record<string, unknown>>).flatMap(([name, property]) => [
      ...(typeof property["description"] === "string" || property["type"] !== undefined ? [] : [`${path}/${name}`]),
      ...undescribed(property, `${path}/${name}`)
    ])
  })
}

describe("the published JSON Schemas", () => {
  it("are of the 2020-12 draft and plain JSON", () => {
    for (const schema of [configJsonSchema, testsJsonSchema]) {
      assert.strictEqual(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
      assert.deepStrictEqual(JSON.parse(JSON.stringify(schema)), schema)
    }
  })

  it("accept the example projects", () => {
    const configs = filesOf(/(?:^|\/)(?:config|arena)\.(?:ya?ml|json)$/)
    const cases = filesOf(/(?:^|\/)(?:test[^/]*|cases|tickets|[ab])\.(?:ya?ml|json)$/)
    assert.isAtLeast(configs.length, 8)
    assert.isAtLeast(cases.length, 7)
    for (const [name, config] of configs) assert.isTrue(isValid(configJsonSchema, config), name)
    for (const [name, file] of cases) assert.isTrue(isValid(testsJsonSchema, file), name)
  })

  it("reject unknown keys, wrong types and ranges", () => {
    const wrong = [
      { constraint: {} },
      { run: { trials: 0 } },
      { run: { trials: "3" } },
      { models: [{ model: "a", colour: "red" }] },
      { metrics: { cost: { direction: "up" } } },
      { output: { formats: ["pdf"] } },
      { constraints: { min_accuracy: 2 } },
      { pricing: { models: { a: { input: -1 } } } }
    ]
    for (const config of wrong) assert.isFalse(isValid(configJsonSchema, config), JSON.stringify(config))
    for (const file of [
      [{ wieght: 1 }],
      { tests: [{ id: {} }] },
      { tets: [] },
      [{ messages: [{ role: "x", content: "" }] }]
    ]) {
      assert.isFalse(isValid(testsJsonSchema, file), JSON.stringify(file))
    }
  })

  it("know every alias, and say what every key is for", () => {
    for (const config of [
      { name: "a", models: [{ id: "x", base_url: "y" }], run: { timeout_s: 1 } },
      { constraints: { privacy_required: "dpa", deployment: { features: [] } } },
      { metrics: { directions: { cost: "lower" }, normalize: { cost: "budget" }, targets: { cost: 1 } } }
    ]) {
      assert.isTrue(isValid(configJsonSchema, config), JSON.stringify(config))
    }
    assert.deepStrictEqual(undescribed(configJsonSchema, ""), [])
    assert.deepStrictEqual(undescribed(testsJsonSchema, ""), [])
  })

  const value = fc.oneof(
    fc.constantFrom(0, 1, -1, 0.5, 200, true, false, null, "", "x", "max", "raw", "user", "stop"),
    fc.array(fc.constantFrom("x", 1, null, "json"), { maxLength: 2 }),
    fc.dictionary(
      fc.constantFrom("accuracy", "model", "required", "direction", "x"),
      fc.constantFrom(1, "x", "min", true),
      {
        maxKeys: 2
      }
    )
  )
  const keys = (schema: unknown): ReadonlyArray<string> => {
    if (typeof schema !== "object" || schema === null) return []
    return Object.entries(schema).flatMap(([key, part]) =>
      key === "properties" ? Object.keys(part as object) : keys(part)
    )
  }

  it("agree with the decoder of configs", () => {
    const topKeys = Object.keys(configJsonSchema["properties"] as object)
    const inner = fc.constantFrom(...new Set(keys(Object.values(configJsonSchema["properties"] as object))), "zzz")
    const block = fc.oneof(
      value,
      fc.dictionary(inner, value, { maxKeys: 3 }),
      fc.array(fc.dictionary(inner, value, { maxKeys: 3 }), { maxLength: 2 })
    )
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...topKeys, "zzz"), block, { maxKeys: 3 }), (config) => {
        assert.strictEqual(
          isValid(configJsonSchema, config),
          Result.isSuccess(ConfigFile.decode(config)),
          JSON.stringify(config)
        )
      }),
      { numRuns: 1500 }
    )
  })

  it("agree with the decoder of cases", () => {
    const names = fc.constantFrom(...new Set(keys(testsJsonSchema)), "zzz")
    const entry = fc.oneof({ weight: 4, arbitrary: fc.dictionary(names, value, { maxKeys: 3 }) }, value)
    const file = fc.oneof(
      fc.array(entry, { maxLength: 2 }),
      fc.dictionary(
        fc.constantFrom("tests", "cases", "defaults", "zzz"),
        fc.oneof(value, fc.array(entry, { maxLength: 2 }), entry),
        { maxKeys: 2 }
      )
    )
    fc.assert(
      fc.property(file, (content) => {
        assert.strictEqual(isValid(testsJsonSchema, content), caseFileFits(content), JSON.stringify(content))
      }),
      { numRuns: 1500 }
    )
  })
})
