/** Ends the runs whose process died before it could: their rows, and theirs in the leaderboard log. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { RunRecord } from "../domain/Run.ts"
import type { StoreError } from "../domain/StoreError.ts"
import { finishFromResults } from "./EndRun.ts"
import * as LeaderboardLog from "./LeaderboardLog.ts"
import { liveness, type ProcessProbe } from "./Liveness.ts"
import * as LocalProcess from "./LocalProcess.ts"
import { type RunRow, toRecord } from "./RunRow.ts"
import type { SqliteTransaction } from "./SqliteClient.ts"
import type { StoreDatabase } from "./StoreDatabase.ts"

type Database = StoreDatabase["Service"]

const marked = "SELECT * FROM runs WHERE status = 'running'"

const isGone = (row: RunRow, now: number, probe: ProcessProbe): boolean =>
  liveness(toRecord(row), now, probe) === "gone"

/** Ends a run as interrupted. Its last part stays without an end: it never came to one. */
const end = (transaction: SqliteTransaction, row: RunRow): RunRecord => {
  finishFromResults(transaction, row, "interrupted")
  transaction.run(
    "UPDATE run_segments SET status = NULL, stop_reason = NULL, finished_at = NULL WHERE run = ? AND segment = ?",
    [row.pk, row.segment]
  )
  const [ended] = transaction.all<RunRow>("SELECT * FROM runs WHERE pk = ?", [row.pk])
  return toRecord(ended ?? row)
}

/**
 * Writes the ending of every run whose process is gone, and appends it to the log beside the database; returns those
 * runs. Of several processes that find the same run one does so: whoever holds the lock of the database. A log that
 * cannot be written is told in the program's log; the ending is written all the same.
 */
export const recoverDead = (db: Database): Effect.Effect<ReadonlyArray<RunRecord>, StoreError> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const probe = yield* LocalProcess.probe
    const rows = yield* db.attempt("read runs")(db.sql.unsafe<RunRow>(marked))
    // Most openings find nothing to do, and need no lock to see it.
    if (!rows.some((row) => isGone(row, now, probe))) return []
    const ended = yield* db.attempt("recover runs")(
      db.sql.transact((transaction) =>
        transaction
          .all<RunRow>(marked, [])
          .filter((row) => isGone(row, now, probe))
          .map((row) => end(transaction, row))
      )
    )
    for (const record of ended) {
      yield* Effect.ignore(LeaderboardLog.append(db.path, record, null), { log: "Warn" })
    }
    return ended
  })
