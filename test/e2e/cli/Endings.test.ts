import { existsSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { arena, build, folders, hanging, quick, start } from "./arena.ts"

const { clean, make } = folders()
beforeAll(build)
afterAll(clean)

/** A run that has begun: events on stdout tell when. */
const begun = async (folder: string) => {
  const running = start(["run", folder, "--events", "-", "--no-report", "--quiet"])
  await running.saw('"contestant":"hung"')
  return running
}

const lastRun = async (folder: string) => JSON.parse((await arena(["runs", folder, "--json"])).stdout).runs[0]

const balanced = (run: {
  readonly planned: number
  readonly finished: number
  readonly interrupted: number
  readonly not_started: number
}) => run.finished + run.interrupted + run.not_started === run.planned

describe("how arena ends", () => {
  it("exits with 0 when all is done, with 2 when a gate is not met", async () => {
    const folder = make(quick)
    const run = (...flags: ReadonlyArray<string>) => arena(["run", folder, "--no-report", "--quiet", ...flags])
    assert.strictEqual((await run("--fail-under", "0.9", "--require-winner")).code, 0)
    const low = await run("--contestants", "wrong", "--fail-under", "0.5")
    assert.strictEqual(low.code, 2)
    assert.match(low.stderr, /^gate not met --fail-under 0\.500: the leader wrong has 0\.000\n$/)
    const alone = await run("--contestants", "right", "--require-winner")
    assert.strictEqual(alone.code, 2)
    assert.strictEqual((await run("--fail-under", "2")).code, 1)
  })

  it("exits with 3 when the run ends by its own time limit", async () => {
    const folder = make(hanging)
    const { code, stdout } = await arena(["run", folder, "--max-wall-s", "0.3", "--no-report", "--quiet"])
    assert.strictEqual(code, 3)
    assert.match(stdout, /^PARTIAL RUN: The run ended early because the time limit of the run was reached/)
    assert.notMatch(stdout, /winner$/m)
  })

  it("exits with 124 and has begun nothing when TERM comes as soon as there is a handler", async () => {
    const preload = "process.on('newListener',(name)=>{if(name==='SIGHUP')process.kill(process.pid,'SIGTERM')})"
    const folder = make(quick)
    const ended = await arena(["run", folder], { node: ["--import", `data:text/javascript,${preload}`] })
    assert.deepInclude(ended, { code: 124, signal: null, stdout: "" })
    assert.isFalse(existsSync(join(folder, "results")))
  })

  it("ends on TERM within the short drain although a call hangs, keeps what finished, and exits with 124", async () => {
    const folder = make(hanging)
    const running = await begun(folder)
    const at = performance.now()
    running.child.kill("SIGTERM")
    const { code, stderr } = await running.ended
    assert.strictEqual(code, 124)
    assert.isBelow(performance.now() - at, 5_000)
    assert.include(stderr, "PARTIAL RUN")
    const run = await lastRun(folder)
    assert.deepInclude(run, { status: "aborted", run_status: "partial", stop_reason: "deadline" })
    assert.isTrue(balanced(run), JSON.stringify(run))
    assert.isAtLeast(run.finished, 1)
  })

  it("drains on the first Ctrl-C, and exits with 130", async () => {
    const folder = make(hanging)
    const running = await begun(folder)
    running.child.kill("SIGINT")
    await running.saw("RunStopping")
    const { code, stdout } = await running.ended
    assert.strictEqual(code, 130)
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    const stopping = events.findIndex(({ _tag }) => _tag === "RunStopping")
    const drained = events
      .slice(stopping)
      .filter(({ _tag, contestant, status }) => _tag === "CellFinished" && contestant === "slow" && status === "ok")
    assert.isAtLeast(drained.length, 1, "what was in flight is kept")
    assert.isTrue(balanced(await lastRun(folder)))
  })

  it("interrupts on the second Ctrl-C", async () => {
    const folder = make(hanging)
    const running = await begun(folder)
    running.child.kill("SIGINT")
    await running.saw("RunStopping")
    const at = performance.now()
    running.child.kill("SIGINT")
    assert.strictEqual((await running.ended).code, 130)
    assert.isBelow(performance.now() - at, 1_500)
    assert.isTrue(balanced(await lastRun(folder)))
  })

  it("treats a hang-up like TERM, and ignores a second TERM", async () => {
    const folder = make(hanging)
    const running = await begun(folder)
    running.child.kill("SIGHUP")
    await running.saw("RunStopping")
    running.child.kill("SIGTERM")
    assert.strictEqual((await running.ended).code, 124)
    assert.deepInclude(await lastRun(folder), { stop_reason: "deadline" })
  })
})
