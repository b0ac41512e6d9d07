/** Writes how a run ended. */
import type { Leaderboard, LeaderboardEntry } from "../domain/Leaderboard.ts"
import { ending, type RunEnding, type StopRequest } from "../domain/Run.ts"
import * as ExactJson from "./ExactJson.ts"
import { find } from "./OpenRun.ts"
import { update } from "./RowStatement.ts"
import { type CountsRow, countsQuery, paidQuery, toCounts } from "./RunCounts.ts"
import type { RunFooter } from "./RunHeader.ts"
import { countColumns, type RunRow } from "./RunRow.ts"
import type { SqliteTransaction } from "./SqliteClient.ts"
import * as TextColumn from "./TextColumn.ts"

const insertRanking = `INSERT INTO rankings
  (run, contestant, model, provider, rank, status, composite, metrics, stats, failures, warnings)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

const addRanking = (transaction: SqliteTransaction, pk: number, entry: LeaderboardEntry): void => {
  transaction.run(insertRanking, [
    pk,
    TextColumn.encode(entry.key),
    TextColumn.encode(entry.model),
    TextColumn.encode(entry.provider),
    entry.rank,
    entry.status,
    entry.composite,
    ExactJson.stringify(entry.metrics),
    ExactJson.stringify(entry.stats),
    ExactJson.stringify(entry.failures),
    ExactJson.stringify(entry.warnings)
  ])
}

/** Writes the leaderboard whole, and a row for each of its entries. */
export const writeLeaderboard = (transaction: SqliteTransaction, pk: number, leaderboard: Leaderboard): void => {
  transaction.run("UPDATE run_documents SET leaderboard = ? WHERE run = ?", [ExactJson.stringify(leaderboard), pk])
  transaction.run("DELETE FROM rankings WHERE run = ?", [pk])
  for (const entry of leaderboard.entries) addRanking(transaction, pk, entry)
}

/** The segment that is to be ended. */
export interface OpenSegment {
  readonly pk: number
  readonly segment: number
}

/** `taken`: another process has resumed the run since, or it was deleted. */
export const stateOf = (transaction: SqliteTransaction, { pk, segment }: OpenSegment): "open" | "ended" | "taken" => {
  const row = transaction.all<Pick<RunRow, "status">>("SELECT status FROM runs WHERE pk = ? AND segment = ?", [
    pk,
    segment
  ])[0]
  if (row === undefined) return "taken"
  return row.status === "running" ? "open" : "ended"
}

/** Writes the run's row, its segment's, and the leaderboard. */
export const finish = (transaction: SqliteTransaction, { pk, segment }: OpenSegment, footer: RunFooter): void => {
  const { status } = footer.ending
  const stopReason = TextColumn.encode(footer.ending.stopReason)
  const counts = countColumns(footer.counts)
  transaction.run(
    `UPDATE runs SET status = ?, stop_reason = ?, finished_at = ?, duration_ms = ?, total_cost_usd = ?, winner = ?,
       ${Object.keys(counts)
         .map((column) => `${column} = ?`)
         .join(", ")} WHERE pk = ?`,
    [
      status,
      stopReason,
      footer.finishedAt,
      footer.durationMs,
      footer.totalCostUsd,
      TextColumn.encodeNullable(footer.winner),
      ...Object.values(counts),
      pk
    ]
  )
  transaction.run(
    "UPDATE run_segments SET status = ?, stop_reason = ?, finished_at = ? WHERE run = ? AND segment = ?",
    [status, stopReason, footer.finishedAt, pk, segment]
  )
  if (footer.leaderboard !== null) writeLeaderboard(transaction, pk, footer.leaderboard)
}

/** The last moment of which a run has left a trace, ISO 8601. */
export const lastSign = (row: RunRow, counts: CountsRow | undefined): string => {
  const traces = [Date.parse(row.heartbeat_at ?? row.started_at), Date.parse(row.started_at)]
  const latest = Math.max(...traces.filter(Number.isFinite), counts?.last_finished_at ?? 0)
  return new Date(latest).toISOString()
}

/** How a run that nobody finished is told: what its results say, and why it stopped. */
export const footerFromResults = (
  row: RunRow,
  counts: CountsRow | undefined,
  paidUsd: number | null,
  reason: StopRequest
): RunFooter => {
  const finishedAt = lastSign(row, counts)
  const told = toCounts(row.planned, counts)
  const end: RunEnding = ending(reason, told.finished)
  return {
    ending: end,
    counts: told,
    finishedAt,
    durationMs: Math.max(0, Date.parse(finishedAt) - Date.parse(row.started_at)),
    totalCostUsd: paidUsd,
    winner: null,
    leaderboard: null
  }
}

/** Ends a run from its results. */
export const finishFromResults = (transaction: SqliteTransaction, row: RunRow, reason: StopRequest): RunFooter => {
  const counts = transaction.all<CountsRow>(...countsQuery(row.pk))[0]
  const paid = transaction.all<{ usd: number | null }>(...paidQuery(row.pk))[0]
  const footer = footerFromResults(row, counts, paid?.usd ?? null, reason)
  finish(transaction, row, footer)
  return footer
}

const gracefully: ReadonlySet<string | null> = new Set(["cancelled", "budget", "time_limit"])

/** Counts the results of an ended run again, because some came in after its end. */
export const recount = (transaction: SqliteTransaction, runId: string): void => {
  const row = find(transaction, runId)
  if (row === undefined || row.status === "running") return
  const counts = toCounts(row.planned, transaction.all<CountsRow>(...countsQuery(row.pk))[0])
  const paid = transaction.all<{ usd: number | null }>(...paidQuery(row.pk))[0]
  const measured = gracefully.has(row.stop_reason) ? "partial" : "aborted"
  const status = row.status === "failed" && counts.finished > 0 ? measured : row.status
  transaction.run(...update("runs", { ...countColumns(counts), status, total_cost_usd: paid?.usd ?? null }, row.pk))
}
