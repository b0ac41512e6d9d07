/** Asks the process of a run to end it: a wish beside the database, and the signal that makes it look. */
import type { RunRecord } from "@agent-arena/core/domain/Run"
import * as LocalProcess from "@agent-arena/core/store/LocalProcess"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { CommandError } from "../../process/Failure.ts"
import { stopTarget } from "../stopTarget.ts"
import { forgetWish, leaveWish } from "./stopRequest.ts"

const conflict = (message: string, suggestion: string | null) =>
  new CommandError({ kind: "conflict", message, suggestion })

/** Sends the signal; false = the process has just ended. */
const signal = (pid: number) =>
  Effect.try({
    try: () => process.kill(pid, "SIGINT"),
    catch: (cause) => cause
  }).pipe(
    Effect.catch((cause) =>
      cause instanceof Error && "code" in cause && cause.code === "ESRCH"
        ? Effect.succeed(false)
        : Effect.fail(
            conflict(`process ${pid} cannot be signalled: ${String(cause)}`, "stop it as the user who runs it")
          )
    )
  )

/** Asks, and returns the process that was asked; fails when it is not one of this machine. `db` is the database file. */
export const askToStop = Effect.fnUntraced(function* (db: string, run: RunRecord, now: boolean) {
  const probe = yield* LocalProcess.probe
  const target = stopTarget(run, yield* Clock.currentTimeMillis, probe)
  if (target._tag === "NotHere") {
    return yield* conflict(`${run.runId} cannot be stopped from here: ${target.reason}`, target.suggestion)
  }
  leaveWish(db, run.runId, { pid: target.pid, now })
  if (!(yield* signal(target.pid))) forgetWish(db, run.runId)
  return target.pid
})
