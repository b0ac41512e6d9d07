import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { CallResult, Cell } from "../domain/CallResult.ts"
import { CaseId, ContestantKey, type RunId } from "../domain/Ids.ts"
import type { StoreError } from "../domain/StoreError.ts"
import { copyResults, type ReuseRequest } from "./CopyResults.ts"
import * as ResultReader from "./ResultReader.ts"
import { type RunSegment, segments } from "./RunSegments.ts"
import * as StoreDatabase from "./StoreDatabase.ts"
import { refuse } from "./StoreFailure.ts"
import * as TextColumn from "./TextColumn.ts"

/**
 * What a stored cell is good for under the run's plan as it stands: `whole` = as it is; `rescore` = its answer, the
 * scoring of the case has changed; `changed` = nothing, contestant or case have changed.
 */
export type Fit = "whole" | "rescore" | "changed"

/** A stored cell, by its place on the axes of `StoredCells`. */
export interface StoredCell {
  readonly contestant: number
  readonly testCase: number
  readonly trial: number
  readonly status: CallResult["status"]
  readonly stopReason: CallResult["stopReason"]
  readonly fit: Fit
}

/** What a run holds, compactly. Hashes are null where none was known. Includes what the run no longer plans. */
export interface StoredCells {
  readonly contestants: ReadonlyArray<{ readonly key: ContestantKey; readonly hash: string | null }>
  readonly cases: ReadonlyArray<{ readonly id: CaseId; readonly input: string | null; readonly scoring: string | null }>
  readonly cells: Stream.Stream<StoredCell, StoreError>
}

/** What one contestant has cost in a run. `usd` is the sum of the known costs, null when none is known. */
export interface ContestantSpend {
  readonly usd: number | null
  /** Calls with a known cost, and all calls that were made. */
  readonly pricedCalls: number
  readonly calls: number
}

/** What earlier work is worth: for resuming a run, and for extending one by contestants, cases or trials. */
export class ResultReuse extends Context.Service<
  ResultReuse,
  {
    /** The cells that the run holds; null when there is no such run. After a resume has begun, judged by its plan. */
    readonly stored: (id: RunId) => Effect.Effect<StoredCells | null, StoreError>
    /** A stored result that still counts, or whose answer can be scored again. */
    readonly answer: (id: RunId, cell: Cell) => Effect.Effect<CallResult | null, StoreError>
    /**
     * Copies into a run that has begun what another run has of its cells, where the hashes are the same. Returns how
     * many. Cells that the run has already are left alone.
     */
    readonly copy: (request: ReuseRequest) => Effect.Effect<number, StoreError>
    /** What the run itself has paid by contestant: repeated cells count each time, copied ones not at all. */
    readonly spent: (id: RunId) => Effect.Effect<ReadonlyMap<ContestantKey, ContestantSpend>, StoreError>
    /** The parts a run is made of, oldest first, and how many of its results each gave. */
    readonly segments: (id: RunId) => Effect.Effect<ReadonlyArray<RunSegment>, StoreError>
  }
>()("@agent-arena/core/store/ResultReuse") {
  static readonly layerNoDeps: Layer.Layer<ResultReuse, never, StoreDatabase.StoreDatabase> = Layer.effect(
    ResultReuse,
    Effect.map(StoreDatabase.StoreDatabase, (db) => ({
      stored: (id) => stored(db, id),
      answer: (id, cell) => ResultReader.answer(db, id, cell),
      copy: (request) => copy(db, request),
      spent: (id) => spent(db, id),
      segments: (id) => segments(db, id)
    }))
  )
}

type Database = StoreDatabase.StoreDatabase["Service"]

interface CellRow {
  readonly contestant_ix: number
  readonly case_ix: number
  readonly trial: number
  readonly status: CallResult["status"]
  readonly stop_reason: CallResult["stopReason"]
  readonly stale: number
}

const fits: ReadonlyArray<Fit> = ["whole", "rescore", "changed"]

