import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { arena, cases, document, folders } from "./arena.ts"

const { clean, make } = folders()
afterAll(clean)

const config = (run: string) => `project: exported
models:
  - { key: right, model: "mock:right", params: { mode: oracle } }
  - { key: broken, model: "mock:broken", params: { mode: script, script: [ { error: server } ] } }
run: { retries: 0, ${run} }
`
const project = (run = "concurrency: 1") => make({ "config.yaml": config(run), "tests.yaml": cases(4) })
const lines = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))

describe("arena export", () => {
  it("writes a row for each contestant, ranked only when the run is complete", async () => {
    const folder = project()
    await arena("run", folder, "--no-report", "--quiet")
    const rows = lines((await arena("export", folder, "--format", "rows")).stdout)
    assert.deepStrictEqual(
      rows.map(({ contestant, planned_tests, completed_tests, errored_tests, run_status }) => [
        contestant,
        planned_tests,
        completed_tests,
        errored_tests,
        run_status
      ]),
      [
        ["right", 4, 4, 0, "completed"],
        ["broken", 4, 4, 4, "completed"]
      ]
    )
    assert.strictEqual(rows[0].rank, 1)
    assert.isNull(rows[1].total_prompt_tokens)
    assert.deepStrictEqual(lines(readFileSync(join(folder, "results", "leaderboard.jsonl"), "utf8")), rows)
  })

  it("never ranks what did not finish", async () => {
    const folder = project("concurrency: 1, fail_fast: true")
    await arena("run", folder, "--no-report", "--quiet")
    for (const row of lines((await arena("export", folder, "--format", "rows")).stdout)) {
      assert.deepInclude(row, { run_status: "partial", run_stop_reason: "fail_fast", rank: null, composite: null })
      assert.strictEqual(row.planned_tests, row.completed_tests + row.interrupted_tests + row.not_started_tests)
    }
    const report = await arena("report", folder)
    assert.match(report.stdout, /^PARTIAL RUN: /)
    assert.match(report.stderr, /go on with: arena resume /)
  })

  it("takes a whole run from one store to another", async () => {
    const folder = project()
    await arena("run", folder, "--no-report", "--quiet", "--label", "moved")
    const file = join(make(), "run.jsonl")
    assert.include(
      (await arena("export", folder, "--run", "latest", "--format", "run", "--out", file)).stderr,
      `written ${file}`
    )
    const other = project()
    const imported = await document("import", file, "-p", other)
    assert.deepInclude(imported, { action: "imported", results: 8 })
    const table = async (path: string) => (await arena("report", path)).stdout
    assert.strictEqual(await table(other), await table(folder))
    const again = await arena("import", file, "-p", other)
    assert.strictEqual(again.code, 1)
    assert.include(again.stderr, "there is a run")
  })

  it("touches nothing outside the folder of a run, whatever an imported one is called", async () => {
    const folder = project()
    const id: string = (await document("run", folder, "--no-report", "--quiet")).run_id
    const { stdout } = await arena("export", folder, "--run", id, "--format", "run")
    const file = join(folder, "foreign.jsonl")
    const other = project()
    for (const [place, name] of [
      ["..", "tests.yaml"],
      ["../precious", "kept.txt"],
      ["workspaces", "kept.txt"],
      ["arena.sqlite", ""]
    ] as const) {
      const kept = join(other, "results", place, name)
      mkdirSync(join(other, "results", place === "arena.sqlite" ? "" : place), { recursive: true })
      if (name === "kept.txt") writeFileSync(kept, "precious")
      writeFileSync(file, stdout.replaceAll(JSON.stringify(id), JSON.stringify(place)))
      assert.deepInclude(await document("import", file, "-p", other), { run_id: place })
      await document("rm", other, place, "--hard", "--yes")
      assert.isTrue(existsSync(kept), kept)
    }
    assert.lengthOf((await document("runs", other, "--all")).runs, 0)
  })

  it("refuses a file that was cut off, and leaves nothing of it", async () => {
    const folder = project()
    await arena("run", folder, "--no-report", "--quiet")
    const { stdout } = await arena("export", folder, "--format", "run")
    const file = join(folder, "cut.jsonl")
    writeFileSync(file, stdout.split("\n").slice(0, -3).join("\n"))
    const other = project()
    const cut = await arena("import", file, "-p", other)
    assert.strictEqual(cut.code, 1)
    assert.include(cut.stderr, "cut off")
    assert.lengthOf((await document("runs", other, "--all")).runs, 0)
    const missing = await arena("import", join(folder, "none.jsonl"), "-p", other, "--json")
    assert.strictEqual(missing.code, 1)
    assert.strictEqual(JSON.parse(missing.stdout).error.kind, "file")
  })

  it("writes the formats of a report", async () => {
    const folder = project()
    await arena("run", folder, "--no-report", "--quiet")
    for (const [format, begins] of [
      ["json", "{"],
      ["csv", "model_key,"],
      ["markdown", "# exported"]
    ] as const) {
      assert.isTrue((await arena("export", folder, "--format", format)).stdout.startsWith(begins), format)
    }
  })
})
