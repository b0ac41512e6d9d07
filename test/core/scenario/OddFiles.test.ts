import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { checkScenarioFile, readAnswers, runScenarioFile } from "@agent-arena/core/scenario/RunScenarioFile"
import { graphText } from "@agent-arena/core/scenario/view/GraphText"
import { mermaid } from "@agent-arena/core/scenario/view/Mermaid"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fixture, scenarioOf } from "./plays.ts"

/** A file with a text, in a folder of its own. */
const written = (text: string, name = "odd.yaml") =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "arena-odd-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    ),
    (folder) => {
      const path = join(folder, name)
      writeFileSync(path, text)
      return path
    }
  )

/** Every problem as `line:column message`. */
const problems = (error: {
  readonly issues: ReadonlyArray<{
    readonly message: string
    readonly position: { readonly line: number | null; readonly column: number | null }
  }>
}): ReadonlyArray<string> =>
  error.issues.map(({ message, position }) => `${position.line}:${position.column} ${message}`)

const checked = (text: string, name?: string) =>
  Effect.flatMap(written(text, name), (path) => Effect.map(Effect.flip(checkScenarioFile(path)), problems))

const script = (text: string) => Effect.flatMap(written(text), readAnswers)
const badScript = (text: string) => Effect.map(Effect.flip(script(text)), problems)

describe("a scenario file that is odd", () => {
  it.effect("with two nodes of one name, or a key twice, is refused at the second", () =>
    Effect.gen(function* () {
      const twice = yield* checked("scenario: x\nentry: a\nnodes:\n  a: { prompt: q }\n  a: { prompt: r }\n")
      assert.deepStrictEqual(twice, ['5:3 duplicate key "a", first defined at odd.yaml:4:3'])
      const renamed = yield* checked("scenario: x\nscenario: y\nentry: a\nnodes: { a: { prompt: q } }\n")
      assert.deepStrictEqual(renamed, ['2:1 duplicate key "scenario", first defined at odd.yaml:1:1'])
    })
  )

  it.effect("with numbers that are none is refused, each at its place", () =>
    Effect.gen(function* () {
      const found = yield* checked(
        "scenario: x\nentry: a\nweight: .nan\nnodes:\n  a: { prompt: q, temperature: -1, timeout_s: .inf, max_visits: 1.5 }\n"
      )
      assert.deepStrictEqual(found.map((one) => one.split(" ", 1)[0]).toSorted(), ["3:9", "5:32", "5:47", "5:65"])
    })
  )

  it.effect("empty, of another shape or broken, says what was expected and where", () =>
    Effect.gen(function* () {
      for (const text of ["", "# only a comment\n", "[]\n", "just text\n", "~\n"]) {
        const [first, ...rest] = yield* checked(text)
        assert.match(first ?? "", /^1:1 expected a mapping with scenario, entry and nodes/)
        assert.deepStrictEqual(rest, [])
      }
      assert.match((yield* checked("scenario: x\nnodes: { a: { prompt: q }\n"))[0] ?? "", /^3:1 not valid YAML/)
      assert.match((yield* checked('{"scenario": "x",, }', "odd.json"))[0] ?? "", /^1:\d+ not valid JSON/)
      const entry = yield* checked("scenario: x\nentry: a\nnodes: { __proto__: { prompt: q }, a: { prompt: q } }\n")
      assert.deepStrictEqual(entry, ['3:10 the key "__proto__" is not allowed'])
    })
  )

  it.effect("as large as a program makes it is still checked and played", () =>
    Effect.gen(function* () {
      const count = 2_000
      const ids = Array.from({ length: count }, (_, index) => `n${index}`)
      const text = [
        `scenario: large\nentry: n0\nturn_limit: ${count}\nnodes:`,
        ...ids.map((id) => `  ${id}: { prompt: "${id}?" }`),
        "edges:",
        ...ids.slice(1).map((id, index) => `  - { from: n${index}, to: ${id} }`)
      ].join("\n")
      const path = yield* written(text)
      const answers = ids.map((id) => `to ${id}`)
      const result = yield* runScenarioFile(path, { script: { answers, judge: [] } })
      assert.deepStrictEqual([result.status, result.turns.length], ["completed", count])
      assert.strictEqual(result.turns.at(-1)?.output, `to n${count - 1}`)
    })
  )
})

describe("a script of answers", () => {
  it.effect("is texts as they are written, failures, and answers with what they took", () =>
    Effect.gen(function* () {
      const { answers, judge } = yield* script(
        "answers:\n  - 007\n  - yes\n  - { error: gone }\n  - { text: a, tokens: 3, cost_usd: 0.5, tool_calls: [{ name: f }] }\njudge:\n  - '{\"n\": 1}'\n  - { n: 2 }\n"
      )
      assert.deepStrictEqual(answers, [
        "007",
        "yes",
        { error: "gone" },
        { text: "a", tokens: 3, cost_usd: 0.5, tool_calls: [{ name: "f" }] }
      ])
      assert.deepStrictEqual(judge, ['{"n": 1}', '{"n":2}'])
    })
  )

  it.effect("that holds anything else is refused, every wrong item at its place", () =>
    Effect.gen(function* () {
      const items = yield* badScript(
        "- { text: a, tokens: .5 }\n- { text: a, tokenz: 1 }\n-\n- [a]\n- { error: 5 }\n- { text: a, cost_usd: -1 }\n- { error: x, text: y }\n"
      )
      assert.deepStrictEqual(
        items.map((one) => one.split(" ", 1)[0]),
        ["1:22", "2:14", "3:2", "4:3", "5:3", "6:24", "7:15"]
      )
      const whole = yield* badScript("answers: [a]\njudge: nope\nextra: 1\n")
      assert.deepStrictEqual(
        whole.map((one) => one.split(" ", 1)[0]),
        ["2:8", "3:1"]
      )
      for (const text of ["", "answers:\n", "just text\n"]) {
        assert.match((yield* badScript(text))[0] ?? "", /expected a list of answers/)
      }
    })
  )

  it.effect("that is not there is told without a stack", () =>
    Effect.gen(function* () {
      const found = problems(yield* Effect.flip(readAnswers(fixture("nothing.yaml"))))
      assert.deepStrictEqual(found, ["null:null cannot be read: there is no such file or folder"])
    })
  )
})

describe("a drawing", () => {
  const odd = scenarioOf(
    String.raw`
scenario: "odd \e[31m名"
entry: "é 1"
nodes:
  "é 1": { prompt: "${"x".repeat(97)}\U0001F600\U0001F600\U0001F600" }
  "a\"|]\e[2J": { prompt: "<b> \u202e \n${"y".repeat(53)}\U0001F600\U0001F600" }
edges: [{ from: "é 1", to: "a\"|]\e[2J", when: { parsed.x: { exists: false } } }, { from: "é 1", to: END }]
`.replace("{ parsed.x: { exists: false } }", String.raw`{ output: { contains: "\e[0m#" } }`)
  )

  it("holds nothing that a terminal obeys, and no half characters", () => {
    for (const text of [graphText(odd), mermaid(odd)]) {
      assert.notMatch(text, /[^\P{Cc}\n]|\p{Cf}/u)
      assert.isTrue(text.isWellFormed())
      assert.include(text, "名".repeat(text.startsWith("flowchart") ? 0 : 1))
    }
  })

  it("for Mermaid keeps every label inside its quotes", () => {
    for (const line of mermaid(odd).split("\n")) assert.oneOf(line.split('"').length, [1, 3])
  })
})
