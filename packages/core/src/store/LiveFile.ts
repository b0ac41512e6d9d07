/**
 * Where a run that goes on says how it stands, for whoever looks on from another process: a small hidden file beside the
 * database. What is in it, the engine knows; here is where it lies, and when it is no longer true.
 */
import { readdirSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { runFileName } from "../domain/RunFileName.ts"
import { liveness } from "./Liveness.ts"
import * as LocalProcess from "./LocalProcess.ts"
import { type RunRow, toRecord } from "./RunRow.ts"
import type { StoreDatabase } from "./StoreDatabase.ts"

const prefix = ".live-"
const suffix = ".json"

const nameOf = (runId: string): string => `${prefix}${runFileName(runId)}${suffix}`

/** The live file of a run; null for a database in memory, which nobody else can look into. */
export const liveFileOf = (database: string, runId: string): string | null =>
  database === ":memory:" ? null : join(dirname(database), nameOf(runId))

const beingWritten = ".tmp"

/** Where a live file is written before it takes its place. */
export const temporaryOf = (file: string): string => `${file}${beingWritten}`

/** Takes a live file away, if it is there and can be. */
export const removeLiveFile = (file: string): void => {
  try {
    rmSync(file, { force: true })
  } catch {
    // Nobody believes it once its process is gone.
  }
}

const filesBeside = (database: string): ReadonlyArray<string> => {
  if (database === ":memory:") return []
  try {
    return readdirSync(dirname(database))
      .filter((name) => name.startsWith(prefix) && (name.endsWith(suffix) || name.endsWith(temporaryOf(suffix))))
      .map((name) => join(dirname(database), name))
  } catch {
    return []
  }
}

/** Takes away what runs of this database have left behind that no longer go on; files of other databases stay. */
export const removeStale = (db: StoreDatabase["Service"]): Effect.Effect<void> =>
  Effect.gen(function* () {
    const files = filesBeside(db.path)
    if (files.length === 0) return
    const now = yield* Clock.currentTimeMillis
    const probe = yield* LocalProcess.probe
    const rows = yield* db.attempt("read runs")(db.sql<RunRow>`SELECT * FROM runs ORDER BY pk`)
    const records = new Map(rows.map(toRecord).map((record) => [nameOf(record.runId), record]))
    for (const file of files) {
      const record = records.get(basename(file, beingWritten))
      if (record !== undefined && liveness(record, now, probe) !== "alive") removeLiveFile(file)
    }
  }).pipe(Effect.ignore)
