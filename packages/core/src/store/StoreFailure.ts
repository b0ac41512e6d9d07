/** From SQLite's result codes to what a person can do about them. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { StoreError, type StoreProblem } from "../domain/StoreError.ts"
import { sqliteCode } from "./SqliteClient.ts"

interface Explanation {
  readonly problem: StoreProblem
  readonly suggestion: string | null
}

const damaged: Explanation = {
  problem: "corrupt",
  suggestion: "move the file away and start a new one; `sqlite3 FILE .recover` may save what is in it"
}

/** By primary result code (https://sqlite.org/rescode.html). */
const explanations: ReadonlyMap<number, Explanation> = new Map<number, Explanation>([
  [3, { problem: "cannot_open", suggestion: "check the permissions of the file" }],
  [5, { problem: "locked", suggestion: "another process is writing to it; wait for it or stop it" }],
  [6, { problem: "locked", suggestion: "another process is writing to it; wait for it or stop it" }],
  [8, { problem: "read_only", suggestion: "make the file and its folder writable, or choose another database" }],
  [10, { problem: "io", suggestion: "check that the disk is healthy and has free space" }],
  [11, damaged],
  [13, { problem: "disk_full", suggestion: "free some disk space" }],
  [14, { problem: "cannot_open", suggestion: "check the path and its permissions" }],
  [18, { problem: "invalid", suggestion: null }],
  [19, { problem: "conflict", suggestion: null }],
  [26, { problem: "foreign", suggestion: "it is not an SQLite database; choose another path" }]
])

const unexplained: Explanation = { problem: "unknown", suggestion: null }

/** SQLite's description of the code, which never contains data of a row. */
const describe = (error: SqlError): string => {
  const { cause } = error.reason
  if (typeof cause === "object" && cause !== null && "errstr" in cause && typeof cause.errstr === "string") {
    return cause.errstr
  }
  return cause instanceof Error ? cause.message : error.message
}

/** The result code of a failed statement; null when it did not come from SQLite. */
export const codeOf = (error: SqlError): number | null => {
  const code = sqliteCode(error.reason.cause)
  return code === null ? null : code & 0xff
}

/** A failed statement as the store's error. */
export const fromSql =
  (operation: string, path: string) =>
  (error: SqlError): StoreError => {
    const code = codeOf(error)
    const { problem, suggestion } = (code === null ? undefined : explanations.get(code)) ?? unexplained
    return new StoreError({ operation, path, detail: describe(error), problem, suggestion, cause: error })
  }

/** A refusal of our own, without a cause. */
export const refuse = (
  operation: string,
  path: string,
  problem: StoreProblem,
  detail: string,
  suggestion: string | null = null
): StoreError => new StoreError({ operation, path, problem, detail, suggestion, cause: null })

/** How long another process may hold the lock, ms. */
export const lockPatienceMs = 30_000

/** The same while the run ends because somebody asked for it: he in turn waits for the end. */
export const hurriedPatienceMs = 1_000

const attempts = Schedule.min([Schedule.exponential("5 millis"), Schedule.spaced("250 millis")]).pipe(Schedule.jittered)

/** When to try again while the database is locked; how long is asked at each attempt. */
export const untilUnlocked = (patienceMs: () => number) =>
  Schedule.while(attempts, ({ elapsed }) => elapsed < patienceMs())

const usually = untilUnlocked(() => lockPatienceMs)

/**
 * Repeats a statement or a transaction that found the database locked. SQLite itself waits for the lock only a few
 * milliseconds, because its waiting blocks the event loop; between its attempts the program goes on.
 */
export const whenUnlocked = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  schedule: ReturnType<typeof untilUnlocked> = usually
): Effect.Effect<A, E, R> =>
  Effect.retry(effect, {
    schedule,
    while: (error) => isSqlError(error) && error.reason._tag === "LockTimeoutError"
  })
