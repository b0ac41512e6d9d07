/** A `RunRecord` as a row and back. */
import * as Schema from "effect/Schema"
import { RunId } from "../domain/Ids.ts"
import { RunHost, type RunRecord, type RunStatus } from "../domain/Run.ts"
import * as TextColumn from "./TextColumn.ts"

/** A row of `runs` as SQLite returns it. */
export interface RunRow {
  readonly pk: number
  readonly run_id: string
  readonly project: string
  readonly label: string | null
  readonly notes: string | null
  readonly tags: string
  readonly started_at: string
  readonly finished_at: string | null
  readonly duration_ms: number | null
  readonly status: RunStatus
  readonly stop_reason: string | null
  readonly arena_version: string
  readonly git_sha: string | null
  readonly contestants: number
  readonly cases: number
  readonly trials: number
  readonly planned: number
  readonly finished: number
  readonly interrupted: number
  readonly not_started: number
  readonly errored: number
  readonly timed_out: number
  readonly winner: string | null
  readonly total_cost_usd: number | null
  readonly request_timeout_s: number | null
  readonly idle_timeout_s: number | null
  readonly cell_timeout_s: number | null
  readonly max_wall_s: number | null
  readonly host: string | null
  readonly heartbeat_at: string | null
  readonly segment: number
  readonly archived_at: string | null
  readonly deleted_at: string | null
}

const hostFromJson = Schema.decodeUnknownOption(Schema.fromJsonString(RunHost))

export const hostOf = (json: string | null): RunHost | null => {
  if (json === null) return null
  const host = hostFromJson(json)
  return host._tag === "Some" ? host.value : null
}

/** Columns that a new segment of the run writes anew. */
export const segmentColumns = (record: RunRecord) => ({
  status: "running",
  stop_reason: null,
  finished_at: null,
  duration_ms: null,
  arena_version: record.arenaVersion,
  git_sha: record.gitSha,
  contestants: record.contestants,
  cases: record.cases,
  trials: record.trials,
  ...countColumns(record.counts),
  winner: null,
  request_timeout_s: record.limits.requestTimeoutS,
  idle_timeout_s: record.limits.idleTimeoutS,
  cell_timeout_s: record.limits.cellTimeoutS,
  max_wall_s: record.limits.maxWallS,
  host: record.host === null ? null : JSON.stringify(record.host),
  heartbeat_at: record.heartbeatAt ?? record.startedAt
})

export const countColumns = (counts: RunRecord["counts"]) => ({
  planned: counts.planned,
  finished: counts.finished,
  interrupted: counts.interrupted,
  not_started: counts.notStarted,
  errored: counts.errored,
  timed_out: counts.timedOut
})

/** Columns of a run that has just begun. */
export const startColumns = (record: RunRecord) => ({
  run_id: TextColumn.encode(record.runId),
  project: TextColumn.encode(record.project),
  label: TextColumn.encodeNullable(record.label),
  started_at: record.startedAt,
  total_cost_usd: record.totalCostUsd,
  ...segmentColumns(record)
})

/** The record as it stands in the row, without judging whether a `running` run is still alive. */
export const toRecord = (row: RunRow): RunRecord => ({
  runId: RunId.make(TextColumn.decode(row.run_id)),
  project: TextColumn.decode(row.project),
  label: TextColumn.decodeNullable(row.label),
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  status: row.status,
  stopReason: TextColumn.decodeNullable(row.stop_reason),
  arenaVersion: row.arena_version,
  gitSha: row.git_sha,
  counts: {
    planned: row.planned,
    finished: row.finished,
    interrupted: row.interrupted,
    notStarted: row.not_started,
    errored: row.errored,
    timedOut: row.timed_out
  },
  contestants: row.contestants,
  cases: row.cases,
  trials: row.trials,
  winner: TextColumn.decodeNullable(row.winner),
  totalCostUsd: row.total_cost_usd,
  limits: {
    requestTimeoutS: row.request_timeout_s,
    idleTimeoutS: row.idle_timeout_s,
    cellTimeoutS: row.cell_timeout_s,
    maxWallS: row.max_wall_s
  },
  host: hostOf(row.host),
  heartbeatAt: row.heartbeat_at,
  durationMs: row.duration_ms
})
