import { splitCommand } from "@agent-arena/core/project/config/CommandLine"
import * as EnvFile from "@agent-arena/core/project/EnvFile"
import * as JsonScan from "@agent-arena/core/project/source/JsonScan"
import * as JsonTree from "@agent-arena/core/project/source/JsonTree"
import * as SourceText from "@agent-arena/core/project/source/SourceText"
import * as YamlTree from "@agent-arena/core/project/source/YamlTree"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { type Files, folder, loadFrom, models } from "./folders.ts"

/** Loading ends with a project or with the typed error; anything else would fail the test. */
const loads = (files: Files) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const root = yield* folder(files)
        const outcome = yield* Effect.result(loadFrom(root))
        if (outcome._tag === "Success") return true
        assert.strictEqual(outcome.failure._tag, "ProjectError")
        assert.isAbove(outcome.failure.message.length, 0)
        return false
      })
    )
  )

const anyBytes = fc.uint8Array({ maxLength: 200 })
const anyText = fc.string({ unit: "binary", maxLength: 200 })
const pieces = (...words: ReadonlyArray<string>) =>
  fc
    .array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 4 })), { maxLength: 40 })
    .map((parts) => parts.join(""))

const yamlText = pieces(
  "- ",
  "id: ",
  "input: ",
  "tests:\n",
  "\n",
  "\n  ",
  "a",
  "'",
  '"',
  "[",
  "]",
  "{",
  "}",
  "&x ",
  "*x",
  "<<: ",
  "|\n",
  "#",
  ": ",
  "!t ",
  "1",
  "---\n",
  "? "
)
const jsonText = pieces('{"', '": ', '"', "[", "]", "}", ", ", "1", "null", "\\u00", "\n", '"input": "x"', "-", "e")
const csvText = pieces("id", "input", ",", '"', '""', "\n", "\r\n", "\r", "metadata.a", "weight", "1", ";", "params.x")
const configText = pieces(
  "models: [mock:a]\n",
  "run: ",
  "trials: ",
  "{",
  "}",
  "tests: ",
  "metrics: ",
  "weights: ",
  "a: 1",
  "\n",
  "\n  ",
  "[",
  "]",
  "- ",
  "x",
  ": ",
  "null",
  "1",
  "true"
)

const run = (arbitrary: fc.Arbitrary<string | Uint8Array>, name: string) => async () => {
  await fc.assert(
    fc.asyncProperty(arbitrary, async (content) => {
      await loads(
        name === "config.yaml"
          ? { [name]: content, "tests.yaml": "- {input: x}\n" }
          : { "config.yaml": models, [name]: content }
      )
    }),
    { numRuns: 25 }
  )
}

describe("loading never throws anything but the typed error", () => {
  for (const extension of ["yaml", "json", "jsonl", "csv", "tsv"]) {
    it(`whatever bytes a .${extension} file has`, run(anyBytes, `tests.${extension}`))
    it(`whatever text a .${extension} file has`, run(anyText, `tests.${extension}`))
  }
  it("YAML-like cases", run(yamlText, "tests.yaml"))
  it("JSON-like cases", run(jsonText, "tests.json"))
  it("JSON-like lines", run(jsonText, "tests.jsonl"))
  it("CSV-like cases", run(csvText, "tests.csv"))
  it("config-like configs", run(configText, "config.yaml"))
  it("any config", run(anyBytes, "config.yaml"))
  it("any .env", () => {
    fc.assert(fc.property(anyText, (text) => void EnvFile.parse(text)))
  })
  it("any value of a setting", async () => {
    const setting = fc.tuple(
      fc.constantFrom(
        "project",
        "models",
        "targets",
        "providers",
        "defaults",
        "run",
        "budgets",
        "metrics",
        "constraints",
        "statistics",
        "watch",
        "tests",
        "scorers",
        "judge",
        "hooks",
        "pricing",
        "output"
      ),
      fc.json({ maxDepth: 3 })
    )
    await fc.assert(
      fc.asyncProperty(fc.array(setting, { maxLength: 4 }), async (settings) => {
        const config = settings.map(([key, value]) => `${JSON.stringify(key)}: ${value}`)
        await loads({ "config.json": `{${config.join(", ")}}`, "tests.yaml": "- {input: x}\n" })
      }),
      { numRuns: 80 }
    )
  })
})

