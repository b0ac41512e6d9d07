import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { arena, build, folders, root, start } from "../cli/arena.ts"
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

describe("the program of a command target", () => {
  const isAlive = (pid: number): boolean => {
    try {
      // A process that nobody has waited for yet is dead, too.
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
    } catch {
      return false
    }
  }

  for (const [name, signals] of [
    ["TERM", ["SIGTERM"]],
    ["three times Ctrl-C", ["SIGINT", "SIGINT", "SIGINT"]]
  ] as const) {
    it.runIf(existsSync("/proc/self/status"))(`does not outlive a run that ends by ${name}`, async () => {
      const folder = make({
        "config.yaml": `project: programs
targets:
  - { key: shell, command: [sh, -c, "echo $$ >> pids; trap '' TERM; sleep 1000; sleep 1000"] }
run: { concurrency: 2, drain_s: 60, term_drain_s: 0.2 }
`,
        "tests.yaml": "tests:\n  - { id: a, input: q, expected: yes }\n  - { id: b, input: q, expected: yes }\n"
      })
      const pids = (): ReadonlyArray<number> =>
        existsSync(join(folder, "pids"))
          ? readFileSync(join(folder, "pids"), "utf8").trim().split("\n").map(Number)
          : []
      const running = start(["run", folder, "--no-report", "--quiet"])
      while (pids().length < 2) await new Promise((resolve) => setTimeout(resolve, 20))
      for (const signal of signals) {
        running.child.kill(signal)
        await new Promise((resolve) => setTimeout(resolve, 300))
      }
      await running.ended
      // The system takes a moment to clear away what was killed.
      for (let waited = 0; waited < 2_000 && pids().some(isAlive); waited += 50) {
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      assert.deepStrictEqual(pids().filter(isAlive), [])
    })
  }
})
