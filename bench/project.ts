import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import * as Effect from "effect/Effect"

// As the command does at its start (`packages/tui/bin/arena.js`).
for (const flag of ["--semi-space-growth-factor=1", "--heap-growing-percent=40"]) setFlagsFromString(flag)

/** What is measured: `contestants × cases × trials` cells of a simulated model. */
export interface BenchProject {
  readonly contestants: number
  readonly cases: number
  readonly trials: number
  readonly concurrency: number
  readonly params: Readonly<Record<string, unknown>>
}

const write = (folder: string, { cases, concurrency, contestants, params, trials }: BenchProject): void => {
  const models = Array.from({ length: contestants }, (_, index) => ({
    key: `m${index}`,
    model: `mock:m${index}`,
    params
  }))
  const config = { project: "bench", models, run: { trials, concurrency }, scorers: { default: "exact_match" } }
  writeFileSync(join(folder, "config.json"), JSON.stringify(config))
  const lines = Array.from({ length: cases }, (_, index) =>
    JSON.stringify({
      id: `case_${index}`,
      input: `Question number ${index}: what is ${index} plus one?`,
      expected: `${index + 1}`
    })
  )
  writeFileSync(join(folder, "tests.jsonl"), lines.join("\n"))
}

/** A project folder in a temporary place, removed with the scope. */
export const benchFolder = (project: BenchProject) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "arena-bench-"))
      write(folder, project)
      return folder
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

/** Peak resident memory of this process so far, MB. */
export const peakMb = (): number => process.resourceUsage().maxRSS / 1_024
