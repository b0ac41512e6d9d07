/**
 * SQLite through `node:sqlite` behind the `SqlClient` of `effect/sql`: no native build, no install script.
 *
 * One connection, shared through a semaphore. Statements run synchronously and block the event loop while they do, so
 * keep transactions short. Rows cannot be streamed; read in pages by key.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { classifySqliteError, SqlError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import { plainStatement } from "./NumberedParameters.ts"

export interface SqliteClientConfig {
  /** Path, or `:memory:` for a database that lives as long as the layer. */
  readonly filename: string
  readonly readonly?: boolean
  /** The file cannot change while it is open; readable without locks, even on read-only media. Implies `readonly`. */
  readonly immutable?: boolean
  /** Run once after opening, before anything else. */
  readonly pragmas?: ReadonlyArray<string>
}

/** The values of one row, in the order of the statement's parameters. */
export type SqliteParams = ReadonlyArray<SQLInputValue>

/** Prepared statements inside `transact`. */
export interface SqliteTransaction {
  /** Returns how many rows were inserted, updated or deleted. */
  readonly run: (sql: string, params: SqliteParams) => number
  /** The rows as objects; `Row` is the caller's word for what the statement selects. */
  readonly all: <Row extends object>(sql: string, params: SqliteParams) => ReadonlyArray<Row>
}

export interface SqliteClient extends SqlClient.SqlClient {
  readonly config: SqliteClientConfig
  /**
   * A transaction whose body is synchronous: nothing of `SqlClient` in between, which makes small batches several
   * times cheaper. A body that throws rolls back.
   */
  readonly transact: <A>(body: (transaction: SqliteTransaction) => A) => Effect.Effect<A, SqlError>
  /** The rows of a query up to the one that is `enough`; those behind it are not read. Not inside a transaction. */
  readonly readUntil: <Row extends object>(
    sql: string,
    params: SqliteParams,
    enough: (row: Row) => boolean
  ) => Effect.Effect<ReadonlyArray<Row>, SqlError>
}

export const SqliteClient = Context.Service<SqliteClient>("@agent-arena/core/store/SqliteClient")

/** Statements are few and constant; the bound only guards against generated ones. */
const maxPrepared = 200

/** SQLite's result code of a failure of `node:sqlite`, extended bits included; null when it is something else. */
export const sqliteCode = (cause: unknown): number | null =>
  typeof cause === "object" && cause !== null && "errcode" in cause && typeof cause.errcode === "number"
    ? cause.errcode
    : null

const sqlError =
  (operation: string) =>
  (cause: unknown): SqlError => {
    const errno = sqliteCode(cause)
    // The classifier reads `errno`, the name other drivers give to what `node:sqlite` calls `errcode`.
    const known = errno !== null && cause instanceof Error ? Object.assign(cause, { errno }) : cause
    return new SqlError({ reason: classifySqliteError(known, { message: `sqlite ${operation} failed`, operation }) })
  }

const toInput = (value: unknown): SQLInputValue => {
  switch (typeof value) {
    case "number":
    case "string":
    case "bigint":
      return value
    case "boolean":
      return value ? 1 : 0
    case "undefined":
      return null
  }
  if (value === null || value instanceof Uint8Array) return value
  throw new TypeError(`SQLite cannot store a value of type ${typeof value}`)
}

const location = (config: SqliteClientConfig): string | URL => {
  if (config.immutable !== true) return config.filename
  const url = pathToFileURL(config.filename)
  url.searchParams.set("immutable", "1")
  return url
}

const open = (config: SqliteClientConfig): Effect.Effect<DatabaseSync, SqlError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        const db = new DatabaseSync(location(config), {
          readOnly: config.readonly === true || config.immutable === true
        })
        try {
          for (const pragma of config.pragmas ?? []) db.exec(`PRAGMA ${pragma}`)
        } catch (cause) {
          db.close()
          throw cause
        }
        return db
      },
      catch: sqlError("open")
    }),
    (db) => Effect.sync(() => db.close())
  )

/** A statement ready to run, and the values in the order in which it takes them. */
interface Prepared {
  readonly statement: StatementSync
  readonly bind: (params: SqliteParams) => SqliteParams
}

const same = (params: SqliteParams): SqliteParams => params

const prepareIn = (db: DatabaseSync, written: string): Prepared => {
  const { order, sql } = plainStatement(written)
  const bind = order === null ? same : (params: SqliteParams) => order.map((place) => params[place] ?? null)
  return { statement: db.prepare(sql), bind }
}

const statements = (db: DatabaseSync): ((sql: string) => Prepared) => {
  const prepared = new Map<string, Prepared>()
  return (sql) => {
    const known = prepared.get(sql)
    if (known !== undefined) return known
    const statement = prepareIn(db, sql)
    if (prepared.size >= maxPrepared) {
      const [oldest] = prepared.keys()
      if (oldest !== undefined) prepared.delete(oldest)
    }
    prepared.set(sql, statement)
    return statement
  }
}

