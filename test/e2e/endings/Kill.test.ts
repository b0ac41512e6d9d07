import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { arena, build, folders, start } from "../cli/arena.ts"
import { isWhole, resultRows, runRows } from "./Database.ts"
import { type Loopback, loopback } from "./Loopback.ts"

const { clean, make } = folders()
let server: Loopback

beforeAll(async () => {
  build()
  server = await loopback((cell) =>
    cell.startsWith("slow") ? { _tag: "Answer", afterMs: 1_500 } : { _tag: "Answer", afterMs: 40 }
  )
})
afterAll(async () => {
  await server.close()
  clean()
})

const project = (name: string, cases: ReadonlyArray<string>, more = "") =>
  make({
    "config.yaml": `project: ${name}
targets:
  - { key: ${name}, url: "${server.origin}/answer", body: { prompt: "{{prompt}}" } }
run: { concurrency: 4, retries: 0 }
${more}`,
    "tests.yaml": `tests:
${cases.map((id) => `  - { id: ${id}, input: "cell ${id}", expected: yes }`).join("\n")}
`
  })

const database = (folder: string) => join(folder, "results", "arena.sqlite")
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`)
const listed = async (folder: string) => JSON.parse((await arena(["runs", folder, "--json"])).stdout).runs

/** Cells that the run has told to be finished, so far. */
const acknowledged = (stdout: string): ReadonlyArray<string> =>
  stdout
    .split("\n")
    .flatMap((line) => (line.includes('"CellFinished"') && line.endsWith("}") ? [JSON.parse(line)] : []))
    .map(({ caseId }) => caseId)

describe("a run that is killed", () => {
  it("is told as interrupted by every command, and resumes without repeating what was acknowledged", async () => {
    const cases = names("kill", 60)
    const folder = project("killed", cases)
    const running = start(["run", folder, "--no-report", "--quiet", "--events", "-"])
    await running.saw('"caseId":"kill20"')
    running.child.kill("SIGKILL")
    const { signal, stdout } = await running.ended
    assert.strictEqual(signal, "SIGKILL")
    const done = acknowledged(stdout)
    const stored = resultRows(database(folder)).map(({ cell }) => cell.split("/")[1])
    assert.includeMembers(stored, [...done])
    const [run] = await listed(folder)
    assert.deepInclude(run, { status: "aborted", stop_reason: "interrupted", planned: 60, finished: stored.length })
    const report = JSON.parse((await arena(["report", folder, "--json"])).stdout)
    assert.deepInclude(report, { status: "aborted", stop_reason: "interrupted" })
    assert.lengthOf(report.results, stored.length)

    const before = new Map(server.asked)
    const resumed = await arena(["resume", folder, "--no-report", "--quiet"])
    assert.strictEqual(resumed.code, 0, resumed.stderr)
    for (const id of done) assert.strictEqual(server.asked.get(id), 1, `${id} was answered already`)
    for (const id of cases) {
      const known = stored.includes(id)
      assert.strictEqual(server.asked.get(id), (before.get(id) ?? 0) + (known ? 0 : 1), id)
    }
    const rows = resultRows(database(folder))
    assert.lengthOf(rows, 60)
    assert.isTrue(rows.every(({ stop_reason }) => stop_reason === "answered"))
    const [row] = runRows(database(folder))
    assert.isTrue(row !== undefined && isWhole(row))
    assert.deepInclude(row, { status: "completed", finished: 60 })
    assert.approximately(row?.total_cost_usd ?? 0, 0.06, 1e-9)

    const asked = new Map(server.asked)
    const again = await arena(["run", folder, "--resume", "latest", "--no-report", "--quiet"])
    assert.strictEqual(again.code, 0, again.stderr)
    assert.deepStrictEqual(server.asked, asked)
  })
})

describe("two processes that resume the same run at once", () => {
  it("do not share it: one goes on with it, the other is told so", async () => {
    const cases = names("race", 24)
    const folder = project("raced", cases)
    const running = start(["run", folder, "--no-report", "--quiet", "--events", "-"])
    await running.saw('"caseId":"race8"')
    running.child.kill("SIGKILL")
    await running.ended
    const known = resultRows(database(folder)).map(({ cell }) => cell.split("/")[1])
    const before = new Map(server.asked)
    const both = await Promise.all([1, 2].map(() => arena(["resume", folder, "--no-report", "--quiet"])))
    const codes = both.map(({ code }) => code).toSorted()
    // The second may also have come when everything was done.
    assert.deepStrictEqual(codes, [0, 1], both.map(({ stderr }) => stderr).join())
    assert.match(
      both.find(({ code }) => code === 1)?.stderr ?? "",
      /still running|taken over|no run of raced ended early/
    )
    for (const id of cases) {
      const asked = (server.asked.get(id) ?? 0) - (before.get(id) ?? 0)
      assert.strictEqual(asked, known.includes(id) ? 0 : 1, id)
    }
    assert.deepInclude(runRows(database(folder))[0], { status: "completed", finished: 24 })
  })
})

describe("two processes on one database", () => {
  it("cannot resume a run that still goes on, and call nobody in trying", async () => {
    const folder = project("busy", names("slow-a", 8))
    const running = start(["run", folder, "--no-report", "--quiet", "--events", "-"])
    await running.saw("CellStarted")
    const [alive] = await listed(folder)
    assert.deepInclude(alive, { status: "running", run_id: alive.run_id })
    const second = await arena(["run", folder, "--resume", alive.run_id, "--no-report", "--quiet"])
    assert.strictEqual(second.code, 1)
    assert.match(second.stderr, new RegExp(`is still running .*${running.child.pid}`))
    assert.strictEqual((await running.ended).code, 0)
    for (const id of names("slow-a", 8)) assert.strictEqual(server.asked.get(id), 1, id)
  })

  it("run side by side, each whole, while others read", { timeout: 120_000 }, async () => {
    const folder = project("both", names("slow-b", 12))
    const other = project("other", names("slow-c", 12), `output: { db: "${database(folder)}" }\n`)
    const runs = [folder, other].map((one) => start(["run", one, "--no-report", "--quiet", "--events", "-"]))
    await Promise.all(runs.map((one) => one.saw("CellFinished")))
    const seen = (await Promise.all([folder, other].map(listed))).map(([run]) => run)
    for (const run of seen) {
      assert.strictEqual(run.finished + run.interrupted + run.not_started, run.planned)
      assert.include(["running", "completed"], run.status)
    }
    assert.strictEqual((await arena(["report", folder, "--json"])).code, 0)
    for (const { code } of await Promise.all(runs.map(({ ended }) => ended))) assert.strictEqual(code, 0)
    const rows = runRows(database(folder))
    assert.deepStrictEqual(
      rows.map(({ finished, status }) => [status, finished]),
      [
        ["completed", 12],
        ["completed", 12]
      ]
    )
    assert.lengthOf(resultRows(database(folder)), 24)
  })
})
