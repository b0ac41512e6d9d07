/** What a run has come to, counted from its results: the truth when its own row was never finished. */
import type { CellCounts } from "../domain/Run.ts"
import type { SqliteParams } from "./SqliteClient.ts"

export interface CountsRow {
  readonly finished: number
  readonly interrupted: number
  readonly errored: number
  readonly timed_out: number
  readonly last_finished_at: number | null
}

/**
 * Results that count under the run's plan: planned contestants and cases come first on their axes. `r` is the row of
 * `results`; the statement's first parameter is the run's key. `+r.run` instead of `r.run` keeps SQLite from going through
 * the index of cells.
 */
export const counting = (run: string = "r.run"): string => `${run} = ?1 AND r.stale = 0
  AND r.contestant_ix < (SELECT count(*) FROM run_contestants WHERE run = ?1 AND planned = 1)
  AND r.case_ix < (SELECT count(*) FROM run_cases WHERE run = ?1 AND planned = 1)
  AND r.trial <= (SELECT trials FROM runs WHERE pk = ?1)`

export const countsQuery = (pk: number): readonly [sql: string, params: SqliteParams] => [
  `SELECT count(*) FILTER (WHERE r.stop_reason <> 'run_stopped') AS finished,
     count(*) FILTER (WHERE r.stop_reason = 'run_stopped') AS interrupted,
     count(*) FILTER (WHERE r.stop_reason = 'error') AS errored,
     count(*) FILTER (WHERE r.stop_reason = 'timeout') AS timed_out,
     max(r.finished_at) AS last_finished_at
   FROM results AS r WHERE ${counting()}`,
  [pk]
]

/**
 * What this run has paid, USD: for its own results (stale ones included), and for those that were replaced; not for what
 * was taken over from another run. Null when nothing has a known cost.
 */
export const paidQuery = (pk: number): readonly [sql: string, params: SqliteParams] => [
  `SELECT sum(paid_usd) AS usd FROM (
     SELECT paid_usd FROM results WHERE run = ? AND segment > 0
     UNION ALL
     SELECT paid_usd FROM superseded_results WHERE run = ? AND segment > 0)`,
  [pk, pk]
]

export const toCounts = (planned: number, row: CountsRow | undefined): CellCounts => {
  const finished = row?.finished ?? 0
  const interrupted = row?.interrupted ?? 0
  return {
    planned,
    finished,
    interrupted,
    notStarted: Math.max(0, planned - finished - interrupted),
    errored: row?.errored ?? 0,
    timedOut: row?.timed_out ?? 0
  }
}
