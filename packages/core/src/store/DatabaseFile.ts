/**
 * Notices that the database file was deleted or replaced while a connection writes to it. The system keeps a deleted file
 * for whoever has it open, so that everything seems to work, and all of it is gone when the process ends.
 */
import { mkdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { StoreError } from "../domain/StoreError.ts"
import { refuse } from "./StoreFailure.ts"

export interface DatabaseFile {
  /**
   * Fails from the moment on at which the file is found gone; by then what it held was saved to another one. Looks at
   * most once a second, or `now` in any case.
   */
  readonly check: (when: "now" | "sometimes") => Effect.Effect<void, StoreError>
  /** Where the contents are: the path that was opened, or the file that they were saved to. */
  readonly place: () => string
}

const intervalMs = 1_000

const unknown = "unknown"

/** Which file it is, whatever its name; null = there is none, "unknown" = the system does not say. */
const identityOf = (path: string): string | null => {
  try {
    const facts = statSync(path, { bigint: true, throwIfNoEntry: false })
    return facts === undefined ? null : `${facts.dev}:${facts.ino}`
  } catch {
    return unknown
  }
}

const makeWay = (path: string) =>
  Effect.try({
    try: () => {
      mkdirSync(dirname(path), { recursive: true })
      // They belong to the file that is gone, and would be taken for those of the new one.
      for (const rest of ["-wal", "-shm"]) rmSync(`${path}${rest}`, { force: true })
    },
    catch: (cause) => cause
  })

const saveTo = (sql: SqlClient.SqlClient, path: string) =>
  Effect.gen(function* () {
    yield* makeWay(path)
    yield* sql.unsafe("VACUUM INTO ?", [path])
    yield* sql.unsafe("ATTACH ? AS saved", [path])
    yield* Effect.ensuring(sql.unsafe("PRAGMA saved.journal_mode = WAL"), Effect.ignore(sql.unsafe("DETACH saved")))
    return path
  })

/** Writes what the connection still has into a new file; null = no place takes it. */
const save = (sql: SqlClient.SqlClient, path: string, now: number): Effect.Effect<string | null> => {
  const aside = `${basename(path)}.saved-${now}`
  // Only where there is nothing: an attempt on a file that exists spoils the next one.
  const places = [path, join(dirname(path), aside), join(tmpdir(), aside)].filter((place) => identityOf(place) === null)
  return places.reduce<Effect.Effect<string | null>>(
    (before, place) =>
      Effect.flatMap(before, (saved) =>
        saved === null ? Effect.orElseSucceed(saveTo(sql, place), () => null) : Effect.succeed(saved)
      ),
    Effect.succeed(null)
  )
}

const gone = (path: string, place: string | null): StoreError => {
  const detail = "the file was deleted or replaced while the run wrote to it"
  if (place === null) return refuse("write", path, "missing", `${detail}, AND WHAT IT HELD IS LOST`)
  return refuse(
    "write",
    path,
    "missing",
    `${detail}; what it held was saved to ${place}`,
    place === path ? "arena resume goes on with the run" : `name it with --db ${place}`
  )
}

/** Watches a file that `sql` has open. */
export const watch = (path: string, sql: SqlClient.SqlClient): DatabaseFile => {
  const opened = identityOf(path)
  let lost: StoreError | null = null
  let place = path
  let lookedAt = Number.NEGATIVE_INFINITY
  const look = Effect.fnUntraced(function* (now: number) {
    const found = identityOf(path)
    if (found === opened || found === unknown) return
    const saved = yield* save(sql, path, now)
    place = saved ?? path
    lost = gone(path, saved)
    return yield* lost
  })
  return {
    check: (when) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        if (lost !== null) return lost
        if (when === "sometimes" && now - lookedAt < intervalMs && now >= lookedAt) return Effect.void
        lookedAt = now
        return look(now)
      }),
    place: () => place
  }
}

/** A database that has no file, or is not written to. */
export const unwatched = (path: string): DatabaseFile => ({ check: () => Effect.void, place: () => path })
