import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Params } from "@agent-arena/core/domain/TestCase"
import { builtinScorers } from "@agent-arena/core/scoring/BuiltinScorers"
import { scoreCell } from "@agent-arena/core/scoring/CellScore"
import * as ScorerRegistry from "@agent-arena/core/scoring/ScorerRegistry"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { caseOf, cellOf, judge } from "./judging.ts"
import { folderOf, importModule, registerModule } from "./projects.ts"

const guide = readFileSync(new URL("../../../docs/scorers.md", import.meta.url), "utf8")

const sectionOf = (name: string): string => {
  const [, body = ""] = guide.split(`\n## ${name}\n`)
  return body.split("\n## ")[0] ?? ""
}

/** The rows of the table with this heading, as cells. */
const rows = (section: string, heading: string): ReadonlyArray<ReadonlyArray<string>> => {
  const lines = section.split("\n")
  const start = lines.indexOf(heading)
  if (start === -1) return []
  const end = lines.findIndex((line, index) => index > start && !line.startsWith("|"))
  return lines.slice(start + 2, end === -1 ? lines.length : end).map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll("\\|", "|"))
  )
}

const json = (cell: string | undefined): unknown => JSON.parse((cell ?? "").replace(/^`|`$/g, ""))

const params = (cell: string | undefined): Params => {
  if (cell === undefined || cell === "") return {}
  const value = json(cell)
  return typeof value === "object" && value !== null ? { ...value } : {}
}

describe("docs/scorers.md", () => {
  for (const scorer of builtinScorers) {
    it(`lists the params of ${scorer.name} as they are`, () => {
      const listed = rows(sectionOf(scorer.name), "| Param | Values | Default | Meaning |")
      const actual = (scorer.params ?? []).map(({ description, fallback, name, type }) => [
        `\`${name}\``,
        type,
        fallback ?? "",
        description
      ])
      assert.deepStrictEqual(
        listed.map(([name, type, fallback, meaning]) => [name, type, fallback, meaning?.replace(/ Also `\w+`\.$/, "")]),
        actual
      )
      assert.isNotEmpty(sectionOf(scorer.name))
    })

    const examples = rows(sectionOf(scorer.name), "| Answer | Reference | Params | Score |")
    it.live.each(examples.map((cells) => [...cells]))(`${scorer.name}: %s and %s with %s give %s`, (cells) =>
      Effect.gen(function* () {
        const [answer, reference, given, expected] = cells
        const score = yield* judge(scorer, String(json(answer)), json(reference), params(given))
        assert.strictEqual(String(score.score), expected)
      })
    )
  }

  it.effect("shows files that a project can have as they are", () =>
    Effect.gen(function* () {
      const blocks = [...sectionOf("Your own scorers").matchAll(/```ts\n\/\/ (scorers\/\w+\.ts):.*\n([\s\S]*?)```/g)]
      const files = blocks.map(([, file = "", text = ""]) => [file, text.replace("@agent-arena/core", registerModule)])
      const root = yield* folderOf(Object.fromEntries(files))
      const settings = { default: "exact_match", paths: [join(root, "scorers")], options: {} }
      const registry = yield* ScorerRegistry.make({ root, settings, customScorers: [], importModule })
      const scoreOf = Effect.fnUntraced(function* (name: string, answer: string, reference: string, given: Params) {
        const testCase = caseOf(name, reference, given)
        return yield* scoreCell(registry.bind(testCase), { output: answer, testCase, cell: cellOf() })
      })
      assert.strictEqual((yield* scoreOf("polite", "Please wait.", "", {})).score, 1)
      assert.strictEqual((yield* scoreOf("short", "four", "", { limit: 3 })).score, 0)
      assert.strictEqual((yield* scoreOf("long", "four", "eightfol", {})).score, 0.5)
      assert.strictEqual((yield* scoreOf("shouting", "NO", "", {})).score, 1)
    })
  )

  it("shows examples of every scorer that needs no model and no person", () => {
    for (const { name } of builtinScorers) {
      if (name === "llm_judge" || name === "manual") continue
      assert.isNotEmpty(rows(sectionOf(name), "| Answer | Reference | Params | Score |"), name)
    }
  })
})
