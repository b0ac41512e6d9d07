import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { closeTmux, openArena } from "../tui/Tmux.ts"
import { arena, build, folders } from "./arena.ts"

const { clean, make } = folders()
beforeAll(build)
afterAll(() => {
  closeTmux()
  clean()
})

const config = `project: letters
models:
  - { key: kind, model: "mock:kind", params: { mode: fixed, text: "Dear customer, gladly." } }
  - { key: curt, model: "mock:curt", params: { mode: fixed, text: "=no" } }
run: { trials: 2 }
output: { formats: [markdown, json] }
`
const tests = `tests:
  - { id: a, input: "May I return it?", scorer: manual, params: { rubric: "Is it polite?" } }
  - { id: b, input: "Where is it?", expected: gladly, scorers: [{ type: manual, weight: 3 }, { type: contains, weight: 1 }] }
`

/** A project whose only run waits for a person. */
const ungraded = async () => {
  const folder = make({ "config.yaml": config, "tests.yaml": tests })
  const run = await arena(["run", folder])
  assert.strictEqual(run.code, 0, run.stderr)
  const [, id = ""] = /(run_\d+_\d+_[0-9a-f]+)/.exec(run.stdout) ?? []
  return { folder, id, run }
}

const json = async (args: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await arena([...args, "--json"])
  assert.strictEqual(code, 0, `${stdout}${stderr}`)
  return JSON.parse(stdout)
}

const accuracies = async (folder: string) => {
  const { leaderboard } = await json(["report", folder])
  return Object.fromEntries(
    leaderboard.entries.map((entry: { key: string; metrics: { accuracy: { raw: number | null } } }) => [
      entry.key,
      entry.metrics.accuracy.raw
    ])
  )
}

