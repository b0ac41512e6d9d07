/** The only writer of one run. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import type { CallResult } from "../domain/CallResult.ts"
import type { RunId } from "../domain/Ids.ts"
import { InterruptionReason } from "../domain/InterruptionReason.ts"
import type { StopRequest } from "../domain/Run.ts"
import { knownSpend } from "../domain/Spend.ts"
import type { StoreError } from "../domain/StoreError.ts"
import * as EndRun from "./EndRun.ts"
import { find, type OpenRun } from "./OpenRun.ts"
import * as ResultQueue from "./ResultQueue.ts"
import * as ResultRow from "./ResultRow.ts"
import type { RunFooter } from "./RunHeader.ts"
import * as Spill from "./Spill.ts"
import type { StoreDatabase } from "./StoreDatabase.ts"
import { refuse } from "./StoreFailure.ts"

export interface RunWriter {
  /** Number of this part of the run: 1 for its start, more after it was resumed. */
  readonly segment: number
  /**
   * Completes when the result is committed (group commit: concurrent writers share one transaction). Once begun, the
   * result is written even if the writing fiber is interrupted. A result that the database refuses is kept in a side
   * file, which the next opening reads; the error says where, or that it is lost.
   */
  readonly write: (result: CallResult) => Effect.Effect<void, StoreError>
  /** The same for a result that did not cost now what it says, USD (null = unknown): its answer was paid for earlier. */
  readonly writePaid: (result: CallResult, paidUsd: number | null) => Effect.Effect<void, StoreError>
  /** The run ends soon: from now on a locked database is waited for only shortly, then the side file takes what is left. */
  readonly hurry: () => void
  /** Says that the run is alive. `at` is ISO 8601. */
  readonly heartbeat: (at: string) => Effect.Effect<void, StoreError>
  /** Ends a run that could not go on, from what is stored of it. */
  readonly abandon: (reason: StopRequest) => Effect.Effect<void>
  /** Writes what is pending, the leaderboard and the run's row. Idempotent. */
  readonly finish: (footer: RunFooter) => Effect.Effect<void, StoreError>
}

type Database = StoreDatabase["Service"]

const takenOver = (db: Database, runId: RunId): StoreError =>
  refuse("write the run", db.path, "conflict", `${runId} was taken over by another process`)

/** What is to be written, or why it cannot be. */
const toPending = (
  db: Database,
  open: OpenRun,
  result: CallResult,
  paidUsd: number | null
): ResultQueue.PendingResult | StoreError => {
  const contestant = open.contestants.get(result.contestant)
  const caseIx = open.cases.get(result.caseId)
  if (contestant === undefined || caseIx === undefined) {
    return refuse("write results", db.path, "invalid", `${ResultQueue.cellName(result)} is not in the run's plan`)
  }
  const { ix, model, provider } = contestant
  const place = { run: open.pk, caseIx, contestantIx: ix, segment: open.segment, model, provider }
  return { result, paidUsd, params: ResultRow.toParams(place, result, paidUsd) }
}

const writeHeartbeat = (db: Database, runId: RunId, open: OpenRun, at: string) =>
  Effect.flatMap(
    db.attempt("heartbeat")(
      db.sql`UPDATE runs SET heartbeat_at = ${at} WHERE pk = ${open.pk} AND segment = ${open.segment} RETURNING pk`
    ),
    (rows) => (rows.length === 0 ? Effect.fail(takenOver(db, runId)) : Effect.void)
  )

const writeFooter = (db: Database, runId: RunId, open: OpenRun, footer: RunFooter) =>
  db.file.check("now").pipe(
    Effect.andThen(
      db.attempt("finish")(
        db.sql.transact((transaction) => {
          const before = EndRun.stateOf(transaction, open)
          if (before === "open") EndRun.finish(transaction, open, footer)
          return before
        })
      )
    ),
    Effect.catch((error) =>
      Effect.suspend(() => {
        const file = Spill.keep(db.file.place(), runId, [{ runId, segment: open.segment, footer }])
        return Effect.fail(ResultQueue.refused(error, "how the run ended", file))
      })
    ),
    Effect.flatMap((before) => (before === "taken" ? Effect.fail(takenOver(db, runId)) : Effect.void))
  )

const closedReason = (exit: Exit.Exit<unknown, unknown>, interruption: () => StopRequest): StopRequest => {
  if (Exit.isSuccess(exit)) return "error: the run was left before it was finished"
  return Cause.hasInterruptsOnly(exit.cause) ? interruption() : "error: the program failed before the run was finished"
}

/** Ends a run whose writer was closed without a word. */
const abandon = (db: Database, runId: RunId, open: OpenRun, reason: StopRequest) =>
  db.attempt("finish")(
    db.sql.transact((transaction) => {
      const row = find(transaction, runId)
      if (row !== undefined && EndRun.stateOf(transaction, open) === "open") {
        EndRun.finishFromResults(transaction, row, reason)
      }
    })
  )

/** Opens the writer of a run; closing the scope writes what is pending, and the run's row if nobody has. */
export const make = Effect.fnUntraced(function* (
  db: Database,
  runId: RunId,
  open: OpenRun
): Effect.fn.Return<RunWriter, never, Scope.Scope> {
  const queue = yield* ResultQueue.make(db, runId, open.segment)
  let closed = false
  // Runs before the queue's own finalizer, which is older.
  const leave = (reason: StopRequest) =>
    Effect.suspend(() => {
      if (closed) return Effect.void
      closed = true
      return Effect.andThen(queue.settled, Effect.ignore(abandon(db, runId, open, reason), { log: "Warn" }))
    })
  const interruption = yield* InterruptionReason
  yield* Effect.addFinalizer((exit) => leave(closedReason(exit, interruption)))
  const writePaid: RunWriter["writePaid"] = (result, paidUsd) =>
    Effect.suspend(() => {
      if (closed) return refuse("write results", db.path, "closed", "the run is finished")
      const pending = toPending(db, open, result, paidUsd)
      return "params" in pending ? queue.submit(pending) : pending
    })
  const writer: RunWriter = {
    segment: open.segment,
    write: (result) => writePaid(result, knownSpend(result)),
    writePaid,
    hurry: db.hurry,
    abandon: leave,
    heartbeat: (at) => writeHeartbeat(db, runId, open, at),
    finish: (footer) =>
      Effect.suspend(() => {
        closed = true
        return Effect.andThen(queue.settled, writeFooter(db, runId, open, footer))
      })
  }
  return writer
})
