/** Reads the results of a run in pages by key, so that memory does not grow with the run. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { CallResult, Cell } from "../domain/CallResult.ts"
import { CaseId, ContestantKey, type RunId } from "../domain/Ids.ts"
import type { StoreError } from "../domain/StoreError.ts"
import * as PageSize from "./PageSize.ts"
import * as ResultColumns from "./ResultColumns.ts"
import * as ResultRow from "./ResultRow.ts"
import { counting } from "./RunCounts.ts"
import type { SqliteParams } from "./SqliteClient.ts"
import type { StoreDatabase } from "./StoreDatabase.ts"
import * as TextColumn from "./TextColumn.ts"

interface ContestantRow {
  readonly key: string
  readonly model: string
  readonly provider: string
}

/** A result with the name of its case. */
export type NamedRow = ResultColumns.ResultRow & { readonly case_id: string }

const selected = `SELECT c.id AS case_id, ${ResultColumns.columns.map((column) => `r.${column}`).join(", ")}
  FROM results AS r JOIN run_cases AS c ON c.run = r.run AND c.ix = r.case_ix`

const page = `${selected}
  WHERE ${counting()} AND (r.case_ix, r.contestant_ix, r.trial) > (?, ?, ?)
  ORDER BY r.case_ix, r.contestant_ix, r.trial LIMIT ${PageSize.mostRows}`

const cell = `${selected}
  JOIN run_contestants AS k ON k.run = r.run AND k.ix = r.contestant_ix
  WHERE r.run = ?1 AND c.id = ?2 AND k.key = ?3 AND r.trial = ?4`

const counted = `${cell} AND ${counting()}`

/** Also what is planned no longer, and what was scored by rules that have changed since. */
const answered = `${cell} AND r.stale < 2`

/** A page of rows; full = there may be more behind it. */
export const readPage = <Row extends PageSize.Texts & object>(
  db: StoreDatabase["Service"],
  statement: string,
  params: SqliteParams
): Effect.Effect<{ readonly rows: ReadonlyArray<Row>; readonly isFull: boolean }, StoreError> =>
  db.attempt("read results")(
    Effect.suspend(() => {
      const fills = PageSize.filling()
      let isFull = false
      const rows = db.sql.readUntil<Row>(statement, params, (row) => {
        isFull = fills(row)
        return isFull
      })
      return Effect.map(rows, (read) => ({ rows: read, isFull }))
    })
  )

export type Contestants = ReadonlyArray<Pick<CallResult, "contestant" | "model" | "provider">>

export const toResult = (contestants: Contestants, row: NamedRow): ReadonlyArray<CallResult> => {
  const contestant = contestants[row.contestant_ix]
  return contestant === undefined
    ? []
    : [ResultRow.fromRow({ ...contestant, caseId: CaseId.make(TextColumn.decode(row.case_id)) }, row)]
}

/** Key of the run's row; null when there is no such run. */
export const findKey = (db: StoreDatabase["Service"], id: RunId): Effect.Effect<number | null, StoreError> =>
  Effect.map(
    db.attempt("read the run")(db.sql<{ pk: number }>`SELECT pk FROM runs WHERE run_id = ${TextColumn.encode(id)}`),
    (rows) => rows[0]?.pk ?? null
  )

export const contestantsOf = (db: StoreDatabase["Service"], pk: number): Effect.Effect<Contestants, StoreError> =>
  Effect.map(
    db.attempt("read the run")(
      db.sql<ContestantRow>`SELECT key, model, provider FROM run_contestants WHERE run = ${pk} ORDER BY ix`
    ),
    (rows) =>
      rows.map((row) => ({
        contestant: ContestantKey.make(TextColumn.decode(row.key)),
        model: TextColumn.decode(row.model),
        provider: TextColumn.decode(row.provider)
      }))
  )

/** A page begins behind this place. */
type After = readonly [caseIx: number, contestantIx: number, trial: number]

/** The results that count under the run's plan, in its order; empty when there is no such run. */
export const results = (db: StoreDatabase["Service"], id: RunId): Stream.Stream<CallResult, StoreError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const pk = yield* findKey(db, id)
      if (pk === null) return Stream.empty
      const contestants = yield* contestantsOf(db, pk)
      const start: After = [-1, -1, 0]
      return Stream.paginate(start, (after) =>
        Effect.map(readPage<NamedRow>(db, page, [pk, ...after]), ({ isFull, rows }) => {
          const last = isFull ? rows.at(-1) : undefined
          const next: Option.Option<After> =
            last === undefined ? Option.none() : Option.some([last.case_ix, last.contestant_ix, last.trial])
          return [rows.flatMap((row) => toResult(contestants, row)), next] as const
        })
      )
    })
  )

