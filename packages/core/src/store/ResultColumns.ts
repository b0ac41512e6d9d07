/** The columns of a stored result, and the statements that write them. */
import type { CallResult } from "../domain/CallResult.ts"
import type { SqliteParams, SqliteTransaction } from "./SqliteClient.ts"

/** A row as SQLite returns it. */
export interface ResultRow {
  readonly case_ix: number
  readonly contestant_ix: number
  readonly trial: number
  readonly segment: number
  readonly stale: number
  readonly status: CallResult["status"]
  readonly stop_reason: CallResult["stopReason"]
  readonly score: number | null
  readonly passed: number | null
  readonly latency_ms: number | null
  readonly first_token_ms: number | null
  readonly duration_ms: number
  readonly cost_usd: number | null
  readonly cost_source: CallResult["costSource"]
  readonly paid_usd: number | null
  readonly prompt_tokens: number | null
  readonly completion_tokens: number | null
  readonly cached_read_tokens: number | null
  readonly cached_write_tokens: number | null
  readonly reasoning_tokens: number | null
  readonly attempts: number
  readonly attempt_at: number | null
  readonly attempt_ms: number | null
  readonly started_at: number
  readonly finished_at: number
  readonly scorer: string | null
  readonly reason: string
  readonly error: string | null
  readonly output: string | null
  readonly record: string | null
}

const keyColumns = ["run", "case_ix", "contestant_ix", "trial"]

/** In the order of `toParams`. */
const valueColumns = [
  "segment",
  "status",
  "stop_reason",
  "score",
  "passed",
  "latency_ms",
  "first_token_ms",
  "duration_ms",
  "cost_usd",
  "cost_source",
  "paid_usd",
  "prompt_tokens",
  "completion_tokens",
  "cached_read_tokens",
  "cached_write_tokens",
  "reasoning_tokens",
  "attempts",
  "attempt_at",
  "attempt_ms",
  "started_at",
  "finished_at",
  "scorer",
  "reason",
  "error",
  "output",
  "record"
]

const written = [...keyColumns, ...valueColumns]

/** All columns of a result but the run. */
export const columns = ["case_ix", "contestant_ix", "trial", ...valueColumns, "stale"]

/**
 * Writes a result over an earlier one of the same cell, never over one of a later segment. Writing the same result twice
 * changes nothing.
 */
const upsert = `INSERT INTO results (${written.join(", ")}) VALUES (${written.map(() => "?").join(", ")})
ON CONFLICT (run, case_ix, contestant_ix, trial) DO UPDATE SET stale = 0, ${valueColumns
  .map((column) => `${column} = excluded.${column}`)
  .join(", ")}
WHERE excluded.segment >= results.segment`

/** Keeps what `upsert` is about to replace. Parameters: key, segment, start of the new result. */
const keepReplaced = `INSERT INTO superseded_results (${written.join(", ")}, stale, kind)
SELECT ${written.join(", ")}, stale, CASE WHEN started_at = ?6 THEN 'rescored' ELSE 'rerun' END FROM results
WHERE run = ?1 AND case_ix = ?2 AND contestant_ix = ?3 AND trial = ?4 AND segment < ?5 AND segment > 0`

/**
 * Moves what is about to be replaced behind all other rows: who reads by place sees it again. Parameters: key, segment of
 * the new result.
 */
const moveToEnd = `UPDATE results SET rowid = (SELECT max(rowid) + 1 FROM results)
WHERE run = ?1 AND case_ix = ?2 AND contestant_ix = ?3 AND trial = ?4 AND segment <= ?5`

/** Place of a column among the parameters of a result. */
export const indexOf = (column: string): number => written.indexOf(column)

const startedAt = indexOf("started_at")

/** Keeps a result that comes too late to stand, once. Parameters: those of a result. */
const keepLate = `INSERT INTO superseded_results (${written.join(", ")}, kind)
SELECT ${written.map(() => "?").join(", ")}, 'rerun' WHERE NOT EXISTS (
  SELECT 1 FROM superseded_results WHERE run = ?1 AND case_ix = ?2 AND contestant_ix = ?3 AND trial = ?4
    AND segment = ?5 AND started_at = ?${startedAt + 1})`

/**
 * Writes a result. What an earlier segment of the run has measured for the cell is kept among the superseded results,
 * and so is the result itself when a later segment has one: both were paid for. (What was copied from another run is
 * still there.) `mayReplace` = the run may hold results of before its present segment.
 */
export const write = (
  transaction: SqliteTransaction,
  segment: number,
  params: SqliteParams,
  mayReplace: boolean = segment > 1
): void => {
  if (segment > 1) transaction.run(keepReplaced, [...params.slice(0, 5), params[startedAt] ?? null])
  if (mayReplace) transaction.run(moveToEnd, params.slice(0, 5))
  if (transaction.run(upsert, params) === 0) transaction.run(keepLate, params)
}

/**
 * Keeps a result whose score is about to be replaced. Parameters: key. What was paid for the answer stays with the row
 * that stands.
 */
const keepScored = `INSERT INTO superseded_results (${written.join(", ")}, stale, kind)
SELECT ${written.map((column) => (column === "paid_usd" ? "NULL" : column)).join(", ")}, stale, 'rescored' FROM results
WHERE run = ?1 AND case_ix = ?2 AND contestant_ix = ?3 AND trial = ?4`

/** Writes the new score of a result in its place; `keep` = the result as it stands is kept among the superseded ones. */
export const rewrite = (transaction: SqliteTransaction, params: SqliteParams, keep: boolean): void => {
  if (keep) transaction.run(keepScored, params.slice(0, 4))
  transaction.run(moveToEnd, params.slice(0, 5))
  transaction.run(upsert, params)
}

/** Whether a run has taken over results of another one. */
export const hasCopies = (transaction: SqliteTransaction, run: SqliteParams[number]): boolean =>
  transaction.all("SELECT 1 FROM run_segments WHERE run = ? AND segment < 1 LIMIT 1", [run]).length > 0

/** Keeps a result that a later one has replaced; parameters: those of a result, then `stale` and the kind. */
export const insertSuperseded = `INSERT INTO superseded_results (${written.join(", ")}, stale, kind)
VALUES (${written.map(() => "?").join(", ")}, ?, ?)`
