/** The only writer of one run. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import type { CallResult } from "../domain/CallResult.ts"
import type { RunId } from "../domain/Ids.ts"
import type { StopRequest } from "../domain/Run.ts"
import { StoreError } from "../domain/StoreError.ts"
import * as EndRun from "./EndRun.ts"
import * as GroupCommit from "./GroupCommit.ts"
import { find, type OpenRun } from "./OpenRun.ts"
import * as ResultRow from "./ResultRow.ts"
import type { RunFooter } from "./RunHeader.ts"
import * as Spill from "./Spill.ts"
import type { SqliteParams } from "./SqliteClient.ts"
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
  /** Says that the run is alive. `at` is ISO 8601. */
  readonly heartbeat: (at: string) => Effect.Effect<void, StoreError>
  /** Writes what is pending, the leaderboard and the run's row. Idempotent. */
  readonly finish: (footer: RunFooter) => Effect.Effect<void, StoreError>
}

interface Pending {
  readonly result: CallResult
  readonly params: SqliteParams
}

const cellName = (result: CallResult): string => `${result.contestant} / ${result.caseId} / trial ${result.trial}`

/** The error of something that the database refused, after it went to a side file or was lost. */
const refused = (error: StoreError, what: string, file: string | null): StoreError =>
  new StoreError({
    operation: error.operation,
    path: error.path,
    problem: error.problem,
    detail:
      file === null
        ? `${error.detail}; ${what} IS LOST: no side file could be written either`
        : `${error.detail}; ${what} was kept in ${file}`,
    suggestion: file === null ? error.suggestion : "it is imported when the database is opened next",
    cause: error.cause
  })

/** Problems that concern the whole database, so that writing the rows of a group one by one would not help. */
const isGeneral = (error: StoreError): boolean =>
  error.problem !== "conflict" && error.problem !== "invalid" && error.problem !== "unknown"

const closedReason = (exit: Exit.Exit<unknown, unknown>): StopRequest => {
  if (Exit.isSuccess(exit)) return "error: the run was left before it was finished"
  return Cause.hasInterruptsOnly(exit.cause) ? "interrupted" : "error: the program failed before the run was finished"
}

/** Opens the writer of a run; closing the scope writes what is pending, and the run's row if nobody has. */
export const make = Effect.fnUntraced(function* (
  db: StoreDatabase["Service"],
  runId: RunId,
  open: OpenRun
): Effect.fn.Return<RunWriter, never, Scope.Scope> {
  const { segment } = open
  let closed = false

  const commit = (group: ReadonlyArray<Pending>) =>
    db.attempt("write results")(
      db.sql.transact((transaction) => {
        for (const { params } of group) transaction.run(ResultRow.upsert, params)
      })
    )
  const spill = (group: ReadonlyArray<Pending>, error: StoreError) =>
    Effect.sync(() => {
      const file = Spill.keep(
        db.path,
        runId,
        group.map(({ result }) => ({ runId, segment, result }))
      )
      return group.map(({ result }) => refused(error, `the result of ${cellName(result)}`, file))
    })
  const oneByOne = (group: ReadonlyArray<Pending>) =>
    Effect.forEach(group, (item) =>
      Effect.matchEffect(commit([item]), {
        onFailure: (error) => Effect.map(spill([item], error), ([own]) => own ?? error),
        onSuccess: () => Effect.succeed(null)
      })
    )
  const queue = yield* GroupCommit.make((group: ReadonlyArray<Pending>) =>
    Effect.matchEffect(commit(group), {
      onFailure: (error) => (isGeneral(error) ? spill(group, error) : oneByOne(group)),
      onSuccess: () => Effect.succeed(null)
    })
  )

  const write: RunWriter["write"] = (result) =>
    Effect.suspend(() => {
      const contestant = open.contestants.get(result.contestant)
      const caseIx = open.cases.get(result.caseId)
      if (closed) return refuse("write results", db.path, "closed", "the run is finished")
      if (contestant === undefined || caseIx === undefined) {
        return refuse("write results", db.path, "invalid", `${cellName(result)} is not in the run's plan`)
      }
      const { ix, model, provider } = contestant
      const place = { run: open.pk, caseIx, contestantIx: ix, segment, model, provider }
      return queue.submit({ result, params: ResultRow.toParams(place, result) })
    })

  const takenOver = refuse("write the run", db.path, "conflict", `${runId} was taken over by another process`)
  const heartbeat: RunWriter["heartbeat"] = (at) =>
    db
      .attempt("heartbeat")(
        db.sql`UPDATE runs SET heartbeat_at = ${at} WHERE pk = ${open.pk} AND segment = ${segment} RETURNING pk`
      )
      .pipe(Effect.flatMap((rows) => (rows.length === 0 ? Effect.fail(takenOver) : Effect.void)))

  const writeFooter = (footer: RunFooter) =>
    db
      .attempt("finish")(
        db.sql.transact((transaction) => {
          const before = EndRun.stateOf(transaction, open)
          if (before === "open") EndRun.finish(transaction, open, footer)
          return before
        })
      )
      .pipe(
        Effect.catch((error) =>
          Effect.suspend(() => {
            const file = Spill.keep(db.path, runId, [{ runId, segment, footer }])
            return Effect.fail(refused(error, "how the run ended", file))
          })
        ),
        Effect.flatMap((before) => (before === "taken" ? Effect.fail(takenOver) : Effect.void))
      )

  const finish: RunWriter["finish"] = (footer) =>
    Effect.suspend(() => {
      closed = true
      return Effect.andThen(queue.settled, writeFooter(footer))
    })

  // Runs before the queue's own finalizer, which is older.
  yield* Effect.addFinalizer((exit) =>
    Effect.suspend(() => {
      if (closed) return Effect.void
      closed = true
      const close = db.sql.transact((transaction) => {
        const row = find(transaction, runId)
        if (row !== undefined && EndRun.stateOf(transaction, open) === "open") {
          EndRun.finishFromResults(transaction, row, closedReason(exit))
        }
      })
      return Effect.andThen(queue.settled, Effect.ignore(db.attempt("finish")(close), { log: "Warn" }))
    })
  )
  return { segment, write, heartbeat, finish }
})
