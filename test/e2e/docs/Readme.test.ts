/** What README.md shows is what happens. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Connectors from "@agent-arena/connectors/Connectors"
import * as Project from "@agent-arena/core/project/Project"
import * as Effect from "effect/Effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { arena, build, folders, root } from "../cli/arena.ts"
import { withoutKeys } from "../projects/ExampleRun.ts"
import { blocks, pages } from "./pages.ts"

const { clean, make } = folders()
beforeAll(build)
afterAll(clean)

const readme = pages.find(({ path }) => path === "README.md") ?? { path: "README.md", text: "" }

/** Of the row of a contestant what does not depend on the clock: its accuracy (the first percentage) and its status. */
const rowOf = (table: string, name: string): ReadonlyArray<string> => {
  const row = table.split("\n").find((line) => new RegExp(`^ *\\d? +${name}`).test(line)) ?? ""
  return [/[\d.]+ %/.exec(row)?.[0] ?? "no accuracy", row.split(/ {2,}/).at(-1) ?? "no status"]
}

/** A line that does not depend on the clock, by its beginning. */
const lineOf = (table: string, beginning: string): string | undefined =>
  table.split("\n").find((line) => line.startsWith(beginning))

describe("README.md", () => {
  it("shows the first leaderboard as `npm start` prints it", async () => {
    const scripts = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts
    const [program, ...args] = scripts.start.split(" ")
    assert.strictEqual(program, "arena")
    const { code, stderr, stdout } = await arena([...args, "--quiet", "--no-report", "--output-dir", make()], {
      env: withoutKeys
    })
    assert.strictEqual(code, 0, stderr)
    const [shown = ""] = blocks(readme, "text")
    const title = (table: string) => /^.*? cells /.exec(table)?.[0]
    assert.strictEqual(title(shown), title(stdout))
    for (const name of ["eld", "tinyld", "word.list", "franc"]) {
      const row = rowOf(stdout, name)
      assert.match(row.join(), /\d/)
      assert.deepStrictEqual(rowOf(shown, name), row, name)
    }
    assert.strictEqual(rowOf(stdout, "franc")[1], "DISQUALIFIED")
    assert.strictEqual(rowOf(shown, "gpt_5_mini")[1], "no data")
    assert.strictEqual(lineOf(shown, "✗"), lineOf(stdout, "✗"))
    assert.include(lineOf(stdout, "· gpt_5_mini"), lineOf(shown, "· gpt_5_mini"))
    assert.match(shown, /^Verdict: `eld` is the winner: /m)
    assert.match(stdout, /^Verdict: `eld` is the winner: /m)
  })

  it("shows a config and cases that load", async () => {
    const [config = "", tests = ""] = blocks(readme, "yaml")
    const folder = make({
      "config.yaml": config,
      "tests.yaml": tests,
      "rules.ts": "export const classify = (prompt: string) => (prompt.includes('charged') ? 'billing' : 'account')\n"
    })
    const project = await Effect.runPromise(Project.load(folder).pipe(Effect.provide(Connectors.layer)))
    assert.deepStrictEqual(project.warnings, [])
    assert.strictEqual(project.contestants.length, 4)
  })

  it("shows a program that docs/library.md has, too", () => {
    const library = pages.find(({ path }) => path === "docs/library.md")
    const [program = ""] = blocks(readme, "ts")
    const lines = blocks(library ?? readme, "ts")[0]?.split("\n") ?? []
    for (const line of program.split("\n")) assert.include(lines, line)
  })

  it("lists the exit codes that `arena run --help` lists", async () => {
    const { stdout } = await arena(["run", "--help"])
    const listed = /Exit codes: (.*)\./.exec(stdout)?.[1]?.match(/\d+/g)
    const shown = [...readme.text.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => code)
    assert.deepStrictEqual(shown, listed?.map(String))
  })
})
