/**
 * Scenarios against plain cells: `node bench/scenario/scenarios.ts [SCENARIOS]`. Plays two-turn scenarios on the mock and
 * as many plain cells as they have turns, each in a process of its own, and prints one JSON line. Everything a real run
 * does is included, the durable record of every turn as well. `loadedMb` is in use when the run begins, `grownMb` what the
 * run has added to it at its end.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Arena } from "@agent-arena/core/engine/Arena"
import * as Project from "@agent-arena/core/project/Project"
import * as Effect from "effect/Effect"
import { benchFolder, peakMb } from "../project.ts"

setFlagsFromString("--expose-gc")
const collect: unknown = runInNewContext("gc")

/** What is really in use, MB: a peak says more of when V8 collects than of what is kept. */
const keptMb = (): number => {
  if (typeof collect === "function") collect()
  return process.memoryUsage().heapUsed / 1e6
}

const contestants = 4
const trials = 5

const scenarioText = (index: number): string => `scenario: s${index}
entry: ask
nodes:
  ask: { prompt: "First question?", verify: { contains: answer } }
  again: { prompt: "Are you sure?", verify: { contains: answer } }
edges:
  - { from: ask, to: again, when: { verify_result: true } }
  - { from: ask, to: END }
  - { from: again, to: END }
outcomes:
  both: { all_turns: { verify_result: true } }
score: both
`

const measure = (kind: string, planned: number) =>
  Effect.gen(function* () {
    const cases = Math.max(1, Math.round(planned / contestants / trials))
    const params = { mode: "fixed", text: "an answer" }
    const folder = yield* benchFolder({
      contestants,
      cases: kind === "plain" ? cases : 1,
      trials,
      concurrency: 64,
      params
    })
    if (kind === "scenarios") {
      mkdirSync(join(folder, "scenarios"))
      for (let index = 1; index < cases; index++) {
        writeFileSync(join(folder, "scenarios", `s${index}.yaml`), scenarioText(index))
      }
    }
    const project = yield* Project.load(folder)
    const run = yield* Arena.start(project)
    const loadedMb = keptMb()
    const cpu = process.cpuUsage()
    const started = performance.now()
    const report = yield* run.result
    const seconds = (performance.now() - started) / 1_000
    const { system, user } = process.cpuUsage(cpu)
    const cells = report.run.counts.finished
    const grownMb = keptMb() - loadedMb
    return { kind, cells, seconds, cpuSeconds: (user + system) / 1e6, peakMb: peakMb(), loadedMb, grownMb }
  })

const [kind = "10000", size = "0"] = process.argv.slice(2)

if (kind === "plain" || kind === "scenarios") {
  const result = await Effect.runPromise(measure(kind, Number(size)).pipe(Effect.scoped, Effect.provide(Arena.layer)))
  process.stdout.write(`${JSON.stringify(result)}\n`)
} else {
  const child = (what: string, cells: number): { readonly seconds: number; readonly cpuSeconds: number } => {
    const { status, stderr, stdout } = spawnSync(process.execPath, [import.meta.filename, what, String(cells)], {
      encoding: "utf8"
    })
    if (status !== 0) throw new Error(stderr)
    return JSON.parse(stdout.trim().split("\n").at(-1) ?? "{}")
  }
  const scenarios = Number(kind)
  const played = child("scenarios", scenarios)
  const plain = child("plain", scenarios * 2)
  process.stdout.write(
    `${JSON.stringify({ played, plain, timesSlower: played.seconds / plain.seconds, timesCpu: played.cpuSeconds / plain.cpuSeconds })}\n`
  )
}
