/** What the database of a project says, read without the program that wrote it. */
import { DatabaseSync } from "node:sqlite"

export interface RunRow {
  readonly run_id: string
  readonly status: string
  readonly stop_reason: string | null
  readonly planned: number
  readonly finished: number
  readonly interrupted: number
  readonly not_started: number
  readonly finished_at: string | null
  readonly total_cost_usd: number | null
}

export interface ResultRow {
  readonly cell: string
  readonly stop_reason: string
  readonly status: string
}

const read = <Row>(path: string, sql: string): ReadonlyArray<Row> => {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    // SQLite has no types to check the rows against; the statement says what they are.
    return db.prepare(sql).all() as unknown as ReadonlyArray<Row>
  } finally {
    db.close()
  }
}

/** Rows of runs, oldest first. */
export const runRows = (path: string): ReadonlyArray<RunRow> => read(path, "SELECT * FROM runs ORDER BY pk")

/** Results that stand; a cell is `contestant/case/trial`. */
export const resultRows = (path: string): ReadonlyArray<ResultRow> =>
  read(
    path,
    `SELECT contestant || '/' || case_id || '/' || trial AS cell, stop_reason, status FROM results_view
     WHERE stale = 0 ORDER BY cell`
  )

/** `planned = finished + interrupted + not_started`. */
export const isBalanced = ({ finished, interrupted, not_started, planned }: RunRow): boolean =>
  finished + interrupted + not_started === planned

/** A run that has its end and its sums. */
export const isWhole = (row: RunRow): boolean => row.status !== "running" && row.finished_at !== null && isBalanced(row)
