/**
 * `npm run bench`: measures the engine, the start of the command, the ranking and the screen, each in a process of its own,
 * prints tables and writes `bench/out/results.json`. `npm run bench -- engine` (or `startup`, `ranking`, `screen`) runs one
 * part.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { cpus, loadavg } from "node:os"
import { fileURLToPath } from "node:url"

const here = fileURLToPath(new URL(".", import.meta.url))
const arena = fileURLToPath(new URL("../packages/tui/bin/arena.js", import.meta.url))

/** Runs a measurement of its own process and reads the JSON of its last line. */
const measure = <Result = Record<string, number>>(script: string, args: ReadonlyArray<string | number>): Result => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [`${here}${script}`, ...args.map(String)], {
    encoding: "utf8",
    maxBuffer: 1e8
  })
  if (status !== 0) throw new Error(`${script} ${args.join(" ")} failed: ${stderr}`)
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "{}")
}

const round = (value: number | undefined, digits = 1): string =>
  value === undefined ? "—" : value.toLocaleString("en", { maximumFractionDigits: digits })

const table = (title: string, rows: ReadonlyArray<Readonly<Record<string, string>>>): void => {
  const [first] = rows
  if (first === undefined) return
  const names = Object.keys(first)
  const widths = names.map((name) => Math.max(name.length, ...rows.map((row) => (row[name] ?? "").length)))
  const line = (cells: ReadonlyArray<string>) =>
    cells.map((cell, index) => cell.padStart(widths[index] ?? 0)).join("  ")
  process.stdout.write(`\n${title}\n${line(names)}\n`)
  for (const row of rows) process.stdout.write(`${line(names.map((name) => row[name] ?? ""))}\n`)
}

const engine = () => {
  const sizes = [1_000, 10_000, 100_000, 200_000]
  const results = [4, 64].flatMap((concurrency) => sizes.map((cells) => measure("engine.ts", [cells, concurrency, 0])))
  table(
    "Engine: zero-latency mock, 4 contestants × cases × 5 trials, scoring and durable acknowledgement included",
    results.map((result) => ({
      cells: round(result.cells, 0),
      concurrency: round(result.concurrency, 0),
      "cells/s": round(result.cellsPerSecond, 0),
      "CPU µs/cell": round(result.cpuMicrosecondsPerCell),
      "peak MB": round(result.peakMb, 0)
    }))
  )
  return results
}

const efficiency = () => {
  const latencyMs = 50
  const result = measure("engine.ts", [8_000, 64, latencyMs])
  const ideal = (64 * 1_000) / latencyMs
  const share = (result.cellsPerSecond ?? 0) / ideal
  table(`Efficiency: ${latencyMs} ms calls at concurrency 64`, [
    { "cells/s": round(result.cellsPerSecond), "ideal cells/s": round(ideal), "% of ideal": round(share * 100) }
  ])
  return { ...result, idealCellsPerSecond: ideal, efficiency: share }
}

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const timed = (args: ReadonlyArray<string>): number => {
  const before = performance.now()
  spawnSync(process.execPath, args, { stdio: "ignore" })
  return performance.now() - before
}

/** Bare node and `arena --help` in turn, so that both see the same machine. */
const startup = () => {
  const pairs = Array.from({ length: 15 }, () => ({ bare: timed(["-e", "0"]), help: timed([arena, "--help"]) }))
  const bareMs = median(pairs.map(({ bare }) => bare))
  const helpMs = median(pairs.map(({ help }) => help))
  const addedMs = median(pairs.map(({ bare, help }) => help - bare))
  table("Start-up, medians of 15 pairs measured in turn", [
    { "node ms": round(bareMs), "arena --help ms": round(helpMs), "added ms": round(addedMs) }
  ])
  return { bareMs, helpMs, addedMs }
}

const ranking = () => {
  const result = measure("ranking.ts", [100_000])
  table("Ranking and reporting 100,000 cells (4 contestants × 25,000 cases, 2,000 resamples)", [
    {
      "measure s": round(result.measureSeconds, 2),
      "rank s": round(result.rankSeconds, 2),
      "report s": round(result.reportSeconds, 2),
      "peak MB": round(result.peakMb, 0)
    }
  ])
  return result
}

interface Shown {
  readonly cellsPerSecond: number
  readonly shareByWallClock: number
  readonly shareByProcessorTime: number
}

interface ScreenFigures {
  readonly folding: { readonly eventsPerSecond: number; readonly modelMb: number }
  readonly load: ReadonlyArray<{
    readonly eventsPerSecond: number
    readonly size: string
    readonly core: number
    readonly framesPerSecond: number
    readonly kbPerSecond: number
  }>
  readonly keys: ReadonlyArray<{ readonly size: string; readonly medianMs: number; readonly p95Ms: number }>
  readonly throughput: {
    readonly cells: number
    readonly headlessCellsPerSecond: number
    readonly inline: Shown
    readonly screen: Shown
  }
}

const screen = () => {
  const result = measure<ScreenFigures>("tui/main.ts", [])
  const { folding, keys, load, throughput } = result
  table("Screen: what 10,000 cases × 12 contestants × 5 trials take behind it", [
    { "events folded/s": round(folding.eventsPerSecond, 0), "model MB": round(folding.modelMb) }
  ])
  table(
    "Screen: load while events come in",
    load.map((one) => ({
      "events/s": round(one.eventsPerSecond, 0),
      size: one.size,
      "share of a core %": round(one.core * 100, 0),
      "frames/s": round(one.framesPerSecond),
      "kB/s": round(one.kbPerSecond)
    }))
  )
  table(
    "Screen: from a key to its frame, at 1,000 events a second",
    keys.map((one) => ({ size: one.size, "median ms": round(one.medianMs), "p95 ms": round(one.p95Ms) }))
  )
  const row = (name: string, { cellsPerSecond, shareByProcessorTime, shareByWallClock }: Shown) => ({
    shown: name,
    "cells/s": round(cellsPerSecond, 0),
    "% by wall clock": round(shareByWallClock * 100),
    "% by processor time": round(shareByProcessorTime * 100)
  })
  const alone = { cellsPerSecond: throughput.headlessCellsPerSecond, shareByWallClock: 1, shareByProcessorTime: 1 }
  table(`Screen: throughput of ${round(throughput.cells, 0)} cells of a zero-latency mock, best of three`, [
    row("nothing", alone),
    row("arena run", throughput.inline),
    row("arena tui", throughput.screen)
  ])
  return result
}

const parts = { engine, efficiency, startup, ranking, screen } as const
const asked = process.argv.slice(2)
const chosen = Object.entries(parts).filter(([name]) => asked.length === 0 || asked.includes(name))

const [cpu] = cpus()
process.stdout.write(
  `node ${process.version}, ${cpus().length} × ${cpu?.model.trim() ?? "unknown processor"}, load ${loadavg()
    .map((load) => load.toFixed(1))
    .join(" ")}\n`
)
const results = Object.fromEntries(chosen.map(([name, part]) => [name, part()]))
mkdirSync(`${here}out`, { recursive: true })
writeFileSync(
  `${here}out/results.json`,
  `${JSON.stringify({ node: process.version, cpus: cpus().length, cpu: cpu?.model ?? null, load: loadavg(), results }, null, 2)}\n`
)
