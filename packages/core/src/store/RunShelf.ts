import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import type { CallResult } from "../domain/CallResult.ts"
import type { RunId } from "../domain/Ids.ts"
import type { Leaderboard } from "../domain/Leaderboard.ts"
import type { RunRecord } from "../domain/Run.ts"
import type { StoreError } from "../domain/StoreError.ts"
import { exportRun } from "./ExportRun.ts"
import { importRun } from "./ImportRun.ts"
import * as KeptResults from "./KeptResults.ts"
import { liveness } from "./Liveness.ts"
import * as LocalProcess from "./LocalProcess.ts"
import { find } from "./OpenRun.ts"
import * as Regrade from "./Regrade.ts"
import { history, type PastRun } from "./RunHistory.ts"
import * as RunReader from "./RunReader.ts"
import * as RunRemoval from "./RunRemoval.ts"
import { type RunRow, toRecord } from "./RunRow.ts"
import type { SqliteParams, SqliteTransaction } from "./SqliteClient.ts"
import * as StoreDatabase from "./StoreDatabase.ts"
import { refuse } from "./StoreFailure.ts"
import * as TextColumn from "./TextColumn.ts"

/** A run with what people have noted on it. Times are ISO 8601 UTC. */
export interface ShelvedRun {
  readonly record: RunRecord
  readonly notes: string | null
  readonly tags: ReadonlyArray<string>
  readonly archivedAt: string | null
  readonly deletedAt: string | null
}

/** What is absent stays as it is. */
export interface Notes {
  readonly label?: string | null
  readonly notes?: string | null
  readonly tags?: ReadonlyArray<string>
}

/** Keeps the collection of runs in order: notes, archive, removal and its undoing, export and import. */
export class RunShelf extends Context.Service<
  RunShelf,
  {
    readonly list: (query: RunReader.RunQuery) => Effect.Effect<ReadonlyArray<ShelvedRun>, StoreError>
    /** How the contestants of earlier runs have fared, newest first, and which runs can be compared. */
    readonly history: (query: RunReader.RunQuery) => Effect.Effect<ReadonlyArray<PastRun>, StoreError>
    readonly note: (id: RunId, notes: Notes) => Effect.Effect<void, StoreError>
    /** Archived runs are left out of lists unless asked for. */
    readonly archive: (id: RunId) => Effect.Effect<void, StoreError>
    readonly unarchive: (id: RunId) => Effect.Effect<void, StoreError>
    /** Hides a run; `restore` undoes it, `vacuum` makes it final. Refused while the run goes on. */
    readonly remove: (id: RunId) => Effect.Effect<void, StoreError>
    readonly restore: (id: RunId) => Effect.Effect<void, StoreError>
    readonly purgePlan: (id: RunId) => Effect.Effect<RunRemoval.RemovalPlan, StoreError>
    /** Deletes a run for good. Refused while it goes on. */
    readonly purge: (id: RunId) => Effect.Effect<void, StoreError>
    /** What `vacuum` would delete: all removed runs. */
    readonly vacuumPlan: Effect.Effect<RunRemoval.RemovalPlan, StoreError>
    /** Deletes the runs of the plan for good and gives their room back to the disk. Returns the new size, bytes. */
    readonly vacuum: (plan: RunRemoval.RemovalPlan) => Effect.Effect<number, StoreError>
    /** What later results have replaced where still the same is asked, the oldest first. */
    readonly superseded: (id: RunId) => Stream.Stream<CallResult, StoreError>
    /** Writes the scores that a person has given, all of them or none. Refused while the run goes on. */
    readonly regrade: (id: RunId, scores: ReadonlyArray<Regrade.NewScore>) => Effect.Effect<void, StoreError>
    /** Writes the leaderboard that follows from new scores. Refused while the run goes on. */
    readonly rerank: (id: RunId, leaderboard: Leaderboard) => Effect.Effect<void, StoreError>
    /** The run as lines of JSON, complete in itself. */
    readonly exportRun: (id: RunId) => Stream.Stream<string, StoreError>
    /** Takes in an exported run, all of it or nothing. `source` names the file in errors. */
    readonly importRun: <E, R>(
      lines: Stream.Stream<string, E, R>,
      source: string
    ) => Effect.Effect<RunRecord, StoreError | E, R>
  }
>()("@agent-arena/core/store/RunShelf") {
  static readonly layerNoDeps: Layer.Layer<RunShelf, never, StoreDatabase.StoreDatabase> = Layer.effect(
    RunShelf,
    Effect.map(StoreDatabase.StoreDatabase, (db) => make(db))
  )
}

