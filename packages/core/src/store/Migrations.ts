/** The versions of the database. A released migration never changes; a new version is a new file here. */
import * as Effect from "effect/Effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import createRuns from "./migrations/0001_create_runs.ts"
import countPaid from "./migrations/0002_count_paid.ts"

export const table = "arena_migrations"

const all = [
  [1, "create_runs", createRuns],
  [2, "count_paid", countPaid]
] as const

/** The version that this program writes. */
export const latest = all.length

/** The version of an existing database; 0 when it has none. */
export const version: Effect.Effect<number, SqlError, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ name: string }>`SELECT name FROM sqlite_schema WHERE type = 'table' AND name = ${table}`
  if (tables.length === 0) return 0
  const rows = yield* sql<{ version: number | null }>`SELECT max(migration_id) AS version FROM ${sql(table)}`
  return rows[0]?.version ?? 0
})

/** Brings the database to `upTo`; does nothing when it is there already. Safe with several processes at once. */
export const migrate = (
  upTo: number = latest
): Effect.Effect<void, Migrator.MigrationError | SqlError, SqlClient.SqlClient> =>
  Effect.asVoid(
    Migrator.make({})({
      loader: Effect.succeed(
        all.filter(([id]) => id <= upTo).map(([id, name, body]) => [id, name, Effect.succeed(body)] as const)
      ),
      table
    })
  )