/** Up to where the results of a run were read. */
export interface ResultCursor {
  readonly pk: number
  readonly segment: number
  /** Changes when the file was rewritten, which gives its rows other places. */
  readonly layout: number
  readonly contestants: Contestants
  /** The row read last. */
  readonly place: number
}

/** Results by the order of their writing. */
export interface NewResults {
  readonly results: ReadonlyArray<{
    /** The part of the run that wrote it: 1 and up for its own, 0 and down for what it took over. */
    readonly segment: number
    readonly result: CallResult
  }>
  readonly cursor: ResultCursor
  /** Whether there may be more at once. */
  readonly more: boolean
}

/** By place in the table, so that what is new is all that is read. A result that replaces another gets a new place. */
export const newerThan = `SELECT r.rowid AS place, c.id AS case_id,
    ${ResultColumns.columns.map((column) => `r.${column}`).join(", ")}
  FROM results AS r CROSS JOIN run_cases AS c ON c.run = ?1 AND c.ix = r.case_ix
  WHERE ${counting("+r.run")} AND r.rowid > ?2 ORDER BY r.rowid LIMIT ${PageSize.mostRows}`

/** Where reading begins: before the first row of the run. */
const startCursor = Effect.fnUntraced(function* (
  db: StoreDatabase["Service"],
  run: { readonly pk: number; readonly segment: number },
  layout: number
) {
  const first = yield* db.attempt("read results")(
    db.sql<{ place: number | null }>`SELECT min(rowid) AS place FROM results WHERE run = ${run.pk}`
  )
  const cursor: ResultCursor = {
    ...run,
    layout,
    contestants: yield* contestantsOf(db, run.pk),
    place: (first[0]?.place ?? 1) - 1
  }
  return cursor
})

/**
 * The results that count and were written after `after`, a page of them; null = from the beginning. Begins anew when the
 * run was resumed meanwhile or the file was rewritten: reading a result twice must do no harm. Null when there is no such
 * run.
 */
export const resultsAfter = Effect.fnUntraced(function* (
  db: StoreDatabase["Service"],
  id: RunId,
  after: ResultCursor | null
) {
  const read = db.attempt("read results")
  const [run] = yield* read(
    db.sql<{ pk: number; segment: number }>`SELECT pk, segment FROM runs WHERE run_id = ${TextColumn.encode(id)}`
  )
  if (run === undefined) return null
  const layout = (yield* read(db.sql<{ schema_version: number }>`PRAGMA schema_version`))[0]?.schema_version ?? 0
  const isSame = after !== null && after.pk === run.pk && after.segment === run.segment && after.layout === layout
  const cursor = isSame ? after : yield* startCursor(db, run, layout)
  const { isFull, rows } = yield* readPage<NamedRow & { readonly place: number }>(db, newerThan, [
    cursor.pk,
    cursor.place
  ])
  const found: NewResults = {
    results: rows.flatMap((row) =>
      toResult(cursor.contestants, row).map((of) => ({ segment: row.segment, result: of }))
    ),
    cursor: { ...cursor, place: rows.at(-1)?.place ?? cursor.place },
    more: isFull
  }
  return found
})

const readCell = (
  db: StoreDatabase["Service"],
  statement: string,
  id: RunId,
  of: Cell
): Effect.Effect<CallResult | null, StoreError> =>
  Effect.gen(function* () {
    const pk = yield* findKey(db, id)
    if (pk === null) return null
    const contestants = yield* contestantsOf(db, pk)
    const params = [pk, TextColumn.encode(of.caseId), TextColumn.encode(of.contestant), of.trial]
    const rows = yield* db.attempt("read a result")(db.sql.unsafe<NamedRow>(statement, params))
    return rows.flatMap((row) => toResult(contestants, row))[0] ?? null
  })

/** The result of one cell; null when it has none that counts. */
export const result = (
  db: StoreDatabase["Service"],
  id: RunId,
  of: Cell
): Effect.Effect<CallResult | null, StoreError> => readCell(db, counted, id, of)

/** The stored result of one cell whose answer is still good, whether its score is or not. */
export const answer = (
  db: StoreDatabase["Service"],
  id: RunId,
  of: Cell
): Effect.Effect<CallResult | null, StoreError> => readCell(db, answered, id, of)