type Database = StoreDatabase.StoreDatabase["Service"]

const list = Effect.fnUntraced(function* (db: Database, query: RunReader.RunQuery) {
  const rows = yield* RunReader.select(db, query)
  return yield* Effect.forEach(rows, (row) =>
    Effect.map(
      RunReader.judge(db, row),
      (record): ShelvedRun => ({
        record,
        notes: TextColumn.decodeNullable(row.notes),
        tags: JSON.parse(row.tags),
        archivedAt: row.archived_at,
        deletedAt: row.deleted_at
      })
    )
  )
})

/** Changes a run's row, if there is one and `allowed` does not object. */
const change = Effect.fnUntraced(function* (
  db: Database,
  operation: string,
  id: RunId,
  body: (transaction: SqliteTransaction, row: RunRow) => void,
  whileRunning: "allowed" | "refused" = "allowed"
) {
  const now = yield* Clock.currentTimeMillis
  const probe = yield* LocalProcess.probe
  const outcome = yield* db.attempt(operation)(
    db.sql.transact((transaction) => {
      const row = find(transaction, id)
      if (row === undefined) return "absent"
      if (whileRunning === "refused" && liveness(toRecord(row), now, probe) === "alive") return "running"
      body(transaction, row)
      return "done"
    })
  )
  if (outcome === "absent") return yield* refuse(operation, db.path, "not_found", `there is no run ${id}`)
  if (outcome === "running")
    return yield* refuse(operation, db.path, "conflict", `${id} is still running`, "stop it first")
})

const noteOn = (transaction: SqliteTransaction, row: RunRow, notes: Notes): void => {
  const columns: ReadonlyArray<readonly [string, SqliteParams[number]]> = [
    ...(notes.label === undefined ? [] : [["label", TextColumn.encodeNullable(notes.label)] as const]),
    ...(notes.notes === undefined ? [] : [["notes", TextColumn.encodeNullable(notes.notes)] as const]),
    ...(notes.tags === undefined ? [] : [["tags", JSON.stringify(notes.tags)] as const])
  ]
  for (const [column, value] of columns) transaction.run(`UPDATE runs SET ${column} = ? WHERE pk = ?`, [value, row.pk])
}

const stamp = (db: Database, operation: string, id: RunId, column: "archived_at" | "deleted_at", set: boolean) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    change(
      db,
      operation,
      id,
      (transaction, row) =>
        transaction.run(`UPDATE runs SET ${column} = ? WHERE pk = ?`, [
          set ? new Date(now).toISOString() : null,
          row.pk
        ]),
      column === "deleted_at" && set ? "refused" : "allowed"
    )
  )

const regrade = Effect.fnUntraced(function* (db: Database, id: RunId, scores: ReadonlyArray<Regrade.NewScore>) {
  let written = true
  const write = (transaction: SqliteTransaction, row: RunRow) => {
    written = Regrade.writeScores(transaction, row, scores)
  }
  yield* change(db, "grade", id, write, "refused")
  if (written) return
  const detail = `an answer of ${id} has changed or was graded since it was read`
  return yield* refuse("grade", db.path, "conflict", detail, "grade again what still waits")
})

const make = (db: Database): RunShelf["Service"] => ({
  list: (query) => list(db, query),
  history: (query) => history(db, query),
  note: (id, notes) => change(db, "note", id, (transaction, row) => noteOn(transaction, row, notes)),
  archive: (id) => stamp(db, "archive", id, "archived_at", true),
  unarchive: (id) => stamp(db, "unarchive", id, "archived_at", false),
  remove: (id) => stamp(db, "remove", id, "deleted_at", true),
  restore: (id) => stamp(db, "restore", id, "deleted_at", false),
  purgePlan: (id) => RunRemoval.planFor(db, id),
  purge: (id) => change(db, "purge", id, (transaction, row) => RunRemoval.deleteRun(transaction, row.pk), "refused"),
  vacuumPlan: RunRemoval.planForRemoved(db),
  vacuum: (plan) => RunRemoval.vacuum(db, plan),
  superseded: (id) => KeptResults.superseded(db, id),
  regrade: (id, scores) => regrade(db, id, scores),
  rerank: (id, leaderboard) =>
    change(db, "rank", id, (transaction, row) => Regrade.writeRanking(transaction, row, leaderboard), "refused"),
  exportRun: (id) => exportRun(db, id),
  importRun: (lines, source) => importRun(db, lines, source)
})
