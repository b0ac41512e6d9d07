/** Reads the rows of runs; a run whose process is gone is told as interrupted. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { CaseId, type RunId } from "../domain/Ids.ts"
import type { Leaderboard } from "../domain/Leaderboard.ts"
import type { RankedCase, RankingRules } from "../domain/Project.ts"
import type { RunRecord } from "../domain/Run.ts"
import type { StoreError } from "../domain/StoreError.ts"
import { footerFromResults } from "./EndRun.ts"
import { liveness } from "./Liveness.ts"
import * as LocalProcess from "./LocalProcess.ts"
import { type CountsRow, countsQuery, paidQuery, toCounts } from "./RunCounts.ts"
import { type RunRow, toRecord } from "./RunRow.ts"
import type { StoreDatabase } from "./StoreDatabase.ts"
import * as TextColumn from "./TextColumn.ts"

type Database = StoreDatabase["Service"]

export interface RunQuery {
  readonly project?: string
  readonly limit?: number
  readonly includeDeleted?: boolean
  readonly includeArchived?: boolean
}

/** What a run that is marked as running has come to so far, and whether it still goes on. */
export const judge = Effect.fnUntraced(function* (db: Database, row: RunRow) {
  const record = toRecord(row)
  if (record.status !== "running") return record
  const now = yield* Clock.currentTimeMillis
  const alive = liveness(record, now, yield* LocalProcess.probe) === "alive"
  const read = db.attempt("count results")
  const counts = (yield* read(db.sql.unsafe<CountsRow>(...countsQuery(row.pk))))[0]
  const paid = (yield* read(db.sql.unsafe<{ usd: number | null }>(...paidQuery(row.pk))))[0]?.usd ?? null
  if (alive) return { ...record, counts: toCounts(row.planned, counts), totalCostUsd: paid }
  const { ending, finishedAt, durationMs, ...rest } = footerFromResults(row, counts, paid, "interrupted")
  const told: RunRecord = {
    ...record,
    status: ending.status,
    stopReason: ending.stopReason,
    counts: rest.counts,
    finishedAt,
    durationMs,
    totalCostUsd: rest.totalCostUsd
  }
  return told
})

/** Rows of runs, the one that was added last first: a clock may have been set back in between. */
export const select = (db: Database, query: RunQuery) => {
  const { sql } = db
  const conditions = [
    ...(query.project === undefined ? [] : [sql`project = ${TextColumn.encode(query.project)}`]),
    ...(query.includeDeleted === true ? [] : [sql`deleted_at IS NULL`]),
    ...(query.includeArchived === true ? [] : [sql`archived_at IS NULL`])
  ]
  return db.attempt("list runs")(
    sql<RunRow>`SELECT * FROM runs WHERE ${sql.and(conditions)} ORDER BY pk DESC LIMIT ${query.limit ?? -1}`
  )
}

/** Newest first. */
export const runs = (db: Database, query: RunQuery): Effect.Effect<ReadonlyArray<RunRecord>, StoreError> =>
  Effect.flatMap(select(db, query), (rows) => Effect.forEach(rows, (row) => judge(db, row)))

export const run = (db: Database, id: RunId | "latest"): Effect.Effect<RunRecord | null, StoreError> =>
  Effect.gen(function* () {
    const rows =
      id === "latest"
        ? yield* select(db, { limit: 1, includeArchived: true })
        : yield* db.attempt("read the run")(db.sql<RunRow>`SELECT * FROM runs WHERE run_id = ${TextColumn.encode(id)}`)
    const [row] = rows
    return row === undefined ? null : yield* judge(db, row)
  })

interface DocumentRow {
  readonly run: number
  readonly description: string
  readonly rules: string
  readonly leaderboard: string | null
}

const document = (db: Database, id: RunId) =>
  Effect.map(
    db.attempt("read the run")(
      db.sql<DocumentRow>`SELECT d.* FROM run_documents AS d JOIN runs AS r ON r.pk = d.run
        WHERE r.run_id = ${TextColumn.encode(id)}`
    ),
    (rows) => rows[0] ?? null
  )

const casesOf = (db: Database, pk: number): Effect.Effect<ReadonlyArray<RankedCase>, StoreError> =>
  Effect.map(
    db.attempt("read the run")(
      db.sql<{ id: string; weight: number; tags: string }>`SELECT id, weight, tags FROM run_cases
        WHERE run = ${pk} AND planned = 1 ORDER BY ix`
    ),
    (rows) =>
      rows.map(({ id, weight, tags }) => ({ id: CaseId.make(TextColumn.decode(id)), weight, tags: JSON.parse(tags) }))
  )

export const header = (
  db: Database,
  id: RunId
): Effect.Effect<{ readonly rules: RankingRules; readonly description: string } | null, StoreError> =>
  Effect.gen(function* () {
    const found = yield* document(db, id)
    if (found === null) return null
    const cases = yield* casesOf(db, found.run)
    return { rules: { ...JSON.parse(found.rules), cases }, description: TextColumn.decode(found.description) }
  })

export const leaderboard = (db: Database, id: RunId): Effect.Effect<Leaderboard | null, StoreError> =>
  Effect.map(document(db, id), (found) =>
    found === null || found.leaderboard === null ? null : JSON.parse(found.leaderboard)
  )