describe("arena grade", () => {
  it("says what waits, writes it blind, takes it back and ranks anew", async () => {
    const { folder, id, run } = await ungraded()
    assert.include(run.stderr, `8 answers wait for a grade: arena grade ${folder} ${id}`)
    assert.deepStrictEqual(await accuracies(folder), { kind: null, curt: null })
    const sheet = join(folder, "grades.csv")
    assert.deepInclude(await json(["grade", folder, "--export", sheet]), { answers: 4 })
    const written = readFileSync(sheet, "utf8")
    assert.notMatch(written, /kind|curt/)
    assert.include(written, "Is it polite?")
    assert.include(written, ",'=no,", "a spreadsheet must not execute an answer")
    const filled = written
      .split("\n")
      .map((line) => (line.includes("Dear") ? line.replace(/,,$/, ",pass,friendly") : line.replace(/,,$/, ",0.2,curt")))
    writeFileSync(sheet, filled.join("\n"))
    assert.deepInclude(await json(["grade", folder, id, "--set", sheet, "--by", "ada"]), { graded: 8, waiting: 0 })
    const after = await accuracies(folder)
    // A weighs 1; of b three parts are the person's and one is the scorer's.
    assert.closeTo(after["kind"], 1, 1e-9)
    assert.closeTo(after["curt"], (0.2 + 0.15) / 2, 1e-9)
    const results = readFileSync(join(folder, "results", id, "results.json"), "utf8")
    assert.include(results, "friendly", "the report files are rewritten")
    const record = await arena(["export", folder, "--run", id, "--format", "run"])
    assert.include(record.stdout, '"graded_by":"ada"')
    const again = await json(["grade", folder, "--set", sheet])
    assert.deepInclude(again, { graded: 0 }, "the same grades change nothing")
    const log = readFileSync(join(folder, "results", "leaderboard.jsonl"), "utf8")
      .trim()
      .split("\n")
    assert.strictEqual(log.length, 4, "the rows after grading are appended to those of the run")
  })

  it("keeps grades when the run is resumed or its scoring changes, and in a new run that takes them over", async () => {
    const { folder, id } = await ungraded()
    const grades = join(folder, "grades.yaml")
    writeFileSync(
      grades,
      ["a", "b"]
        .flatMap((testCase) =>
          [1, 2].map((trial) => `- { contestant: kind, case: ${testCase}, trial: ${trial}, score: 1 }`)
        )
        .join("\n")
    )
    assert.deepInclude(await json(["grade", folder, "--set", grades]), { graded: 4, waiting: 4 })
    assert.closeTo((await accuracies(folder))["kind"], 1, 1e-9)
    writeFileSync(join(folder, "tests.yaml"), tests.replace("Is it polite?", "Is it kind?"))
    assert.strictEqual((await arena(["resume", folder, id])).code, 0)
    assert.closeTo((await accuracies(folder))["kind"], 1, 1e-9)
    const retried = await arena(["retry", folder, id, "--cases", "a"])
    assert.strictEqual(retried.code, 0, retried.stderr)
    assert.closeTo((await accuracies(folder))["kind"], 1, 1e-9)
    assert.include(retried.stderr, "4 answers wait for a grade")
    assert.strictEqual((await arena(["run", folder, "--reuse", id])).code, 0)
    assert.deepInclude(await accuracies(folder), { kind: 1, curt: null })
  })

  it("tells everything that is wrong with a file, and takes nothing of it", async () => {
    const { folder, id } = await ungraded()
    const file = join(folder, "grades.csv")
    writeFileSync(
      file,
      "contestant,case,trial,score\nkind,a,1,pass\nkind,a,1,fail\nkind,z,1,1\nkind,a,2,1.5\nkind,,1,1\nkind,a,x,1\n"
    )
    const set = await arena(["grade", folder, "--set", file])
    assert.strictEqual(set.code, 1)
    for (const [line, message] of [
      [3, "a second grade for the answer of line 2"],
      [4, `${id} has no answer for a person to grade under kind / z / trial 1`],
      [5, '"1.5" is no score'],
      [6, "it names a contestant and no case"],
      [7, "trial must be a whole number"]
    ]) {
      assert.include(set.stderr, `${file}:${line}:1  ${message}`)
    }
    assert.include(set.stderr, "no grade was taken")
    assert.deepStrictEqual(await accuracies(folder), { kind: null, curt: null })
    writeFileSync(file, "id,grade,colour\nx,1,red\n")
    assert.include((await arena(["grade", folder, "--set", file])).stderr, 'there is no column "colour"')
    const without = await arena(["grade", folder])
    assert.strictEqual(without.code, 1)
    assert.include(without.stderr, "grades are asked for at a terminal")
  })

  it("asks at a terminal, blind, with reasons, skips and a way back", async () => {
    const { folder, id } = await ungraded()
    const terminal = openArena(["grade", folder, "--seed", "1", "--by", "ada"], { columns: 100, rows: 50 })
    const first = await terminal.until(
      "the first answer",
      (text) => text.includes("1 of 4") && text.includes("grade (")
    )
    assert.include(first, "2 equal answers")
    assert.notMatch(first, /kind \(|curt \(/)
    terminal.keys("nonsense", "Enter")
    await terminal.until("what may be typed", (text) => text.includes("not understood"))
    for (const _ of "nonsense") terminal.keys("BSpace")
    terminal.keys("f", "Enter")
    await terminal.until("the second answer", (text) => text.includes("2 of 4"))
    terminal.keys("u", "Enter")
    await terminal.until("the first again", (text) => text.lastIndexOf("1 of 4") > text.lastIndexOf("2 of 4"))
    terminal.keys("0.5 well, hm", "Enter")
    await terminal.until("the second again", (text) => text.lastIndexOf("2 of 4") > text.lastIndexOf("1 of 4"))
    terminal.keys("s", "Enter")
    await terminal.until("the third answer", (text) => text.includes("3 of 4"))
    terminal.keys("q", "Enter")
    const left = await terminal.until("the exit code", (text) => text.includes("exit="))
    assert.include(left, "2 answers graded, 6 waiting")
    assert.include(left, "exit=0")
    terminal.close()
    const results = readFileSync(join(folder, "results", id, "results.json"), "utf8")
    assert.include(results, "well, hm")
  })
})
