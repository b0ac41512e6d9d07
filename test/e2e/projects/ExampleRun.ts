/** Runs a project of the repository through the command, and reads its JSON report as anyone would. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "vitest"
import { parse } from "yaml"
import { type ArenaOptions, arena, root } from "../cli/arena.ts"

export interface ReportedMetric {
  readonly raw: number | null
  readonly normalized: number | null
  readonly weight: number
}

export interface ReportedInterval {
  readonly point: number
  readonly low: number
  readonly high: number
}

export interface ReportedEntry {
  readonly key: string
  readonly display: string
  readonly status: "ranked" | "disqualified" | "no_data"
  readonly rank: number | null
  readonly composite: number | null
  readonly composite_interval: ReportedInterval | null
  readonly accuracy_interval: ReportedInterval | null
  readonly metrics: Readonly<Record<string, ReportedMetric>>
  readonly failures: ReadonlyArray<string>
  readonly stats: Readonly<Record<string, number | null>>
  readonly by_tag: Readonly<Record<string, number>>
}

export interface ReportedComparison {
  readonly leader: string
  readonly other: string
  readonly shared_cases: number
  readonly composite_difference: ReportedInterval | null
  readonly accuracy_difference: ReportedInterval | null
  readonly wins: number
  readonly losses: number
  readonly ties: number
  readonly separated: boolean
  readonly discriminating_cases: ReadonlyArray<{ readonly test_id: string; readonly delta: number }>
}

export interface ReportedResult {
  readonly model_key: string
  readonly test_id: string
  readonly trial: number
  readonly status: "ok" | "error"
  readonly score: number | null
  readonly output: string | null
  readonly latency_ms: number | null
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly cost_usd: number | null
}

export interface ReportedScenario {
  readonly scenario: string
  readonly plays: number
  readonly node_coverage: number | null
  readonly edge_coverage: number | null
  readonly paths: ReadonlyArray<{ readonly path: ReadonlyArray<string>; readonly count: number }>
}

export interface Report {
  readonly run_id: string
  readonly status: string
  readonly planned: number
  readonly finished: number
  readonly errors: number
  readonly winner: string | null
  readonly total_cost_usd: number | null
  readonly skipped_models: Readonly<Record<string, string>>
  readonly leaderboard: {
    readonly weights: Readonly<Record<string, number>>
    readonly winner: string | null
    readonly verdict: { readonly kind: string; readonly margin?: number | null }
    readonly entries: ReadonlyArray<ReportedEntry>
    readonly comparisons: ReadonlyArray<ReportedComparison>
  }
  readonly results: ReadonlyArray<ReportedResult>
  readonly scenarios: ReadonlyArray<ReportedScenario>
}

/** Keys of providers that the machine may have; an example must not depend on them. */
export const withoutKeys = { OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "", GEMINI_API_KEY: "" }

export interface ExampleRun {
  readonly report: Report
  readonly stderr: string
  readonly database: string
}

/** `arena run FOLDER --json`; whatever it writes goes to `output`. Fails unless it exits with 0. */
export const runProject = async (
  folder: string,
  output: string,
  args: ReadonlyArray<string> = [],
  options: ArenaOptions = {}
): Promise<ExampleRun> => {
  const database = join(output, "arena.sqlite")
  const ended = await arena(["run", folder, "--json", "--db", database, "--output-dir", output, ...args], {
    ...options,
    env: { ...withoutKeys, ...options.env }
  })
  assert.strictEqual(ended.code, 0, ended.stderr)
  const report: Report = JSON.parse(ended.stdout)
  return { report, stderr: ended.stderr, database }
}

/** A case of `tests.yaml`, as the examples write them. */
export interface ExampleCase {
  readonly id: string
  readonly input: string
  readonly expected: string | ReadonlyArray<string>
  readonly tags?: ReadonlyArray<string>
  readonly weight?: number
}

export const casesOf = (project: string): ReadonlyArray<ExampleCase> =>
  parse(readFileSync(join(root, "projects", project, "tests.yaml"), "utf8")).tests

export const entryOf = (report: Report, key: string): ReportedEntry => {
  const entry = report.leaderboard.entries.find((one) => one.key === key)
  assert.isDefined(entry, `${key} is not on the leaderboard`)
  return entry
}

export const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((total, value) => total + value, 0) / values.length
