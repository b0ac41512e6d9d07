/** Writes results in groups; what the database refuses goes to a side file. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { CallResult } from "../domain/CallResult.ts"
import type { RunId } from "../domain/Ids.ts"
import { StoreError } from "../domain/StoreError.ts"
import { beforeExit } from "./ExitSpill.ts"
import * as GroupCommit from "./GroupCommit.ts"
import * as ResultColumns from "./ResultColumns.ts"
import * as Spill from "./Spill.ts"
import type { SqliteParams } from "./SqliteClient.ts"
import type { StoreDatabase } from "./StoreDatabase.ts"

export interface PendingResult {
  readonly result: CallResult
  readonly paidUsd: number | null
  /** Of `ResultColumns.write`. */
  readonly params: SqliteParams
}

export const cellName = (result: CallResult): string =>
  `${result.contestant} / ${result.caseId} / trial ${result.trial}`

/** The error of something that the database refused, after it went to a side file (`file`) or was lost (null). */
export const refused = (error: StoreError, what: string, file: string | null): StoreError =>
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

/** A problem of the program itself; the results must not go down with it. */
const unexpected = (path: string, cause: unknown): StoreError =>
  new StoreError({
    operation: "write results",
    path,
    problem: "unknown",
    detail: cause instanceof Error ? cause.message : "an unexpected failure",
    suggestion: null,
    cause
  })

/** The queue of one segment of a run. */
export const make = (
  db: StoreDatabase["Service"],
  runId: RunId,
  segment: number
): Effect.Effect<GroupCommit.GroupCommit<PendingResult>, never, Scope.Scope> => {
  let mayReplace: boolean | null = segment > 1 ? true : null
  const write = (group: ReadonlyArray<PendingResult>) =>
    db.file.check("sometimes").pipe(
      Effect.andThen(
        db.attempt("write results")(
          db.sql.transact((transaction) => {
            // Results are copied before the first one is measured.
            mayReplace ??= ResultColumns.hasCopies(transaction, group[0]?.params[0] ?? null)
            for (const { params } of group) ResultColumns.write(transaction, segment, params, mayReplace)
          })
        )
      ),
      Effect.catchDefect((cause) => Effect.fail(unexpected(db.path, cause)))
    )

  const keep = (group: ReadonlyArray<PendingResult>): string | null => {
    const lines = group.map(({ paidUsd, result }) => ({ runId, segment, result, paidUsd }))
    return Spill.keep(db.file.place(), runId, lines)
  }

  const spill = (group: ReadonlyArray<PendingResult>, error: StoreError) =>
    Effect.sync(() => {
      const file = keep(group)
      return group.map(({ result }) => refused(error, `the result of ${cellName(result)}`, file))
    })

  const oneByOne = (group: ReadonlyArray<PendingResult>) =>
    Effect.forEach(group, (item) =>
      Effect.matchEffect(write([item]), {
        onFailure: (error) => Effect.map(spill([item], error), ([own]) => own ?? error),
        onSuccess: () => Effect.succeed(null)
      })
    )

  const commit = GroupCommit.make((group: ReadonlyArray<PendingResult>) =>
    Effect.matchEffect(write(group), {
      onFailure: (error) => (isGeneral(error) ? spill(group, error) : oneByOne(group)),
      onSuccess: () => Effect.succeed(null)
    })
  )

  return Effect.gen(function* () {
    let pending: () => ReadonlyArray<PendingResult> = () => []
    const forget = beforeExit(() => {
      const left = pending()
      if (left.length > 0) keep(left)
    })
    // Older than the finalizer of the queue, and so runs when everything is settled.
    yield* Effect.addFinalizer(() => Effect.sync(forget))
    const queue = yield* commit
    pending = queue.pending
    return queue
  })
}
