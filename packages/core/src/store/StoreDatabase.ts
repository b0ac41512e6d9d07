/** Opens the database file: folder, identity, version, migrations. Everything else of the store runs on it. */
import { existsSync, mkdirSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import type { StoreError } from "../domain/StoreError.ts"
import * as DatabaseFile from "./DatabaseFile.ts"
import * as Migrations from "./Migrations.ts"
import * as SqliteClient from "./SqliteClient.ts"
import {
  codeOf,
  fromSql,
  hurriedPatienceMs,
  lockPatienceMs,
  refuse,
  untilUnlocked,
  whenUnlocked
} from "./StoreFailure.ts"

/** The database of a result store. Not for users of the store: its services are built on this. */
export class StoreDatabase extends Context.Service<
  StoreDatabase,
  {
    /** Absolute, or `:memory:`. */
    readonly path: string
    readonly readOnly: boolean
    readonly sql: SqliteClient.SqliteClient
    /** Whether the file is still there. */
    readonly file: DatabaseFile.DatabaseFile
    /** Names the operation in its errors, and waits while another process holds the lock. */
    readonly attempt: (
      operation: string
    ) => <A, R>(effect: Effect.Effect<A, SqlError | StoreError, R>) => Effect.Effect<A, StoreError, R>
    /** From now on a locked database is waited for only shortly. */
    readonly hurry: () => void
  }
>()("@agent-arena/core/store/StoreDatabase") {}

/** "ARNA": tells our files from anybody else's. */
const applicationId = 0x41_52_4e_41

const memory = ":memory:"

/** Settings of a connection. */
const connectionPragmas = [
  // SQLite's own waiting blocks the event loop, so it is short; `whenUnlocked` waits without blocking.
  "busy_timeout = 20",
  "foreign_keys = ON",
  // With WAL this survives the death of the process at any moment; only a power cut can take the last commits, and
  // never leaves a broken file. FULL would cost an fsync for every group of results.
  "synchronous = NORMAL",
  // A checkpoint stops the event loop while the disk syncs: often enough to stay short, seldom enough to be cheap.
  "wal_autocheckpoint = 2000",
  // 8 MiB, so that the index of a large run stays in memory.
  "cache_size = -8192"
]

/** Settings of the file, written once when it is created. */
const filePragmas = [
  // A commit writes whole pages, and a group of results is small: half the default page makes it cheaper.
  "page_size = 2048",
  // Readers never wait for the writer, nor it for them, and a commit is one append.
  "journal_mode = WAL",
  `application_id = ${applicationId}`
]

const query = (sql: SqlClient.SqlClient, pragma: string) =>
  Effect.map(sql.unsafe<Record<string, unknown>>(`PRAGMA ${pragma}`), (rows) => Object.values(rows[0] ?? {})[0])

const connect = (
  config: SqliteClient.SqliteClientConfig
): Effect.Effect<SqliteClient.SqliteClient, SqlError, Scope.Scope> =>
  Effect.map(
    Layer.build(Layer.fresh(SqliteClient.layer({ ...config, pragmas: connectionPragmas }))),
    Context.get(SqliteClient.SqliteClient)
  )

/** Whether the file holds nothing yet; fails when it holds somebody else's data. */
const isEmpty = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, path: string) {
  // In this order: who creates a store writes its id before its first table.
  const tables = yield* sql`SELECT 1 FROM sqlite_schema LIMIT 1`
  const id = yield* query(sql, "application_id")
  if (id === applicationId) return false
  if (tables.length === 0 && id === 0) return true
  return yield* refuse(
    "open",
    path,
    "foreign",
    "it is an SQLite database of another program",
    "choose another path for the results"
  )
})

const checkVersion = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, path: string) {
  const version = yield* Effect.provideService(Migrations.version, SqlClient.SqlClient, sql)
  if (version > Migrations.latest) {
    return yield* refuse(
      "open",
      path,
      "newer_version",
      `it has version ${version}, this program knows versions up to ${Migrations.latest}`,
      "upgrade the program, or choose another path for the results"
    )
  }
  return version
})

const migrate = (sql: SqlClient.SqlClient, path: string, upTo: number) =>
  Migrations.migrate(upTo).pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.mapError((error) => {
      if (isSqlError(error)) return error
      return isSqlError(error.cause) ? error.cause : refuse("migrate", path, "unknown", error.message)
    })
  )

const prepareFile = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, path: string, upTo: number) {
  if (yield* isEmpty(sql, path)) {
    for (const pragma of filePragmas) yield* query(sql, pragma)
  }
  const version = yield* checkVersion(sql, path)
  if (version < upTo) yield* migrate(sql, path, upTo)
})

