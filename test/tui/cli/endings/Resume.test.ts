import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { answering, arena, cases, document, folders, noted } from "./arena.ts"

const { clean, make } = folders()
afterAll(clean)

const config = (more = "") => `project: resuming
models:
  - { key: right, model: "mock:right", params: { mode: oracle } }
targets:
  - { key: noted, run: "noted.mjs:answer" }
run: { retries: 0 }
${more}`

const project = (says: string, count = 4) =>
  make({
    "config.yaml": config(),
    "tests.yaml": cases(count),
    "noted.mjs": noted,
    "says.txt": says,
    "calls.txt": ""
  })

const calls = (folder: string): number => readFileSync(join(folder, "calls.txt"), "utf8").split("\n").length - 1
const say = (folder: string, text: string) => writeFileSync(join(folder, "says.txt"), text)
const run = (...args: ReadonlyArray<string>) => document("run", ...args, "--no-report", "--quiet")

describe("arena resume", () => {
  it("asks again what failed, and nothing of a complete run", async () => {
    const folder = project("throw")
    const first = await run(folder)
    assert.strictEqual(first.errors, 4)
    say(folder, "a")
    const resumed = await arena("resume", folder, "latest", "--no-report")
    assert.strictEqual(resumed.code, 0)
    assert.include(resumed.stderr, `going on with ${first.run_id}: 4 results there`)
    assert.match(resumed.stderr, /4 results of before kept, 4 from the last part, 4 of them in place of earlier ones\n/)
    assert.match(resumed.stderr, /started +completed +4\n[^\n]*resumed +completed +4\n/)
    assert.strictEqual(calls(folder), 8)
    const [listed] = (await document("runs", folder, "--parts")).runs
    assert.deepInclude(listed, { run_id: first.run_id, status: "completed", errors: 0, resumable: false })
    assert.deepStrictEqual(
      listed.parts.map(({ kind, results }: { kind: string; results: number }) => [kind, results]),
      [
        ["start", 4],
        ["resume", 4]
      ]
    )
    await run(folder, "--resume", "latest")
    assert.strictEqual(calls(folder), 8)
    const none = await arena("resume", folder)
    assert.strictEqual(none.code, 1)
    assert.include(none.stderr, "no run of resuming ended early")
  })

  it("keeps errors when told to, and the run's own choice of cases and trials", async () => {
    const folder = project("throw")
    await run(folder, "--cases", "c0,c1", "--trials", "2")
    say(folder, "a")
    const kept = await document("resume", folder, "latest", "--keep-errors", "--no-report", "--quiet")
    assert.deepInclude(kept, { planned: 8, errors: 4, trials: 2, n_tests: 2 })
    const plan = await document("resume", folder, "latest", "--dry-run")
    assert.deepInclude(plan, { planned: 8, to_ask: 4 })
    assert.deepInclude(plan.earlier, { resumed: true, held: 4 })
    const told = await arena("resume", folder, "latest", "--dry-run")
    assert.match(told.stdout, /2 cases of the project are no part of run_\w+; --reuse run_\w+ runs them as well/)
    assert.strictEqual(calls(folder), 4)
  })

  it("goes on with the newest run that ended early when none is named", async () => {
    const folder = project("throw")
    const early = await arena("run", folder, "--fail-fast", "--concurrency", "1", "--no-report", "--json")
    assert.strictEqual(early.code, 1)
    const { run_id, status } = JSON.parse(early.stdout)
    assert.strictEqual(status, "aborted")
    assert.include(early.stderr, `go on with: arena resume ${folder} ${run_id}`)
    say(folder, "a")
    await run(folder, "--cases", "c3")
    const resumed = await document("resume", folder, "--no-report", "--quiet")
    assert.deepInclude(resumed, { run_id, status: "completed", planned: 8, finished: 8 })
    const listed = await arena("runs", folder)
    assert.notInclude(listed.stdout, "ended early")
  })

  it("says what is wrong with the run that is named", async () => {
    const folder = project("a")
    assert.include((await arena("resume", folder, "latest")).stderr, "has no runs yet")
    await run(folder)
    const unknown = await arena("run", folder, "--resume", "run_20000101_000000_000000")
    assert.strictEqual(unknown.code, 1)
    assert.include(unknown.stderr, "there is no run run_20000101_000000_000000 in resuming")
    const both = await arena("run", folder, "--resume", "latest", "--reuse", "latest")
    assert.include(both.stderr, "cannot be combined")
  })
})

describe("arena run --reuse", () => {
  it("asks only what is new, and prices only that", async () => {
    const folder = project("a")
    const first = await run(folder)
    writeFileSync(join(folder, "tests.yaml"), cases(6))
    const plan = await arena("run", folder, "--reuse", first.run_id, "--dry-run")
    assert.include(plan.stdout, `takes over results of ${first.run_id}: 8 results there, 4 cells to ask`)
    const next = await run(folder, "--reuse", "latest")
    assert.notStrictEqual(next.run_id, first.run_id)
    assert.deepInclude(next, { planned: 12, finished: 12 })
    assert.strictEqual(calls(folder), 6)
    const [listed] = (await document("runs", folder, "--parts")).runs
    assert.deepInclude(listed.parts[0], { kind: "start", results: 4 })
    assert.deepInclude(listed.parts[1], { kind: "reuse", results: 8, source_run_id: first.run_id })
  })
})

