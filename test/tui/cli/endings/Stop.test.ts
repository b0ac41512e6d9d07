import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { arena, cases, document, folders, noted } from "./arena.ts"
import { startRun } from "./process.ts"

const { clean, make } = folders()
afterAll(clean)

const project = (models: string) =>
  make({
    "config.yaml": `project: stopping
models:
${models}
targets: [{ key: noted, run: "noted.mjs:answer" }]
run: { concurrency: 4, drain_s: 1.5, retries: 0 }
`,
    "tests.yaml": cases(20),
    "noted.mjs": noted,
    "says.txt": "a",
    "calls.txt": ""
  })

const slow = `  - { key: slow, model: "mock:slow", params: { mode: oracle, latency_ms: 400, sleep: true } }`
const hung = `  - { key: hung, model: "mock:hung", params: { mode: script, script: [ { hang: true } ] } }`

const calls = (folder: string): number => readFileSync(join(folder, "calls.txt"), "utf8").split("\n").length - 1

describe("arena stop", () => {
  it("lets calls in flight finish, and the run says that it was asked", async ({ signal }) => {
    const folder = project(slow)
    const run = startRun(folder, signal)
    await run.saw('"contestant":"slow"')
    const told = await arena("stop", folder)
    assert.strictEqual(told.code, 0)
    assert.match(told.stdout, /has stopped: partial because it was asked to stop; \d+ of 40 cells have an outcome\n/)
    assert.match(told.stdout, /go on with: arena resume /)
    assert.strictEqual(await run.ended, 3)
    const [listed] = (await document("runs", folder)).runs
    assert.deepInclude(listed, { status: "partial", stop_reason: "cancelled", interrupted: 0, resumable: true })
    assert.isAtLeast(listed.finished, 1)
    assert.isEmpty(readdirSync(join(folder, "results")).filter((name) => name.startsWith(".stop")))
    const again = await arena("stop", folder, listed.run_id)
    assert.strictEqual(again.code, 0)
    assert.include(again.stdout, "has ended already: partial because it was asked to stop")
    assert.include((await arena("stop", folder)).stderr, "no run of stopping goes on")
  })

  it("--now interrupts what hangs", async ({ signal }) => {
    const folder = project(hung)
    const run = startRun(folder, signal)
    await run.saw('"contestant":"hung"')
    const stopped = await document("stop", folder, "latest", "--now")
    assert.deepInclude(stopped, { action: "stopped" })
    assert.deepInclude(stopped.run, { status: "partial", stop_reason: "cancelled" })
    assert.isAtLeast(stopped.run.interrupted, 1)
    const { finished, interrupted, not_started, planned } = stopped.run
    assert.strictEqual(finished + interrupted + not_started, planned)
    assert.strictEqual(await run.ended, 3)
  })
})

describe("a run whose process was killed", () => {
  it("is shown as interrupted by every command, and resume asks only for the rest", async ({ signal }) => {
    const folder = project(slow)
    const run = startRun(folder, signal)
    await run.saw('"_tag":"CellFinished"', 8)
    run.child.kill("SIGKILL")
    assert.strictEqual(await run.ended, "SIGKILL")
    const runs = await arena("runs", folder)
    assert.match(runs.stdout, /^ended early\n[^\n]*\nrun_\w+ .* aborted \(interrupted\)/)
    assert.match(runs.stdout, /^go on with: arena resume /m)
    const report = await arena("report", folder)
    assert.match(report.stdout, /^PARTIAL RUN: The run ended early because it was interrupted/)
    assert.match(report.stdout, /no winner is declared/)
    for (const row of (await arena("export", folder, "--format", "rows")).stdout.trimEnd().split("\n")) {
      assert.deepInclude(JSON.parse(row), { run_status: "partial", run_stop_reason: "interrupted", rank: null })
    }
    assert.include((await arena("stop", folder, "latest")).stdout, "has ended already: aborted")
    const before = (await document("runs", folder)).runs[0]
    const resumed = await document("resume", folder, "--no-report", "--quiet")
    assert.deepInclude(resumed, { run_id: before.run_id, status: "completed", finished: 40, interrupted: 0 })
    const [{ parts }] = (await document("runs", folder, "--parts")).runs
    assert.deepStrictEqual(
      parts.map(({ results }: { results: number }) => results),
      [before.finished, 40 - before.finished]
    )
    assert.isAtMost(calls(folder), 20 + 4, "only what was in flight is asked twice")
  })
})