const toCell = (row: CellRow): StoredCell => ({
  contestant: row.contestant_ix,
  testCase: row.case_ix,
  trial: row.trial,
  status: row.status,
  stopReason: row.stop_reason,
  fit: fits[row.stale] ?? "changed"
})

const pageSize = 5000

const cells = (db: Database, pk: number): Stream.Stream<StoredCell, StoreError> =>
  Stream.paginate([-1, -1, 0] as readonly [number, number, number], ([caseIx, contestantIx, trial]) =>
    Effect.map(
      db.attempt("read results")(
        db.sql<CellRow>`SELECT contestant_ix, case_ix, trial, status, stop_reason, stale FROM results
          WHERE run = ${pk} AND (case_ix, contestant_ix, trial) > (${caseIx}, ${contestantIx}, ${trial})
          ORDER BY case_ix, contestant_ix, trial LIMIT ${pageSize}`
      ),
      (rows) => {
        const last = rows.length < pageSize ? undefined : rows.at(-1)
        const next = Option.map(
          Option.fromUndefinedOr(last),
          (row) => [row.case_ix, row.contestant_ix, row.trial] as const
        )
        return [rows.map(toCell), next] as const
      }
    )
  )

const stored = Effect.fnUntraced(function* (db: Database, id: RunId) {
  const pk = yield* ResultReader.findKey(db, id)
  if (pk === null) return null
  const read = db.attempt("read the run")
  const contestants = yield* read(
    db.sql<{ key: string; hash: string | null }>`SELECT key, hash FROM run_contestants WHERE run = ${pk} ORDER BY ix`
  )
  const cases = yield* read(
    db.sql<{ id: string; input: string | null; scoring: string | null }>`SELECT id, input_hash AS input,
      scoring_hash AS scoring FROM run_cases WHERE run = ${pk} ORDER BY ix`
  )
  const held: StoredCells = {
    contestants: contestants.map(({ key, hash }) => ({ key: ContestantKey.make(TextColumn.decode(key)), hash })),
    cases: cases.map(({ id: name, input, scoring }) => ({ id: CaseId.make(TextColumn.decode(name)), input, scoring })),
    cells: cells(db, pk)
  }
  return held
})

const copy = Effect.fnUntraced(function* (db: Database, request: ReuseRequest) {
  const now = new Date(yield* Clock.currentTimeMillis).toISOString()
  const copied = yield* db.attempt("copy results")(
    db.sql.transact((transaction) => copyResults(transaction, request, now))
  )
  if (copied !== null) return copied
  return yield* refuse(
    "copy results",
    db.path,
    "not_found",
    `there is no run ${request.from} or no run ${request.into}`
  )
})

interface SpendRow {
  readonly key: string
  readonly usd: number | null
  readonly priced: number
  readonly calls: number
}

const spent = Effect.fnUntraced(function* (db: Database, id: RunId) {
  const pk = yield* ResultReader.findKey(db, id)
  const rows = yield* db.attempt("sum up costs")(
    db.sql<SpendRow>`SELECT k.key, sum(paid.paid_usd) AS usd,
        count(paid.cost_usd) FILTER (WHERE paid.is_call) AS priced, count(*) FILTER (WHERE paid.is_call) AS calls
      FROM (
        SELECT contestant_ix, cost_usd, paid_usd, 1 AS is_call FROM results WHERE run = ${pk} AND segment > 0
        UNION ALL
        SELECT contestant_ix, cost_usd, paid_usd, kind = 'rerun' FROM superseded_results WHERE run = ${pk} AND segment > 0
      ) AS paid
      JOIN run_contestants AS k ON k.run = ${pk} AND k.ix = paid.contestant_ix
      GROUP BY k.key`
  )
  return new Map(
    rows.map(({ key, usd, priced, calls }) => [
      ContestantKey.make(TextColumn.decode(key)),
      { usd, pricedCalls: priced, calls }
    ])
  )
})
