/** docs/config.md against the published schemas: the same keys, the same defaults, and examples that load. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Connectors from "@agent-arena/connectors/Connectors"
import * as Project from "@agent-arena/core/project/Project"
import * as Effect from "effect/Effect"
import { afterAll, assert, describe, it } from "vitest"
import { folders, root } from "../cli/arena.ts"

interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly $defs?: Readonly<Record<string, JsonSchema>>
  readonly description?: string
}

const read = (path: string): string => readFileSync(join(root, path), "utf8")
const page = read("docs/config.md")
const config: JsonSchema = JSON.parse(read("docs/schema/config.schema.json"))
const tests: JsonSchema = JSON.parse(read("docs/schema/tests.schema.json"))

/** The form of a value that has keys: through references, lists and alternatives. */
const withKeys = (schema: JsonSchema, document: JsonSchema): JsonSchema | null => {
  if (schema.properties !== undefined) return schema
  const name = schema.$ref?.replace("#/$defs/", "")
  const next = [document.$defs?.[name ?? ""], schema.items, ...(schema.anyOf ?? [])]
  for (const candidate of next) {
    const found = candidate === undefined ? null : withKeys(candidate, document)
    if (found !== null) return found
  }
  return null
}

const at = (document: JsonSchema, ...path: ReadonlyArray<string>): JsonSchema => {
  let schema: JsonSchema | null = document
  for (const key of path) schema = withKeys(schema?.properties?.[key] ?? {}, document)
  assert.isNotNull(schema, path.join("."))
  return schema
}

const definition = (document: JsonSchema, name: string): JsonSchema => document.$defs?.[name] ?? {}
const caseFile = tests.anyOf?.find(({ properties }) => properties !== undefined) ?? {}
const card = definition(config, "Card")
const provider = definition(config, "Provider")

/** Which part of a schema each heading of the page is about. */
const sections: Readonly<Record<string, JsonSchema>> = {
  "config.yaml": config,
  "Contestants: models and targets": definition(config, "Contestant"),
  Providers: provider,
  "Rate limits": withKeys(provider.properties?.["rate_limit"] ?? {}, config) ?? {},
  Retries: withKeys(provider.properties?.["retry"] ?? {}, config) ?? {},
  Defaults: at(config, "defaults"),
  Run: at(config, "run"),
  Budgets: at(config, "budgets"),
  Metrics: at(config, "metrics"),
  "One metric": definition(config, "Metric"),
  Constraints: at(config, "constraints"),
  Privacy: at(config, "constraints", "privacy"),
  Deployment: at(config, "constraints", "deployment"),
  Statistics: at(config, "statistics"),
  Watch: at(config, "watch"),
  Tests: at(config, "tests"),
  Scorers: at(config, "scorers"),
  Judge: at(config, "judge"),
  Hooks: at(config, "hooks"),
  Pricing: at(config, "pricing"),
  Cards: card,
  "Price tiers": withKeys(card.properties?.["prompt_tiers"] ?? {}, config) ?? {},
  Output: at(config, "output"),
  "Case files": caseFile,
  Cases: definition(tests, "Case"),
  "Several scorers": definition(tests, "CaseScorer"),
  Messages: definition(tests, "Message"),
  "Parts of a message": definition(tests, "ContentPart")
}

interface Row {
  readonly keys: ReadonlyArray<string>
  readonly fallback: string
}

/** The rows of the tables of keys, by heading. */
const documented = new Map(
  page.split(/^#+ /m).flatMap((section) => {
    const heading = section.slice(0, section.indexOf("\n"))
    const rows = [...section.matchAll(/^\| (`[^|]+`) \|(.*)\|$/gm)].flatMap(([, names = "", rest = ""]): Array<Row> => {
      const cells = rest.split(/(?<!\\)\|/).map((cell) => cell.trim())
      const keys = [...names.matchAll(/`([^`]+)`/g)].map(([, key = ""]) => key)
      return cells.length === 3 ? [{ keys, fallback: cells[1] ?? "" }] : []
    })
    return rows.length === 0 ? [] : [[heading, rows] as const]
  })
)

/** What the schema says about the default of a key. */
const defaultOf = (schema: JsonSchema, key: string): string =>
  /Default: (.*)\.$/.exec(schema.properties?.[key]?.description ?? "")?.[1] ?? ""

describe("docs/config.md", () => {
  it("has a table for every mapping of the schemas", () => {
    assert.sameMembers([...documented.keys()], Object.keys(sections))
  })

  it.each(Object.entries(sections))("%s: lists exactly the keys there are, with their defaults", (heading, schema) => {
    const rows = documented.get(heading) ?? []
    assert.sameMembers(
      rows.flatMap(({ keys }) => keys),
      Object.keys(schema.properties ?? {})
    )
    for (const { fallback, keys } of rows) assert.strictEqual(fallback, defaultOf(schema, keys[0] ?? ""), keys[0])
  })

  it("gives the defaults of a case file the keys of a case", () => {
    const shared = Object.keys(definition(tests, "CaseDefaults").properties ?? {})
    const keys = (documented.get("Cases") ?? []).flatMap((row) => row.keys)
    const [first, last] = [keys.indexOf("eval_type"), keys.indexOf("metadata")]
    assert.deepStrictEqual(keys.slice(first, last + 1), shared)
  })
})

describe("the examples of docs/config.md", () => {
  const { clean, make } = folders()
  afterAll(clean)
  const examples = [...page.matchAll(/^```\w+ (config\.yaml|tests\.\w+)\n([\s\S]*?)^```$/gm)].map(
    ([, file = "", text = ""], index) => ({ name: `${index + 1}, ${file}`, file, text })
  )
  const module = /^```ts (hooks\.ts)\n([\s\S]*?)^```$/m.exec(page)

  it.each(examples)("example $name loads", async ({ file, text }) => {
    const folder = make()
    const files: Readonly<Record<string, string>> = {
      "config.yaml": "models: [mock:oracle]\n",
      ...(file === "config.yaml" ? { "tests.yaml": "- { input: one, expected: one, tags: [easy] }\n" } : {}),
      "cases/a.yaml": "- { input: two, expected: two, tags: [hard] }\n- { input: three, tags: [easy, draft] }\n",
      "more.csv": "id,input,tags\nfour,four,easy\n",
      "rules.ts": "export const classify = (prompt: string) => prompt\n",
      [module?.[1] ?? "hooks.ts"]: module?.[2] ?? "",
      [file]: text
    }
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), content)
    }
    const project = await Effect.runPromise(Project.load(folder).pipe(Effect.provide(Connectors.layer)))
    assert.deepStrictEqual(project.warnings, [])
    assert.isNotEmpty(project.cases)
  })

  it("are all of them", () => {
    assert.strictEqual(examples.length, page.match(/^```(yaml|jsonl|csv)/gm)?.length)
  })
})
