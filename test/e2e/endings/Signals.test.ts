import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { arena, bin, build, folders, start } from "../cli/arena.ts"
import { isWhole, runRows } from "./Database.ts"
import { type Loopback, loopback } from "./Loopback.ts"

const { clean, make } = folders()
let server: Loopback

beforeAll(async () => {
  build()
  server = await loopback((cell) => (cell.startsWith("quick") ? { _tag: "Answer" } : { _tag: "Hang" }))
})
afterAll(async () => {
  await server.close()
  clean()
})

/** A provider that never answers, reached by its real client. */
const hung = (run: string): Readonly<Record<string, string>> => ({
  "config.yaml": `project: hung
models:
  - { key: hung, model: loop, api_base: "${server.origin}/v1" }
run: { concurrency: 3, ${run} }
`,
  "tests.yaml": `tests:
${["quick1", "quick2", "stuck1", "stuck2", "stuck3"].map((id) => `  - { id: ${id}, input: "cell ${id}", expected: yes }`).join("\n")}
`
})

const database = (folder: string) => join(folder, "results", "arena.sqlite")
const run = (folder: string) => ["run", folder, "--no-report", "--quiet"]

describe("SIGTERM", () => {
  const moments = [0, 60, 120, 180, 240, 300, 400, 600, 900, 1_300, 1_800, 2_500]

  it("at any moment ends the process in time, with a whole row or with nothing begun", {
    timeout: 240_000
  }, async () => {
    const folder = make(hung("term_drain_s: 0.5"))
    const endAt = async (ms: number) => {
      const running = start(run(folder))
      await new Promise((resolve) => setTimeout(resolve, ms))
      const at = performance.now()
      running.child.kill("SIGTERM")
      const { code, signal, stderr, stdout } = await running.ended
      const took = performance.now() - at
      assert.isBelow(took, 10_000, `${ms} ms after the start`)
      // Before the first statement of the program there is nobody who could handle a signal.
      if (signal === null) assert.strictEqual(code, 124, `${ms} ms after the start: ${stderr}${stdout}`)
      else assert.isBelow(ms, 1_000)
    }
    for (let index = 0; index < moments.length; index += 2)
      await Promise.all(moments.slice(index, index + 2).map(endAt))
    const rows = existsSync(database(folder)) ? runRows(database(folder)) : []
    for (const row of rows) {
      assert.isTrue(isWhole(row), JSON.stringify(row))
      assert.strictEqual(row.stop_reason, "deadline", JSON.stringify(row))
    }
    assert.isAtLeast(rows.length, 1)
  })

  it("by `timeout` ends a run on a hung provider with 124 and keeps what was answered", {
    timeout: 60_000
  }, async () => {
    const folder = make(hung("term_drain_s: 1"))
    const started = performance.now()
    const child = spawn("timeout", ["-s", "TERM", "-k", "30", "6", process.execPath, bin, ...run(folder)])
    const code = await new Promise((resolve) => child.once("close", resolve))
    assert.strictEqual(code, 124)
    assert.isBelow(performance.now() - started, 16_000)
    const [row] = runRows(database(folder))
    assert.isTrue(row !== undefined && isWhole(row))
    assert.deepInclude(row, { status: "aborted", stop_reason: "deadline", finished: 2, interrupted: 3, planned: 5 })
  })

  it("cuts the long drain of a run that was ending by itself", { timeout: 60_000 }, async () => {
    const folder = make(hung("max_wall_s: 0.5, drain_s: 60, term_drain_s: 0.5"))
    const running = start(["run", folder, "--no-report", "--events", "-"])
    await running.saw("RunStopping")
    const at = performance.now()
    running.child.kill("SIGTERM")
    await running.ended
    assert.isBelow(performance.now() - at, 9_000)
    const [row] = runRows(database(folder))
    assert.deepInclude(row, { status: "partial", stop_reason: "time_limit", finished: 2, interrupted: 3 })
  })
})

describe("Ctrl-C", () => {
  it("three times leaves at once; the run is told as interrupted and can go on", { timeout: 60_000 }, async () => {
    const folder = make(hung("drain_s: 60"))
    const running = start(["run", folder, "--no-report", "--events", "-"])
    await running.saw('"caseId":"stuck3"')
    running.child.kill("SIGINT")
    await running.saw("RunStopping")
    const at = performance.now()
    running.child.kill("SIGINT")
    // Signals of one kind that come together are one to the system.
    await new Promise((resolve) => setTimeout(resolve, 150))
    running.child.kill("SIGINT")
    const { code } = await running.ended
    assert.strictEqual(code, 130)
    assert.isBelow(performance.now() - at, 3_000)
    const listed = JSON.parse((await arena(["runs", folder, "--json"])).stdout).runs[0]
    assert.deepInclude(listed, { status: "aborted", stop_reason: "interrupted", planned: 5, finished: 2 })
  })
})
