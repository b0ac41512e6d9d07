import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { arena, bin, build, folders, start } from "../cli/arena.ts"
import { isWhole, resultRows, runRows } from "./Database.ts"
import { type Loopback, loopback } from "./Loopback.ts"

const { clean, make } = folders()
let server: Loopback

beforeAll(async () => {
  build()
  server = await loopback((cell) => (cell.startsWith("stuck") ? { _tag: "Hang" } : { _tag: "Answer", afterMs: 100 }))
})
afterAll(async () => {
  await server.close()
  clean()
})

const spills = (folder: string) => readdirSync(folder).filter((name) => name.endsWith(".spill.jsonl"))

/** A run whose database is locked by somebody else, and that has an answer which it cannot write. */
const lockedRun = async (prefix: string) => {
  const ids = [...Array.from({ length: 12 }, (_, index) => `${prefix}${index}`), `stuck-${prefix}`]
  const folder = make({
    "config.yaml": `project: locked
targets:
  - { key: t, url: "${server.origin}/answer", body: { prompt: "{{prompt}}" } }
run: { concurrency: 3, retries: 0, drain_s: 60, term_drain_s: 0.5 }
`,
    "tests.yaml": `tests:\n${ids.map((id) => `  - { id: ${id}, input: "cell ${id}", expected: yes }`).join("\n")}\n`
  })
  const path = join(folder, "results", "arena.sqlite")
  const running = start(["run", folder, "--no-report", "--quiet", "--events", "-"])
  await running.saw("CellFinished")
  const lock = new DatabaseSync(path)
  lock.exec("PRAGMA busy_timeout = 5000")
  lock.exec("BEGIN IMMEDIATE")
  const written = lock.prepare("SELECT count(*) AS count FROM results")
  const answered = () => [...server.answered.keys()].filter((id) => id.startsWith(prefix))
  await new Promise<void>((resolve) => {
    const look = setInterval(() => {
      if (answered().length <= Number(written.get()?.["count"])) return
      clearInterval(look)
      // The answer is on its way to the client.
      setTimeout(resolve, 300)
    }, 20)
  })
  const unlock = () => {
    lock.exec("ROLLBACK")
    lock.close()
  }
  return { folder, path, running, answered, unlock }
}

/** Everything that was answered is in the database, and nobody asks for it again. */
const nothingIsLost = async ({ answered, folder, path }: Awaited<ReturnType<typeof lockedRun>>, reason: string) => {
  const [told] = JSON.parse((await arena(["runs", folder, "--json"])).stdout).runs
  assert.deepStrictEqual(spills(join(folder, "results")), [])
  const rows = resultRows(path)
  const paid = answered()
  assert.includeMembers(
    rows.map(({ cell }) => cell),
    paid.map((id) => `t/${id}/1`)
  )
  const finished = rows.filter(({ status }) => status === "ok").length
  assert.deepInclude(told, { stop_reason: reason, planned: 13, finished })
  assert.strictEqual(told.finished + told.interrupted + told.not_started, 13)
  const limits = ["--cell-timeout-s", "1", "--no-report", "--quiet"]
  assert.strictEqual((await arena(["run", folder, "--resume", "latest", ...limits])).code, 0)
  for (const id of paid) assert.strictEqual(server.asked.get(id), 1, id)
}

