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
  readonly score: number | null
  readonly model: string
  readonly provider: string
}

const findPlace = `SELECT r.case_ix, r.contestant_ix, r.segment, r.paid_usd, r.started_at, r.score, k.model, k.provider
  FROM results AS r
  JOIN run_cases AS c ON c.run = r.run AND c.ix = r.case_ix
  JOIN run_contestants AS k ON k.run = r.run AND k.ix = r.contestant_ix
  WHERE r.run = ?1 AND c.id = ?2 AND k.key = ?3 AND r.trial = ?4 AND r.stale = 0`

/** Writes all new scores; false when one of the results is no longer what it was, and then none should be written. */
export const writeScores = (transaction: SqliteTransaction, run: RunRow, scores: ReadonlyArray<NewScore>): boolean => {
  const places = scores.map(({ before }) => {
    const key = [run.pk, TextColumn.encode(before.caseId), TextColumn.encode(before.contestant), before.trial]
    const row = transaction.all<PlaceRow>(findPlace, key)[0]
    return row !== undefined && row.started_at === before.startedAt && row.score === before.score ? row : null
  })
  if (places.some((place) => place === null)) return false
  for (const [index, { after, keep }] of scores.entries()) {
    const row = places[index]
    if (row === undefined || row === null) continue
    const place = {
      run: run.pk,
      caseIx: row.case_ix,
      contestantIx: row.contestant_ix,
      segment: row.segment,
      model: TextColumn.decode(row.model),
      provider: TextColumn.decode(row.provider)
    }
    ResultColumns.rewrite(transaction, ResultRow.toParams(place, after, row.paid_usd), keep)
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
