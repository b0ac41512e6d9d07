/**
 * One measured run in a process of its own: `node bench/engine.ts CELLS CONCURRENCY LATENCY_MS`. Prints one JSON line.
 * Everything a real run does is included: retry and time-out machinery, scoring, durable acknowledgement, events.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { DatabaseSync } from "node:sqlite"
import { join } from "node:path"
import { Arena } from "@agent-arena/core/engine/Arena"
import * as Project from "@agent-arena/core/project/Project"
import * as Effect from "effect/Effect"

const contestants = 4
const trials = 5

const [cells = 1_000, concurrency = 64, latencyMs = 0] = process.argv.slice(2).map(Number)
const cases = Math.max(1, Math.round(cells / contestants / trials))

const writeProject = (folder: string): void => {
  const params = latencyMs > 0 ? { latency_ms: latencyMs, sleep: true } : {}
  const models = Array.from({ length: contestants }, (_, index) => ({ key: `m${index}`, model: `mock:m${index}`, params }))
  const config = {
    project: "bench",
    models,
    run: { trials, concurrency },
    scorers: { default: "exact_match" }
  }
  writeFileSync(join(folder, "config.json"), JSON.stringify(config))
  const lines = Array.from({ length: cases }, (_, index) =>
    JSON.stringify({ id: `case_${index}`, input: `Question number ${index}: what is ${index} plus one?`, expected: `${index + 1}` })
  )
  writeFileSync(join(folder, "tests.jsonl"), lines.join("\n"))
}

/** From the start of the first cell to the end of the last, ms, as their records say. */
const firstToLast = (database: string): number => {
  const db = new DatabaseSync(database, { readOnly: true })
  const row = db.prepare("SELECT min(started_at) AS first, max(finished_at) AS last FROM results").get()
  db.close()
  return Math.max(1, Number(row?.last) - Number(row?.first))
}

const measure = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "arena-bench-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  writeProject(folder)
  const project = yield* Project.load(folder)
  const started = performance.now()
  const cpu = process.cpuUsage()
  const run = yield* Arena.start(project)
  const report = yield* run.result
  const { system, user } = process.cpuUsage(cpu)
  const seconds = firstToLast(project.output.db) / 1_000
  return {
    cells: report.run.counts.finished,
    concurrency,
    latencyMs,
    seconds,
    cellsPerSecond: report.run.counts.finished / seconds,
    /** Processor time of the whole run an cell, ranking and start included: comparable on a busy machine. */
    cpuMicrosecondsPerCell: (user + system) / report.run.counts.finished,
    totalSeconds: (performance.now() - started) / 1_000,
    peakMb: process.resourceUsage().maxRSS / 1_024
  }
})

const result = await Effect.runPromise(measure.pipe(Effect.scoped, Effect.provide(Arena.layer)))
process.stdout.write(`${JSON.stringify(result)}\n`)