describe("arena retry", () => {
  it("leaves a run as it is, with its times, when nothing of it failed", async () => {
    const folder = project("a")
    const first = await run(folder)
    const retried = await arena("retry", folder, "latest", "--no-report")
    assert.strictEqual(retried.code, 0)
    assert.include(retried.stderr, `nothing of ${first.run_id} is to be asked again (--failed asks what did not pass`)
    assert.include(retried.stdout, "right")
    const [listed] = (await document("runs", folder, "--parts")).runs
    assert.deepInclude(listed, { duration_s: first.duration_s, finished_at: first.finished_at })
    assert.lengthOf(listed.parts, 1)
  })

  it("asks single cells again, and says beforehand what that is", async () => {
    const folder = project("a")
    await run(folder, "--trials", "2")
    const plan = await arena("retry", folder, "latest", "--cells", "noted/c1/2,right/c0/1", "--dry-run")
    assert.include(plan.stdout, "14 results there, 2 cells to ask")
    await document("retry", folder, "latest", "--no-report", "--quiet", "--cells", "noted/c1/2,right/c0/1")
    assert.strictEqual(calls(folder), 9)
  })

  it.each([
    [["--cases", "c7"], 'the run has no case "c7"\ndid you mean c0?'],
    [["--cells", "noted/c9/1"], 'the run has no case "c9"\ndid you mean c0?'],
    [["--cells", "notde/c1/1"], 'the run has no contestant "notde"\ndid you mean noted?'],
    [["--cells", "noted/c1/3"], "there is no trial 3: the run has 1 of each case"],
    [["--cells", "noted/c1"], "--cells noted/c1: a cell is CONTESTANT/CASE/TRIAL\nfor example --cells haiku/refund_3/1"]
  ])("refuses %j, for nothing would be asked", async (flags, message) => {
    const folder = project("a")
    await run(folder)
    const { code, stderr } = await arena("retry", folder, "latest", ...flags)
    assert.strictEqual(code, 1)
    assert.include(stderr, message)
    assert.strictEqual(calls(folder), 4)
  })

  it("asks again errors, wrong answers, or all of some cases", async () => {
    const folder = project("b")
    await run(folder)
    const retry = (...flags: ReadonlyArray<string>) =>
      document("retry", folder, "latest", "--no-report", "--quiet", ...flags)
    await retry()
    assert.strictEqual(calls(folder), 4)
    await retry("--cases", "c1,c2")
    assert.strictEqual(calls(folder), 6)
    say(folder, "a")
    const mended = await retry("--failed")
    assert.strictEqual(calls(folder), 10)
    const noted = mended.leaderboard.entries.find(({ key }: { key: string }) => key === "noted")
    assert.strictEqual(noted.metrics.accuracy.raw, 1)
  })

  it("says whom the report loses when flags name only some of the contestants", async () => {
    const folder = project("throw")
    const { run_id } = await run(folder)
    const retried = await arena("retry", folder, "latest", "--contestants", "noted", "--no-report")
    assert.include(retried.stderr, `the report of ${run_id} will be without 1 contestant that it had`)
  })
})

describe("recordings", () => {
  it("are made and answer from then on, whoever is there", async () => {
    const folder = project("a")
    const dir = join(folder, "tape")
    await run(folder, "--record", dir)
    say(folder, "throw")
    const replayed = await run(folder, "--replay", dir)
    assert.deepInclude(replayed, { status: "completed", errors: 0 })
    assert.strictEqual(calls(folder), 4)
  })
})

describe("budgets.confirm_above_usd", () => {
  const priced = (limit: number, price: string) => `project: asking
models:
  - { key: right, model: "mock:right", params: { mode: oracle } }
targets:
  - { key: noted, run: "noted.mjs:answer"${price} }
budgets: { confirm_above_usd: ${limit} }
`
  const asking = (limit: number, price = ", card: { input: 1000, output: 1000 }") =>
    make({
      "config.yaml": priced(limit, price),
      "tests.yaml": cases(2),
      "noted.mjs": noted,
      "says.txt": "a",
      "calls.txt": ""
    })

  it("refuses without a terminal, runs with --yes, and counts only what is asked", async () => {
    const folder = asking(0.5)
    const refused = await arena("run", folder, "--no-report", "--quiet")
    assert.strictEqual(refused.code, 1)
    assert.match(refused.stderr, /may cost up to \$1\.\d+, more than budgets\.confirm_above_usd \(\$0\.5000\)\n--yes/)
    assert.include((await answering("n", "run", folder, "--quiet")).stderr, "--max-run-usd stops a run at a price")
    assert.strictEqual(calls(folder), 0)
    await run(folder, "--yes")
    assert.strictEqual((await arena("resume", folder, "latest", "--no-report", "--quiet")).code, 0)
    assert.strictEqual(calls(folder), 2)
  })

  it("lets a target without a price run: only its answers tell", async () => {
    const folder = asking(0.5, "")
    assert.strictEqual((await run(folder)).status, "completed")
  })
})