const make = (
  path: string,
  readOnly: boolean,
  sql: SqliteClient.SqliteClient,
  file: DatabaseFile.DatabaseFile = DatabaseFile.unwatched(path)
): StoreDatabase["Service"] => {
  let patienceMs = lockPatienceMs
  const unlocked = untilUnlocked(() => patienceMs)
  return {
    path,
    readOnly,
    sql,
    file,
    attempt: (operation) => (effect) =>
      Effect.mapError(whenUnlocked(effect, unlocked), (error) =>
        isSqlError(error) ? fromSql(operation, path)(error) : error
      ),
    hurry: () => {
      patienceMs = hurriedPatienceMs
    }
  }
}

const makeFolder = (path: string) =>
  Effect.try({
    try: () => {
      if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) throw new Error("it is a folder")
      mkdirSync(dirname(path), { recursive: true })
    },
    catch: (cause) =>
      refuse(
        "open",
        path,
        "cannot_open",
        cause instanceof Error ? cause.message : String(cause),
        "choose a path in a folder that you may write to"
      )
  })

const explain =
  (path: string) =>
  (error: SqlError | StoreError): StoreError =>
    isSqlError(error) ? fromSql("open", path)(error) : error

const openWritable = Effect.fnUntraced(function* (filename: string, upTo: number) {
  const path = filename === memory ? memory : resolve(filename)
  if (path !== memory) yield* makeFolder(path)
  const sql = yield* Effect.mapError(whenUnlocked(connect({ filename: path })), explain(path))
  yield* Effect.mapError(whenUnlocked(prepareFile(sql, path, upTo)), explain(path))
  return make(path, false, sql, path === memory ? undefined : DatabaseFile.watch(path, sql))
})

/** Result codes of a file that can only be read when SQLite need not write its shared memory beside it. */
const needsImmutable: ReadonlySet<number | null> = new Set([8, 14])

/** A connection that never writes, and the version of what it reads. */
const connectReadOnly = (path: string) => {
  const readable = (sql: SqliteClient.SqliteClient) =>
    Effect.gen(function* () {
      const version = (yield* isEmpty(sql, path)) ? 0 : yield* checkVersion(sql, path)
      if (version > 0) return { sql, version }
      return yield* refuse("open", path, "missing", "there is nothing in the database yet")
    })
  return Effect.catchIf(
    Effect.flatMap(connect({ filename: path, readonly: true }), readable),
    (error) => isSqlError(error) && needsImmutable.has(codeOf(error)) && !existsSync(`${path}-wal`),
    () => Effect.flatMap(connect({ filename: path, immutable: true }), readable)
  )
}

/** Upgrades a file of an older version, which then can be read. */
const upgrade = (path: string, version: number): Effect.Effect<void, StoreError> =>
  Effect.scoped(openWritable(path, Migrations.latest)).pipe(
    Effect.mapError((error) =>
      refuse(
        "upgrade",
        path,
        error.problem,
        `an older program wrote it (version ${version}), and it cannot be upgraded here: ${error.detail}`,
        "read it as somebody who may write to it, or copy it to where you may and name the copy with --db"
      )
    ),
    Effect.asVoid
  )

const openReadOnly = Effect.fnUntraced(function* (filename: string) {
  const path = resolve(filename)
  if (!existsSync(path)) return yield* refuse("open", path, "missing", "there is no database yet")
  const open = Effect.mapError(whenUnlocked(connectReadOnly(path)), explain(path))
  const found = yield* open
  if (found.version === Migrations.latest) return make(path, true, found.sql)
  yield* upgrade(path, found.version)
  const upgraded = yield* open
  return make(path, true, upgraded.sql)
})

/**
 * Opens the file for reading and writing, creating it and its folders; `upTo` stops at an older version, for tests of
 * upgrades.
 */
export const layer = (path: string, upTo: number = Migrations.latest): Layer.Layer<StoreDatabase, StoreError> =>
  Layer.effect(StoreDatabase, openWritable(path, upTo))

/** A database that lives as long as the layer. */
export const layerMemory: Layer.Layer<StoreDatabase, StoreError> = Layer.effect(
  StoreDatabase,
  openWritable(memory, Migrations.latest)
)

/** Opens an existing file without ever writing to it, except that it upgrades one of an older version. */
export const layerReadOnly = (path: string): Layer.Layer<StoreDatabase, StoreError> =>
  Layer.effect(StoreDatabase, openReadOnly(path))
