/** Everything that a run has ever measured: also what no longer counts, and what later results have replaced. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { CallResult } from "../domain/CallResult.ts"
import type { RunId } from "../domain/Ids.ts"
import type { StoreError } from "../domain/StoreError.ts"
import { mostRows } from "./PageSize.ts"
import * as ResultColumns from "./ResultColumns.ts"
import * as ResultReader from "./ResultReader.ts"
import type { StoreDatabase } from "./StoreDatabase.ts"

/** A stored result with what the store knows about it. */
export interface KeptResult {
  readonly segment: number
  readonly stale: number
  readonly superseded: "rerun" | "rescored" | null
  /** What the run has paid for it, USD; null = unknown. */
  readonly paidUsd: number | null
  readonly result: CallResult
}

// `+` keeps SQLite from sorting the whole run for each page.
const from = (table: string): string =>
  `SELECT r.rowid AS place, c.id AS case_id, ${ResultColumns.columns.map((column) => `r.${column}`).join(", ")},
    ${table === "results" ? "NULL" : "r.kind"} AS superseded
   FROM ${table} AS r JOIN run_cases AS c ON c.run = r.run AND c.ix = r.case_ix
   WHERE +r.run = ? AND r.rowid > ? ORDER BY r.rowid LIMIT ${mostRows}`

type KeptRow = ResultReader.NamedRow & { readonly place: number; readonly superseded: KeptResult["superseded"] }

const kept = (
  db: StoreDatabase["Service"],
  table: string,
  pk: number,
  contestants: ResultReader.Contestants
): Stream.Stream<KeptResult, StoreError> =>
  Stream.paginate(0, (after) =>
    Effect.map(ResultReader.readPage<KeptRow>(db, from(table), [pk, after]), ({ isFull, rows }) => {
      const last = isFull ? rows.at(-1) : undefined
      const next = Option.map(Option.fromUndefinedOr(last), (row) => row.place)
      const page = rows.flatMap((row) =>
        ResultReader.toResult(contestants, row).map((of) => ({
          segment: row.segment,
          stale: row.stale,
          superseded: row.superseded,
          paidUsd: row.paid_usd,
          result: of
        }))
      )
      return [page, next] as const
    })
  )

/** Every result of a run, also those that no longer count, in the order of their writing; replaced ones first. */
export const everything = (db: StoreDatabase["Service"], pk: number): Stream.Stream<KeptResult, StoreError> =>
  Stream.unwrap(
    Effect.map(ResultReader.contestantsOf(db, pk), (contestants) =>
      Stream.concat(kept(db, "superseded_results", pk, contestants), kept(db, "results", pk, contestants))
    )
  )

/**
 * The results of a run that later ones have replaced, the oldest first; only those for which the same was asked as in the
 * last plan of the run.
 */
export const superseded = (db: StoreDatabase["Service"], id: RunId): Stream.Stream<CallResult, StoreError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const pk = yield* ResultReader.findKey(db, id)
      if (pk === null) return Stream.empty
      const replaced = kept(db, "superseded_results", pk, yield* ResultReader.contestantsOf(db, pk))
      const same = Stream.filter(replaced, ({ stale }) => stale < 2)
      return Stream.map(same, ({ result: of }) => of)
    })
  )