describe("a database that somebody else has locked", () => {
  it("does not hold up the end of a run, and costs no answer", { timeout: 120_000 }, async () => {
    const locked = await lockedRun("open")
    const at = performance.now()
    locked.running.child.kill("SIGTERM")
    const { code } = await locked.running.ended
    assert.strictEqual(code, 124)
    assert.isBelow(performance.now() - at, 10_000)
    assert.isAtLeast(spills(join(locked.folder, "results")).length, 1)
    locked.unlock()
    await nothingIsLost(locked, "deadline")
    assert.isTrue(isWhole(runRows(locked.path)[0] ?? assert.fail("no run")))
  })

  it("costs no answer either when the process is made to leave at once", { timeout: 120_000 }, async () => {
    const locked = await lockedRun("left")
    locked.running.child.kill("SIGINT")
    await locked.running.saw("RunStopping")
    // Signals of one kind that come together are one to the system.
    for (let times = 0; times < 2; times++) {
      locked.running.child.kill("SIGINT")
      await new Promise((resolve) => setTimeout(resolve, 150))
    }
    const { code } = await locked.running.ended
    assert.strictEqual(code, 130)
    locked.unlock()
    await nothingIsLost(locked, "interrupted")
  })
})

/** Runs a command where it may mount file systems that nobody else sees and that are gone with it. */
const apart = ["--mount", "--map-root-user"]
const mayMount = spawnSync("unshare", [...apart, "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0

describe("a full disk", () => {
  const count = 100
  const files = () => ({
    "answer.mjs": `
      import { appendFileSync } from "node:fs"
      export const long = (_prompt, { caseId, params }) => {
        appendFileSync(params.log, caseId + "\\n")
        return { output: "yes ".repeat(5000), cost_usd: 0.01 }
      }
    `,
    "tests.yaml": `tests:\n${Array.from({ length: count }, (_, index) => `  - { id: c${index}, input: q, scorer: contains, expected: "yes" }`).join("\n")}\n`
  })

  it.runIf(mayMount)(
    "is an error that names the side file; the next command takes it in, and nothing is asked again",
    {
      timeout: 120_000
    },
    async () => {
      const folder = make(files())
      const log = join(folder, "asked.log")
      const config = (db: string) => `project: full
targets:
  - { key: t, run: "answer.mjs:long", params: { log: "${log}" } }
run: { concurrency: 4, drain_s: 1 }
output: { db: "${db}" }
`
      const script = (disk: string) => `
      set -u
      mount -t tmpfs -o size=1m none ${disk} || exit 77
      "$0" "$1" run "$2" --no-report --quiet --json > "$2/first.json" 2> "$2/first.err"; echo $? > "$2/first.code"
      mount -o remount,size=32m ${disk}
      "$0" "$1" runs "$2" --json > "$2/second.json" 2> "$2/second.err"; echo $? > "$2/second.code"
      "$0" "$1" resume "$2" --no-report --quiet --json > "$2/third.json" 2> "$2/third.err"; echo $? > "$2/third.code"
    `
      const disk = join(folder, "disk")
      mkdirSync(disk)
      writeFileSync(join(folder, "config.yaml"), config(join(disk, "arena.sqlite")))
      const { status, stderr } = spawnSync(
        "unshare",
        [...apart, "bash", "-c", script(disk), process.execPath, bin, folder],
        {
          encoding: "utf8"
        }
      )
      assert.strictEqual(status, 0, stderr)
      const read = (name: string) => readFileSync(join(folder, name), "utf8")
      assert.strictEqual(read("first.code").trim(), "1")
      assert.match(read("first.json") + read("first.err"), /spill\.jsonl/)
      const asked = read("asked.log").trim().split("\n")
      const [told] = JSON.parse(read("second.json")).runs
      assert.match(told.stop_reason, /^error: /)
      assert.isAbove(told.finished, 0)
      assert.strictEqual(told.finished + told.interrupted + told.not_started, count)
      assert.strictEqual(read("third.code").trim(), "0", read("third.err"))
      const third = JSON.parse(read("third.json"))
      assert.strictEqual(third.status, "completed")
      assert.lengthOf(third.results, count)
      assert.strictEqual(new Set(asked).size, asked.length, "no answer was asked for twice")
      assert.strictEqual(asked.length, count)
      assert.approximately(third.total_cost_usd, 0.01 * count, 1e-9)
      assert.isFalse(existsSync(join(disk, "arena.sqlite")))
    }
  )
})
