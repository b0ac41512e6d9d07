/**
 * What `arena stop` tells the process of a run besides its signal: a small file beside the database, taken away by
 * whoever reads it. Without it the signal means the same as Ctrl-C.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { runFileName } from "@agent-arena/core/domain/RunFileName"
import * as Schema from "effect/Schema"

/** What is asked of process `pid`. `now` = interrupt what is in flight. */
export const StopWish = Schema.Struct({ pid: Schema.Int, now: Schema.Boolean })
export type StopWish = typeof StopWish.Type

const fileOf = (db: string, runId: string): string => join(dirname(db), `.stop-${runFileName(runId)}.json`)

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(StopWish))

/** Leaves a wish; false when the folder cannot be written. */
export const leaveWish = (db: string, runId: string, wish: StopWish): boolean => {
  try {
    writeFileSync(fileOf(db, runId), `${JSON.stringify(wish)}\n`)
    return true
  } catch {
    return false
  }
}

/** Takes a wish away unread. */
export const forgetWish = (db: string, runId: string): void => rmSync(fileOf(db, runId), { force: true })

/** The wish that was left for this process; null when there is none. It is gone afterwards. */
export const takeWish = (db: string, runId: string): StopWish | null => {
  try {
    const wish = decode(readFileSync(fileOf(db, runId), "utf8"))
    forgetWish(db, runId)
    return wish._tag === "Some" && wish.value.pid === process.pid ? wish.value : null
  } catch {
    return null
  }
}
