/** Deletes runs for good, after saying what that means. */
import * as Effect from "effect/Effect"
import { RunId } from "../domain/Ids.ts"
import type { StoreError } from "../domain/StoreError.ts"
import type { SqliteTransaction } from "./SqliteClient.ts"
import type { StoreDatabase } from "./StoreDatabase.ts"
import * as TextColumn from "./TextColumn.ts"

/** What a removal would remove, to be shown before it happens. */
export interface RemovalPlan {
  readonly runs: ReadonlyArray<RunId>
  /** Results of these runs, replaced ones included. */
  readonly results: number
  /** Size of the database as it is, bytes. */
  readonly bytes: number
}

type Database = StoreDatabase["Service"]

const sizeOf = (db: Database): Effect.Effect<number, StoreError> =>
  Effect.map(
    db.attempt("measure the database")(
      db.sql<{ bytes: number }>`SELECT c.page_count * s.page_size AS bytes
        FROM pragma_page_count AS c, pragma_page_size AS s`
    ),
    (rows) => rows[0]?.bytes ?? 0
  )

interface Counted {
  readonly run_id: string
  readonly results: number
}

const planOf = (db: Database, rows: ReadonlyArray<Counted>): Effect.Effect<RemovalPlan, StoreError> =>
  Effect.map(sizeOf(db), (bytes) => ({
    runs: rows.map((row) => RunId.make(TextColumn.decode(row.run_id))),
    results: rows.reduce((sum, row) => sum + row.results, 0),
    bytes
  }))

const counted = (db: Database) =>
  db.sql.literal(`SELECT run_id, (SELECT count(*) FROM results WHERE run = runs.pk)
    + (SELECT count(*) FROM superseded_results WHERE run = runs.pk) AS results FROM runs`)

/** For one run; empty when there is no such run. */
export const planFor = (db: Database, id: RunId): Effect.Effect<RemovalPlan, StoreError> =>
  Effect.flatMap(
    db.attempt("plan the removal")(db.sql<Counted>`${counted(db)} WHERE run_id = ${TextColumn.encode(id)}`),
    (rows) => planOf(db, rows)
  )

/** For all runs that were removed and not restored. */
export const planForRemoved = (db: Database): Effect.Effect<RemovalPlan, StoreError> =>
  Effect.flatMap(
    db.attempt("plan the removal")(db.sql<Counted>`${counted(db)} WHERE deleted_at IS NOT NULL ORDER BY started_at`),
    (rows) => planOf(db, rows)
  )

export const deleteRun = (transaction: SqliteTransaction, pk: number): void => {
  // The results first: their foreign keys would look for them contestant by contestant.
  transaction.run("DELETE FROM results WHERE run = ?", [pk])
  transaction.run("DELETE FROM superseded_results WHERE run = ?", [pk])
  transaction.run("DELETE FROM runs WHERE pk = ?", [pk])
}

/** Deletes the runs of the plan that are still removed, and shrinks the file. Returns its new size, bytes. */
export const vacuum = (db: Database, plan: RemovalPlan): Effect.Effect<number, StoreError> =>
  Effect.gen(function* () {
    const { sql } = db
    for (const id of plan.runs) {
      yield* db.attempt("vacuum")(
        sql.transact((transaction) => {
          const row = transaction.all<{ pk: number }>(
            "SELECT pk FROM runs WHERE run_id = ? AND deleted_at IS NOT NULL",
            [TextColumn.encode(id)]
          )[0]
          if (row !== undefined) deleteRun(transaction, row.pk)
        })
      )
    }
    yield* db.attempt("vacuum")(sql`VACUUM`)
    yield* db.attempt("vacuum")(sql`PRAGMA wal_checkpoint(TRUNCATE)`)
    return yield* sizeOf(db)
  })
