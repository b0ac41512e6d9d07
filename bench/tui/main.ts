/**
 * What the live screen and the progress of `arena run` cost: `node bench/tui/main.ts`, or `npm run bench -- screen`.
 *
 * Needs a build (`npm run build`). Prints one JSON document in one line; the figures to compare with are in
 * `docs/tui.md`.
 */
import { runApp } from "@agent-arena/tui/dist/app/main.js"
import { fold } from "@agent-arena/tui/dist/app/run/Fold.js"
import { makeRunModel } from "@agent-arena/tui/dist/app/run/RunModel.js"
import * as Effect from "effect/Effect"
import { makeRules } from "../../test/tui/app/simulation/Rules.ts"
import { simulatedArena } from "../../test/tui/app/simulation/SimulatedArena.ts"
import { simulatedEvents } from "../../test/tui/app/simulation/SimulatedRun.ts"
import { makeSink } from "./Sink.ts"
import { withAndWithoutScreen } from "./throughput.ts"

const env = { TERM: "xterm-256color", COLORTERM: "truecolor", LANG: "en_US.UTF-8" }
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const quantile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? Number.NaN
const rounded = (value: number): number => Math.round(value * 100) / 100

const large = { contestants: 12, cases: 10_000, trials: 5, seed: 1, concurrency: 64, stepMs: 1, startedAt: 0 }

/** Events taken in per second, and what the compact model of 600,000 cells weighs. */
const folding = () => {
  globalThis.gc?.()
  const before = process.memoryUsage()
  const model = makeRunModel({ id: "r", project: "p", rules: makeRules(large), startedAt: 0 })
  globalThis.gc?.()
  const after = process.memoryUsage()
  const events = []
  for (const event of simulatedEvents(large)) {
    events.push(event)
    if (events.length === 400_000) break
  }
  const start = performance.now()
  for (const event of events) fold(model, event)
  const seconds = (performance.now() - start) / 1000
  const bytes = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers
  return { eventsPerSecond: Math.round(events.length / seconds), modelMb: rounded(bytes / 1e6) }
}

const start = async (perSecond: number, columns: number, rows: number) => {
  const sink = makeSink(columns, rows)
  const { stdin, stdout } = sink
  const arena = simulatedArena({ ...large, perSecond, startedAt: Date.now() })
  const done = Effect.runPromise(runApp({ arena, stdin, stdout, stderr: process.stderr, env }))
  await pause(1000)
  stdin.push("\r")
  await pause(2000)
  return { sink, done }
}

const leave = async ({ sink, done }: Awaited<ReturnType<typeof start>>) => {
  sink.stdin.push("q")
  await pause(200)
  sink.stdin.push("q")
  await done
}

/** Share of one core, everything in the process included: simulated run, ranking, screen. */
const load = async (perSecond: number, columns: number, rows: number) => {
  const app = await start(perSecond, columns, rows)
  const [cpu, at, bytes] = [process.cpuUsage(), performance.now(), app.sink.bytes()]
  let writes = 0
  app.sink.onWrite(() => {
    writes += 1
  })
  await pause(4000)
  const seconds = (performance.now() - at) / 1000
  const used = process.cpuUsage(cpu)
  const result = {
    eventsPerSecond: perSecond,
    size: `${columns}×${rows}`,
    core: rounded((used.user + used.system) / 1e6 / seconds),
    framesPerSecond: rounded(writes / seconds),
    kbPerSecond: rounded((app.sink.bytes() - bytes) / 1000 / seconds)
  }
  await leave(app)
  return result
}

/** From a key on stdin to the frame on stdout, on 10,000 × 12 × 5 cells with 1,000 events a second. */
const keys = async (columns: number, rows: number) => {
  const app = await start(1000, columns, rows)
  const times: Array<number> = []
  const pressed = ["j", "j", "j", "\u001b[6~", "G", "g", "l", "h", "k"]
  for (let press = 0; press < 90; press++) {
    const begin = performance.now()
    const painted = new Promise<void>((resolve) => app.sink.onWrite(resolve))
    app.sink.stdin.push(pressed[press % pressed.length] ?? "j")
    await painted
    times.push(performance.now() - begin)
    await pause(25)
  }
  await leave(app)
  return { size: `${columns}×${rows}`, medianMs: rounded(quantile(times, 0.5)), p95Ms: rounded(quantile(times, 0.95)) }
}

const report = {
  folding: folding(),
  load: [await load(1000, 80, 24), await load(1000, 200, 50), await load(10_000, 200, 50)],
  keys: [await keys(80, 24), await keys(200, 50), await keys(300, 100)],
  throughput: await withAndWithoutScreen()
}
process.stdout.write(`${JSON.stringify(report)}\n`)
process.exit(0)
