/**
 * Every run as rows for other programs: one a contestant, in a file that is only ever appended to (`leaderboard.jsonl`
 * beside the database), so that nothing that was once said of a run is changed later.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import type { Leaderboard, LeaderboardEntry } from "../domain/Leaderboard.ts"
import type { RunRecord } from "../domain/Run.ts"
import { StoreError } from "../domain/StoreError.ts"
import * as ExactJson from "./ExactJson.ts"

/** How a run ended, in the three words that other programs know. An aborted run that has results is partial. */
export type InterchangeStatus = "completed" | "partial" | "failed"

/** Quantities that were not measured are null. Costs USD, limits seconds, latency ms, scores 0..1. */
export interface LeaderboardRow {
  readonly run_id: string
  readonly project: string
  readonly started_at: string
  readonly finished_at: string | null
  readonly arena_version: string
  readonly git_sha: string | null
  /** Null in the only row of a run that came to no leaderboard. */
  readonly contestant: string | null
  readonly model: string | null
  readonly provider: string | null
  readonly run_status: InterchangeStatus
  readonly run_stop_reason: string | null
  /** Null unless the run is completed: other rows are never ranked. */
  readonly rank: number | null
  readonly status: LeaderboardEntry["status"] | null
  readonly composite: number | null
  /** Raw values by name. */
  readonly metrics: Readonly<Record<string, number | null>>
  /** `planned = completed + interrupted + not_started`; `timed_out` and `errored` are among the completed. */
  readonly planned_tests: number
  readonly completed_tests: number
  readonly interrupted_tests: number
  readonly not_started_tests: number
  readonly timed_out_tests: number
  readonly errored_tests: number
  readonly request_timeout_s: number | null
  readonly idle_timeout_s: number | null
  readonly cell_timeout_s: number | null
  readonly max_wall_s: number | null
  /** Sums of what is known, each with the number of calls that it covers. */
  readonly total_prompt_tokens: number | null
  readonly prompt_tokens_calls: number
  readonly total_completion_tokens: number | null
  readonly completion_tokens_calls: number
  readonly total_cost_usd: number | null
  readonly cost_calls: number
  readonly latency_p50_ms: number | null
}

const maxReason = 500

const interchangeStatus = (status: Exclude<RunRecord["status"], "running">): InterchangeStatus =>
  status === "aborted" ? "partial" : status

const runFields = (record: RunRecord, run_status: InterchangeStatus) => ({
  run_id: record.runId,
  project: record.project,
  started_at: record.startedAt,
  finished_at: record.finishedAt,
  arena_version: record.arenaVersion,
  git_sha: record.gitSha,
  run_status,
  run_stop_reason: record.stopReason === null ? null : record.stopReason.slice(0, maxReason),
  request_timeout_s: record.limits.requestTimeoutS,
  idle_timeout_s: record.limits.idleTimeoutS,
  cell_timeout_s: record.limits.cellTimeoutS,
  max_wall_s: record.limits.maxWallS
})

const entryFields = (entry: LeaderboardEntry, isCompleted: boolean) => {
  const { stats } = entry
  return {
    contestant: entry.key,
    model: entry.model,
    provider: entry.provider,
    rank: isCompleted ? entry.rank : null,
    status: entry.status,
    composite: isCompleted ? entry.composite : null,
    metrics: Object.fromEntries(Object.entries(entry.metrics).map(([name, { raw }]) => [name, raw])),
    planned_tests: stats.planned,
    completed_tests: stats.attempted,
    interrupted_tests: stats.interrupted,
    not_started_tests: stats.planned - stats.attempted - stats.interrupted,
    timed_out_tests: stats.timedOut,
    errored_tests: stats.errors,
    total_prompt_tokens: stats.totalPromptTokens,
    prompt_tokens_calls: stats.promptTokensCalls,
    total_completion_tokens: stats.totalCompletionTokens,
    completion_tokens_calls: stats.completionTokensCalls,
    total_cost_usd: stats.totalCostUsd,
    cost_calls: stats.costPricedCalls,
    latency_p50_ms: stats.latencyP50Ms
  }
}

/** The row of a run of which nothing is known but its end. */
const emptyFields = (record: RunRecord) => ({
  contestant: null,
  model: null,
  provider: null,
  rank: null,
  status: null,
  composite: null,
  metrics: {},
  planned_tests: record.counts.planned,
  completed_tests: record.counts.finished,
  interrupted_tests: record.counts.interrupted,
  not_started_tests: record.counts.notStarted,
  timed_out_tests: record.counts.timedOut,
  errored_tests: record.counts.errored,
  total_prompt_tokens: null,
  prompt_tokens_calls: 0,
  total_completion_tokens: null,
  completion_tokens_calls: 0,
  total_cost_usd: record.totalCostUsd,
  cost_calls: 0,
  latency_p50_ms: null
})

/** The rows of a run that has ended; none while it goes on. */
export const leaderboardRows = (record: RunRecord, leaderboard: Leaderboard | null): ReadonlyArray<LeaderboardRow> => {
  if (record.status === "running") return []
  const status = interchangeStatus(record.status)
  const run = runFields(record, status)
  if (leaderboard === null || leaderboard.entries.length === 0) return [{ ...run, ...emptyFields(record) }]
  return leaderboard.entries.map((entry) => ({ ...run, ...entryFields(entry, status === "completed") }))
}

/** Appends the rows in one write, so that several processes may do so at once, and syncs them to the disk. */
export const appendRows = (path: string, rows: ReadonlyArray<LeaderboardRow>): Effect.Effect<void, StoreError> =>
  Effect.try({
    try: () => {
      if (rows.length === 0) return
      mkdirSync(dirname(path), { recursive: true })
      const fd = openSync(path, "a")
      try {
        const bytes = Buffer.from(rows.map((row) => `${ExactJson.stringify(row)}\n`).join(""), "utf8")
        const written = writeSync(fd, bytes)
        if (written < bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes could be written`)
        fsyncSync(fd)
      } finally {
        closeSync(fd)
      }
    },
    catch: (cause) =>
      new StoreError({
        operation: "append to the leaderboard log",
        path,
        problem: "io",
        detail: cause instanceof Error ? cause.message : String(cause),
        suggestion: "the rows are in the database, too: arena export --format rows prints them",
        cause
      })
  })

/** Appends a run that has ended to the log beside its database; a database in memory has none. */
export const append = (
  database: string,
  record: RunRecord,
  leaderboard: Leaderboard | null
): Effect.Effect<void, StoreError> =>
  database === ":memory:"
    ? Effect.void
    : appendRows(join(dirname(database), "leaderboard.jsonl"), leaderboardRows(record, leaderboard))
