/**
 * `npm run bench`: measures the engine, the start of the command and the ranking, each in a process of its own, prints
 * tables and writes `bench/out/results.json`. `npm run bench -- engine` (or `startup`, `ranking`) runs one part.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { cpus, loadavg } from "node:os"
import { fileURLToPath } from "node:url"

const here = fileURLToPath(new URL(".", import.meta.url))
const arena = fileURLToPath(new URL("../packages/tui/bin/arena.js", import.meta.url))

/** Runs a measurement of its own process and reads the JSON of its last line. */
const measure = (script: string, args: ReadonlyArray<string | number>): Record<string, number> => {
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

const parts = { engine, efficiency, startup, ranking } as const
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
