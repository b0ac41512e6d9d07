import { mkdirSync } from "node:fs"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SqlError } from "effect/sql/SqlError"
import type { Generation } from "../../domain/Generation.ts"
import { StoreError } from "../../domain/StoreError.ts"
import * as Sqlite from "../../store/SqliteClient.ts"
import { fromSql, whenUnlocked } from "../../store/StoreFailure.ts"

/** An answer to keep, with what a person wants to see of it in a listing. */
export interface CacheEntry {
  readonly key: string
  readonly contestant: string
  readonly model: string
  readonly caseId: string
  readonly generation: Generation
}

/** A kept answer in a listing. `bytes` is the size of the answer; `createdAt` ISO 8601. */
export interface CacheListing {
  readonly key: string
  readonly contestant: string
  readonly model: string
  readonly caseId: string
  readonly createdAt: string
  readonly bytes: number
}

/**
 * Answers of earlier calls by a hash of everything that can change them. Only answers are kept, never failures. Several
 * processes may use one cache.
 */
export class ResponseCache extends Context.Service<
  ResponseCache,
  {
    readonly path: string
    readonly find: (key: string) => Effect.Effect<Generation | null, StoreError>
    readonly keep: (entry: CacheEntry) => Effect.Effect<void, StoreError>
    /** Newest first. */
    readonly list: Effect.Effect<ReadonlyArray<CacheListing>, StoreError>
    /** Removes answers created before `before` (ISO 8601), or all with null; returns how many. */
    readonly remove: (before: string | null) => Effect.Effect<number, StoreError>
  }
>()("@agent-arena/core/engine/cache/ResponseCache") {
  /** The cache in `<folder>/responses.sqlite`; the folder is created when needed. */
  static readonly layer = (folder: string): Layer.Layer<ResponseCache, StoreError> =>
    Layer.effect(this, make).pipe(Layer.provide(openIn(folder)))
}

const fileIn = (folder: string): string => join(folder, "responses.sqlite")

const pragmas = [
  // Readers go on while another process writes.
  "journal_mode = WAL",
  // A lost cache entry costs a call, not a result.
  "synchronous = OFF",
  "busy_timeout = 20"
]

const createTable = `CREATE TABLE IF NOT EXISTS responses (
  key TEXT PRIMARY KEY, contestant TEXT NOT NULL, model TEXT NOT NULL, case_id TEXT NOT NULL,
  created_at TEXT NOT NULL, generation TEXT NOT NULL
) STRICT, WITHOUT ROWID`

const openIn = (folder: string) => {
  const path = fileIn(folder)
  const prepareFolder = Effect.try({
    try: () => mkdirSync(folder, { recursive: true }),
    catch: (cause) =>
      new StoreError({
        operation: "create the cache folder",
        path: folder,
        detail: cause instanceof Error ? cause.message : String(cause),
        suggestion: "choose another folder with run.cache",
        cause
      })
  })
  const open = Layer.unwrap(Effect.as(prepareFolder, Sqlite.layer({ filename: path, pragmas })))
  return Layer.effectDiscard(
    Effect.flatMap(Sqlite.SqliteClient, (client) => client.transact(({ run }) => run(createTable, [])))
  ).pipe(
    Layer.provideMerge(open),
    Layer.catch((error) =>
      Layer.effectContext(Effect.fail(error._tag === "SqlError" ? fromSql("open", path)(error) : error))
    )
  )
}

const make = Effect.gen(function* () {
  const client = yield* Sqlite.SqliteClient
  const path = client.config.filename
  const run = <A>(
    operation: string,
    body: (transaction: Sqlite.SqliteTransaction) => A
  ): Effect.Effect<A, StoreError> =>
    Effect.mapError(whenUnlocked<A, SqlError, never>(client.transact(body)), fromSql(operation, path))

  return ResponseCache.of({
    path,
    find: (key) =>
      run("read", ({ all }) => {
        const [row] = all<{ generation: string }>("SELECT generation FROM responses WHERE key = ?", [key])
        // Written by `keep` of this very table.
        return row === undefined ? null : (JSON.parse(row.generation) as Generation)
      }),
    keep: ({ caseId, contestant, generation, key, model }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        run("write", (transaction) =>
          transaction.run(
            `INSERT INTO responses (key, contestant, model, case_id, created_at, generation) VALUES (?, ?, ?, ?, ?, ?)
             ON CONFLICT (key) DO UPDATE SET created_at = excluded.created_at, generation = excluded.generation`,
            [key, contestant, model, caseId, new Date(now).toISOString(), JSON.stringify(generation)]
          )
        )
      ),
    list: run("list", ({ all }) =>
      all<CacheListing>(
        `SELECT key, contestant, model, case_id AS caseId, created_at AS createdAt, length(generation) AS bytes
         FROM responses ORDER BY created_at DESC, key`,
        []
      )
    ),
    remove: (before) =>
      run("remove", ({ all }) => {
        const where = before === null ? "" : "WHERE created_at < ?"
        return all<{ key: string }>(`DELETE FROM responses ${where} RETURNING key`, before === null ? [] : [before])
          .length
      })
  })
})
