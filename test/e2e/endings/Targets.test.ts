import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { arena, build, folders, root } from "../cli/arena.ts"
import { isWhole, resultRows, runRows } from "./Database.ts"

const { clean, make } = folders()
beforeAll(build)
afterAll(clean)

const code = readFileSync(join(root, "test/fixtures/endings/targets.mjs"), "utf8")

/** A project with one of the targets of `test/fixtures/endings`, and a model that is always right. */
const project = (name: string, cases: number, run: string, more = "") =>
  make({
    "targets.mjs": code,
    "config.yaml": `project: ${name}
models:
  - { key: fine, model: "mock:fine" }
targets:
  - { key: ${name}, run: "targets.mjs:${name}"${more} }
run: { retries: 0, ${run} }
`,
    "tests.yaml": `tests:
${Array.from({ length: cases }, (_, index) => `  - { id: c${index + 1}, input: q, expected: yes }`).join("\n")}
`
  })

const database = (folder: string) => join(folder, "results", "arena.sqlite")
/** How the cells of the target ended. */
const outcomes = (folder: string) =>
  resultRows(database(folder)).flatMap(({ cell, stop_reason }) => (cell.startsWith("fine/") ? [] : [stop_reason]))

describe("a target", () => {
  it("that blocks its thread for ever is cut by the time-out of its cell", async () => {
    const folder = project("loops", 2, "concurrency: 2, cell_timeout_s: 1", ", blocking: true")
    const { code: exit, ms } = await arena(["run", folder, "--no-report", "--quiet"])
    assert.strictEqual(exit, 0)
    assert.deepStrictEqual(outcomes(folder), ["timeout", "timeout"])
    assert.isBelow(ms, 15_000)
  })

  it("that ignores its abort signal delays neither the run nor the end of the process", async () => {
    const folder = project("ignores", 4, "concurrency: 4, request_timeout_s: 0.5")
    const { code: exit, ms } = await arena(["run", folder, "--no-report", "--quiet"])
    assert.strictEqual(exit, 0)
    assert.deepStrictEqual(outcomes(folder), ["error", "error", "error", "error"])
    assert.isBelow(ms, 10_000)
  })

  it("whose stray failures nobody catches loses nothing that is in flight", async () => {
    const folder = project("strays", 6, "concurrency: 3")
    const { code: exit, stderr, stdout } = await arena(["run", folder, "--no-report", "--quiet"])
    const [row] = runRows(database(folder))
    assert.isTrue(row !== undefined && isWhole(row), JSON.stringify(row))
    assert.strictEqual(exit, 1, stderr + stdout)
    assert.include(row?.stop_reason, "stray")
    assert.include(outcomes(folder), "answered")
    assert.match(stderr + stdout, /stray (rejection|exception)/)
    assert.notMatch(stderr + stdout, /\n {4}at /)
  })

  it("that ends the process loses nothing that was acknowledged; resuming goes on", async () => {
    const folder = project("leaves", 5, "concurrency: 1")
    await arena(["run", folder, "--no-report", "--quiet"])
    assert.deepStrictEqual(outcomes(folder), ["answered", "answered"])
    const listed = JSON.parse((await arena(["runs", folder, "--json"])).stdout).runs[0]
    assert.deepInclude(listed, { status: "aborted", stop_reason: "interrupted", planned: 10 })
    const resumed = await arena(["resume", folder, "--no-report", "--quiet"])
    assert.strictEqual(resumed.code, 0, resumed.stderr)
    assert.lengthOf(outcomes(folder), 5)
  })
})
