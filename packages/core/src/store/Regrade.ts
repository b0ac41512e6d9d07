/** Writes scores that were given after a run has ended, and the ranking that follows from them. */
import type { CallResult } from "../domain/CallResult.ts"
import type { Leaderboard } from "../domain/Leaderboard.ts"
import { writeLeaderboard } from "./EndRun.ts"
import * as ResultColumns from "./ResultColumns.ts"
import * as ResultRow from "./ResultRow.ts"
import type { RunRow } from "./RunRow.ts"
import type { SqliteTransaction } from "./SqliteClient.ts"
import * as TextColumn from "./TextColumn.ts"

/** A result with a new score. */
export interface NewScore {
  /** As it was read: it is written only where that still stands. */
  readonly before: CallResult
  readonly after: CallResult
  /** Whether the score before is worth keeping. */
  readonly keep: boolean
}

interface PlaceRow {
  readonly case_ix: number
  readonly contestant_ix: number
  readonly segment: number
  readonly paid_usd: number | null
  readonly started_at: number
  readonly record: string | null
  readonly scorer: string | null
  readonly score: number | null
  readonly reason: string
  readonly model: string
  readonly provider: string
}

const findPlace = `SELECT r.case_ix, r.contestant_ix, r.segment, r.paid_usd, r.started_at, r.record, r.scorer, r.score,
    r.reason, k.model, k.provider
  FROM results AS r
  JOIN run_cases AS c ON c.run = r.run AND c.ix = r.case_ix
  JOIN run_contestants AS k ON k.run = r.run AND k.ix = r.contestant_ix
  WHERE r.run = ?1 AND c.id = ?2 AND k.key = ?3 AND r.trial = ?4 AND r.stale = 0`

/** What all scorers said, as far as a row says it in its record. */
const scoresIn = (record: unknown): string =>
  JSON.stringify(typeof record === "string" ? (JSON.parse(record).scores ?? null) : null)

const placeOf = (run: RunRow, row: PlaceRow): ResultRow.Place => ({
  run: run.pk,
  caseIx: row.case_ix,
  contestantIx: row.contestant_ix,
  segment: row.segment,
  model: TextColumn.decode(row.model),
  provider: TextColumn.decode(row.provider)
})

/** Whether a row still says of its answer what `before` says; an equal score may be somebody else's. */
const stands = (run: RunRow, row: PlaceRow, before: CallResult): boolean => {
  const params = ResultRow.toParams(placeOf(run, row), before, row.paid_usd)
  const same = (column: "started_at" | "scorer" | "score" | "reason"): boolean =>
    params[ResultColumns.indexOf(column)] === row[column]
  return (
    same("started_at") &&
    same("scorer") &&
    same("score") &&
    // Where the row names the only scorer, its own reason is the scorer's; elsewhere the record says it exactly.
    (row.scorer === null || same("reason")) &&
    scoresIn(params[ResultColumns.indexOf("record")]) === scoresIn(row.record)
  )
}

/** Writes all new scores; false when one of the results is no longer what it was, and then none should be written. */
export const writeScores = (transaction: SqliteTransaction, run: RunRow, scores: ReadonlyArray<NewScore>): boolean => {
  const places = scores.map(({ before }) => {
    const key = [run.pk, TextColumn.encode(before.caseId), TextColumn.encode(before.contestant), before.trial]
    const row = transaction.all<PlaceRow>(findPlace, key)[0]
    return row !== undefined && stands(run, row, before) ? row : null
  })
  if (places.some((place) => place === null)) return false
  for (const [index, { after, keep }] of scores.entries()) {
    const row = places[index]
    if (row === undefined || row === null) continue
    ResultColumns.rewrite(transaction, ResultRow.toParams(placeOf(run, row), after, row.paid_usd), keep)
  }
  return true
}

/** Writes a leaderboard over the one that the run ended with. */
export const writeRanking = (transaction: SqliteTransaction, run: RunRow, leaderboard: Leaderboard): void => {
  const { verdict } = leaderboard
  const winner = verdict._tag === "Winner" ? TextColumn.encode(verdict.winner) : null
  transaction.run("UPDATE runs SET winner = ? WHERE pk = ?", [winner, run.pk])
  writeLeaderboard(transaction, run.pk, leaderboard)
}