describe("JSON", () => {
  const json = fc.json({ maxDepth: 4 })

  /** Integers that JavaScript cannot hold are kept as text. */
  const exact = (_: string, value: unknown) =>
    typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21
      ? String(value)
      : value

  it("is read as JSON.parse reads it", () => {
    fc.assert(
      fc.property(json, (text) => {
        const result = JsonTree.parse(text)
        // Arbitrary objects may have keys that are refused.
        if ("value" in result) assert.deepStrictEqual(result.value, JSON.parse(text, exact))
        else assert.include(result.problem.message, "__proto__")
      })
    )
  })

  it("is refused exactly where JSON.parse refuses it, within the text", () => {
    fc.assert(
      fc.property(fc.oneof(json, anyText, jsonText), fc.nat(), fc.string({ maxLength: 2 }), (text, at, patch) => {
        const broken = text.slice(0, at % (text.length + 1)) + patch + text.slice(at % (text.length + 1))
        let valid = true
        try {
          JSON.parse(broken)
        } catch {
          valid = false
        }
        const fault = JsonScan.fault(broken)
        assert.strictEqual(fault === null, valid, broken)
        if (fault !== null) assert.isTrue(fault.offset >= 0 && fault.offset <= broken.length)
      }),
      { numRuns: 1000 }
    )
  })

  it("values are found where they stand", () => {
    const path = (value: unknown, seeds: ReadonlyArray<number>): ReadonlyArray<string | number> => {
      const [seed, ...rest] = seeds
      if (seed === undefined || typeof value !== "object" || value === null) return []
      const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
      const key = keys[seed % Math.max(1, keys.length)]
      return key === undefined ? [] : [key, ...path(Reflect.get(value, key), rest)]
    }
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 4 }),
        fc.array(fc.nat(), { maxLength: 4 }),
        fc.constantFrom(0, 2),
        (value, seeds, space) => {
          const text = JSON.stringify(value, null, space)
          const parsed: unknown = JSON.parse(text)
          const way = path(parsed, seeds)
          const { value: offset } = JsonScan.locate(text, way)
          const expected = JSON.stringify(
            way.reduce<unknown>((node, key) => Reflect.get(Object(node), key), parsed),
            null,
            space
          )
          const plain = (part: string) => part.replaceAll(/\n */g, "")
          assert.isTrue(plain(text.slice(offset)).startsWith(plain(expected)), text)
        }
      )
    )
  })
})

describe("YAML", () => {
  it("reads JSON as the same values, at the same places", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = JSON.stringify([value], null, 2)
        const source = SourceText.make("f", text)
        const [yaml, json] = [YamlTree.make(source), JsonTree.make(source)]
        if (!("value" in yaml) || !("value" in json)) return
        if (yaml.problems.length > 0) return
        assert.deepStrictEqual(yaml.value, json.value)
        assert.deepStrictEqual(yaml.at([0]), json.at([0]))
      })
    )
  })
})

describe("CSV", () => {
  const cell = fc.string({ unit: fc.constantFrom("a", "é", '"', ",", "\n", "\r\n", " ", ";", "#"), maxLength: 6 })
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

  it("gives back what was written, with the line on which each row begins", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 6 }),
        fc.constantFrom("\n", "\r\n"),
        (rows, newline) =>
          Effect.runPromise(
            Effect.scoped(
              Effect.gen(function* () {
                const lines = rows.map(([input, note]) => [quoted(`x${input}`), quoted(`y${note}`)].join(","))
                const text = ["input,metadata.note", ...lines].join(newline)
                const root = yield* folder({ "config.yaml": models, "tests.csv": text })
                const { cases } = yield* loadFrom(root)
                assert.deepStrictEqual(
                  cases.map(({ messages, metadata }) => [messages[0].content, metadata["note"]]),
                  rows.map(([input, note]) => [`x${input}`, `y${note}`])
                )
                let line = 2
                for (const [index, { position }] of cases.entries()) {
                  assert.strictEqual(position.line, line)
                  line += (lines[index] ?? "").split("\n").length
                }
              })
            )
          )
      ),
      { numRuns: 25 }
    )
  })
})

describe("commands", () => {
  it("that are quoted word by word are split into the same words", () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 5 }), (words) => {
        const text = words.map((word) => `"${word.replaceAll(/["\\]/g, "\\$&")}"`).join("  ")
        assert.deepStrictEqual(splitCommand(text), words)
      })
    )
  })
})