const makeConnection = (prepare: (sql: string) => Prepared): Connection => {
  const query = (sql: string, params: ReadonlyArray<unknown>, arrays: boolean): ReadonlyArray<unknown> => {
    const { bind, statement } = prepare(sql)
    statement.setReturnArrays(arrays)
    return statement.all(...bind(params.map(toInput)))
  }
  const attempt = <A>(body: () => A) => Effect.try({ try: body, catch: sqlError("execute") })
  const execute: Connection["execute"] = (sql, params, transformRows) =>
    attempt(() => {
      const rows = query(sql, params, false)
      // The driver types rows as unknown values; a transformer, where there is one, takes rows of objects.
      return transformRows === undefined ? rows : transformRows(rows as ReadonlyArray<object>)
    })
  const executeValues: Connection["executeValues"] = (sql, params) =>
    // `setReturnArrays(true)` makes every row an array, which the driver's types do not say.
    attempt(() => query(sql, params, true) as ReadonlyArray<ReadonlyArray<unknown>>)
  return {
    execute,
    executeUnprepared: execute,
    executeValues,
    executeValuesUnprepared: executeValues,
    executeRaw: (sql, params) =>
      attempt(() => {
        const { bind, statement } = prepare(sql)
        return statement.run(...bind(params.map(toInput)))
      }),
    executeStream: () => Stream.fail(sqlError("stream")(new Error("rows cannot be streamed; read pages by key")))
  }
}

const makeTransaction = (prepare: (sql: string) => Prepared): SqliteTransaction => ({
  run: (sql, params) => {
    const { bind, statement } = prepare(sql)
    return Number(statement.run(...bind(params)).changes)
  },
  all: <Row extends object>(sql: string, params: SqliteParams) => {
    const { bind, statement } = prepare(sql)
    statement.setReturnArrays(false)
    const rows: ReadonlyArray<object> = statement.all(...bind(params))
    // SQLite has no types to check the rows against; the statement is the caller's.
    return rows as ReadonlyArray<Row>
  }
})

const rowsUntil = <Row extends object>(
  { bind, statement }: Prepared,
  params: SqliteParams,
  enough: (row: Row) => boolean
): ReadonlyArray<Row> => {
  statement.setReturnArrays(false)
  const rows: Array<Row> = []
  // SQLite has no types to check the rows against; the statement is the caller's.
  for (const row of statement.iterate(...bind(params)) as IterableIterator<object> as IterableIterator<Row>) {
    rows.push(row)
    if (enough(row)) break
  }
  return rows
}

const make = Effect.fnUntraced(function* (config: SqliteClientConfig) {
  const db = yield* open(config)
  const prepare = statements(db)
  const connection = makeConnection(prepare)
  const semaphore = yield* Semaphore.make(1)
  const begin = config.readonly === true || config.immutable === true ? "BEGIN" : "BEGIN IMMEDIATE"
  const client = yield* SqlClient.make({
    driver: "sqlite-node",
    compiler: Statement.makeCompilerSqlite(),
    spanAttributes: [["db.system.name", "sqlite"]],
    // A transaction that begins as a reader and then writes cannot wait for another writer: it fails at once.
    beginTransaction: begin,
    prepareTransactionControls: true,
    ...SqlClient.makeSqliteAcquirers({
      connection: Effect.succeed(connection),
      semaphore,
      isTransaction: () => db.isTransaction
    })
  })
  const transaction = makeTransaction(prepare)
  const transact: SqliteClient["transact"] = (body) =>
    semaphore.withPermit(
      Effect.try({
        try: () => {
          prepare(begin).statement.run()
          try {
            const result = body(transaction)
            prepare("COMMIT").statement.run()
            return result
          } catch (cause) {
            // Some failures (a full disk) have ended the transaction already.
            if (db.isTransaction) prepare("ROLLBACK").statement.run()
            throw cause
          }
        },
        catch: sqlError("transaction")
      })
    )
  const readUntil: SqliteClient["readUntil"] = (sql, params, enough) =>
    semaphore.withPermit(Effect.try({ try: () => rowsUntil(prepare(sql), params, enough), catch: sqlError("execute") }))
  return Object.assign(client, { config, transact, readUntil })
})

/** `SqliteClient` and `SqlClient` over one connection that closes with the layer. */
export const layer = (config: SqliteClientConfig): Layer.Layer<SqliteClient | SqlClient.SqlClient, SqlError> =>
  Layer.effectContext(
    Effect.map(make(config), (client) =>
      Context.make(SqliteClient, client).pipe(Context.add(SqlClient.SqlClient, client))
    )
  ).pipe(Layer.provide(Reactivity.layer))
