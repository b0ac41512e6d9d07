/**
 * A long run that is killed again and again. `SOAK_CELLS`, `SOAK_KILLS` and `SOAK_SEED` make it longer, or another one.
 */
import { createHash } from "node:crypto"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { arena, build, folders, start } from "../cli/arena.ts"
import { isWhole, resultRows, runRows } from "./Database.ts"
import { type Loopback, loopback, type Reaction } from "./Loopback.ts"

const cells = Number(process.env["SOAK_CELLS"] ?? 1_200)
const kills = Number(process.env["SOAK_KILLS"] ?? 20)
const seed = process.env["SOAK_SEED"] ?? "1"
const concurrency = 16
const usdPerCell = 0.001

/** A number in [0, 1) that depends on its arguments alone. */
const draw = (...parts: ReadonlyArray<string | number>): number =>
  createHash("sha256")
    .update([seed, ...parts].join("|"))
    .digest()
    .readUInt32BE(0) /
  2 ** 32

/** One request in eight goes wrong, each in one of several ways, but never three of a cell on end; answers take up to 40 ms. */
const flaky = (cell: string, times: number): Reaction => {
  const luck = draw("luck", cell, times)
  if (times % 3 === 0 || luck >= 0.12) {
    return { _tag: "Answer", afterMs: Math.floor(draw("delay", cell, times) * 40) }
  }
  if (luck < 0.05) return { _tag: "Refuse", status: 503 }
  if (luck < 0.08) return { _tag: "Refuse", status: 429, retryAfterMs: 20 }
  return { _tag: "Reset" }
}

const { clean, make } = folders()
let server: Loopback

beforeAll(async () => {
  build()
  server = await loopback(flaky)
})
afterAll(async () => {
  await server.close()
  clean()
})

/** Half of the cells go through the client of a provider, half through a plain endpoint; both cost the same. */
const project = () =>
  make({
    "config.yaml": `project: soak
models:
  - key: o
    model: loop
    api_base: "${server.origin}/o/v1"
    card: { input_usd_per_mtok: 100, output_usd_per_mtok: 500 }
targets:
  - { key: u, url: "${server.origin}/u/answer", body: { prompt: "{{prompt}}" } }
run: { concurrency: ${concurrency}, retries: 4, retry_backoff_s: 0.01 }
`,
    "tests.jsonl": Array.from({ length: cells / 2 }, (_, index) =>
      JSON.stringify({ id: `c${index}`, input: `cell c${index}`, expected: "yes" })
    ).join("\n")
  })

/** What is known of the run from outside: which cells it told to be finished, and how often they had been asked by then. */
const acknowledged = new Map<string, number>()

interface Segment {
  readonly code: number | null
  readonly stderr: string
  /** Cells that had been asked and were not acknowledged when the process was killed. */
  readonly inFlight: ReadonlySet<string>
}

const hear = (line: string): boolean => {
  if (!line.includes('"CellFinished"')) return false
  const event = JSON.parse(line)
  if (event.reused === true || event.status !== "ok") return false
  const cell = `${event.contestant}/${event.caseId}`
  assert.isFalse(acknowledged.has(cell), `${cell} was finished twice`)
  acknowledged.set(cell, server.asked.get(cell) ?? 0)
  return true
}

const unacknowledged = (): ReadonlySet<string> =>
  new Set([...server.asked.keys()].filter((cell) => !acknowledged.has(cell)))

/** One part of the run; `kill` says after how many acknowledged cells, or how many ms, it is killed. */
const part = async (
  args: ReadonlyArray<string>,
  kill: { readonly cells: number } | { readonly ms: number } | null
): Promise<Segment> => {
  const running = start([...args, "--no-report", "--quiet", "--events", "-"])
  let heard = 0
  let rest = ""
  let isKilled = false
  const strike = () => {
    isKilled = true
    running.child.kill("SIGKILL")
  }
  running.child.stdout?.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) if (hear(line)) heard += 1
    if (!isKilled && kill !== null && "cells" in kill && heard >= kill.cells) strike()
  })
  const timer = kill !== null && "ms" in kill ? setTimeout(strike, kill.ms) : undefined
  const { code, stderr } = await running.ended
  clearTimeout(timer)
  return { code, stderr, inFlight: unacknowledged() }
}

/** When to kill part number `index`: mostly in the middle of its work, sometimes while it starts. */
const moment = (index: number): { readonly cells: number } | { readonly ms: number } => {
  if (draw("kind", index) < 0.2) return { ms: Math.floor(draw("moment", index) * 1_500) }
  const fair = (cells - acknowledged.size) / (kills - index + 1)
  return { cells: Math.max(1, Math.floor(fair * (0.3 + 0.7 * draw("moment", index)))) }
}

describe("a run that is killed again and again", () => {
  it("ends with every cell once, no acknowledged call repeated, and its spend exact", { timeout: 600_000 }, async ({
    annotate
  }) => {
    const folder = project()
    const database = join(folder, "results", "arena.sqlite")
    const started = performance.now()
    const segments: Array<Segment> = []
    for (let index = 0; index < kills; index++) {
      // A kill before the run had its row leaves nothing to go on with.
      const isBegun = segments.some(() => acknowledged.size > 0)
      const kill = isBegun ? moment(index) : { cells: 5 }
      const segment = await part(isBegun ? ["resume", folder] : ["run", folder], kill)
      assert.isNull(segment.code, `part ${index + 1} ended by itself: ${segment.stderr}`)
      segments.push(segment)
    }
    const last = await part(["resume", folder], null)
    assert.strictEqual(last.code, 0, last.stderr)

    const rows = resultRows(database)
    assert.lengthOf(rows, cells)
    assert.strictEqual(new Set(rows.map(({ cell }) => cell)).size, cells)
    assert.isTrue(rows.every(({ stop_reason }) => stop_reason === "answered"))
    for (const [cell, times] of acknowledged) {
      assert.strictEqual(server.asked.get(cell), times, `${cell} was asked again after it was acknowledged`)
    }

    let repeated = 0
    for (const [cell, answers] of server.answered) {
      const excuses = segments.filter(({ inFlight }) => inFlight.has(cell)).length
      assert.isAtMost(answers - 1, excuses, `${cell} was answered ${answers} times, but in flight at ${excuses} kills`)
      repeated += answers - 1
    }
    assert.isAtMost(repeated, kills * concurrency)

    const runs = runRows(database)
    assert.lengthOf(runs, 1)
    const [run] = runs
    assert.isTrue(run !== undefined && isWhole(run))
    assert.deepInclude(run, { status: "completed", planned: cells, finished: cells })
    assert.approximately(run?.total_cost_usd ?? 0, cells * usdPerCell, 1e-9)
    const db = new DatabaseSync(database, { readOnly: true })
    assert.deepEqual({ ...db.prepare("PRAGMA integrity_check").get() }, { integrity_check: "ok" })
    db.close()
    const told = JSON.parse((await arena(["runs", folder, "--json"])).stdout).runs
    assert.strictEqual(told.length, 1)
    const requests = [...server.asked.values()].reduce((sum, times) => sum + times, 0)
    await annotate(
      `${cells} cells, ${kills} kills, ${requests} requests, ${repeated} answers lost in flight and asked again, ` +
        `${((performance.now() - started) / 1_000).toFixed(1)} s`
    )
  })
})
