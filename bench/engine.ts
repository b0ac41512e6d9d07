/**
 * One measured run in a process of its own: `node bench/engine.ts CELLS CONCURRENCY LATENCY_MS`. Prints one JSON line.
 * Everything a real run does is included: retry and time-out machinery, scoring, durable acknowledgement, events.
 */
import { DatabaseSync } from "node:sqlite"
import { Arena } from "@agent-arena/core/engine/Arena"
import * as Project from "@agent-arena/core/project/Project"
import * as Effect from "effect/Effect"
import { benchFolder, peakMb } from "./project.ts"

const contestants = 4
const trials = 5

const [cells = 1_000, concurrency = 64, latencyMs = 0] = process.argv.slice(2).map(Number)

/** From the start of the first cell to the end of the last, ms, as their records say. */
const firstToLast = (database: string): number => {
  const db = new DatabaseSync(database, { readOnly: true })
  const row = db.prepare("SELECT min(started_at) AS first, max(finished_at) AS last FROM results").get()
  db.close()
  return Math.max(1, Number(row?.["last"]) - Number(row?.["first"]))
}

const measure = Effect.gen(function* () {
  const params = latencyMs > 0 ? { latency_ms: latencyMs, sleep: true } : {}
  const cases = Math.max(1, Math.round(cells / contestants / trials))
  const project = yield* Project.load(yield* benchFolder({ contestants, cases, trials, concurrency, params }))
  const started = performance.now()
  const cpu = process.cpuUsage()
  const run = yield* Arena.start(project)
  const report = yield* run.result
  const { system, user } = process.cpuUsage(cpu)
  const { finished } = report.run.counts
  const seconds = firstToLast(project.output.db) / 1_000
  return {
    cells: finished,
    concurrency,
    latencyMs,
    seconds,
    cellsPerSecond: finished / seconds,
    /** Processor time of the whole run a cell, start and ranking included: comparable on a busy machine. */
    cpuMicrosecondsPerCell: (user + system) / finished,
    totalSeconds: (performance.now() - started) / 1_000,
    peakMb: peakMb()
  }
})

const result = await Effect.runPromise(measure.pipe(Effect.scoped, Effect.provide(Arena.layer)))
process.stdout.write(`${JSON.stringify(result)}\n`)
