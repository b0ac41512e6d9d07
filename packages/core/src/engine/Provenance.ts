import { execFile } from "node:child_process"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { RunId } from "../domain/Ids.ts"

/** Version of this package, recorded with every run. */
export const arenaVersion = "0.1.0"

const gitTimeoutMs = 5_000

/** Short commit of the project folder; null outside a repository, without git, or when git takes too long. */
export const gitSha = (root: string): Effect.Effect<string | null> =>
  Effect.callback((resume) => {
    const child = execFile(
      "git",
      ["rev-parse", "--short", "HEAD"],
      { cwd: root, timeout: gitTimeoutMs },
      (error, stdout) => resume(Effect.succeed(error === null && stdout.trim() !== "" ? stdout.trim() : null))
    )
    return Effect.sync(() => child.kill())
  })

/** `run_YYYYmmdd_HHMMSS_xxxxxx` in UTC, with six random hex digits. */
export const newRunId = (clock: Clock.Clock): Effect.Effect<RunId> =>
  Effect.map(Random.nextIntBetween(0, 0xff_ff_ff), (tail) => {
    const stamp = new Date(clock.currentTimeMillisUnsafe()).toISOString()
    const day = stamp.slice(0, 10).replaceAll("-", "")
    const time = stamp.slice(11, 19).replaceAll(":", "")
    return RunId.make(`run_${day}_${time}_${tail.toString(16).padStart(6, "0")}`)
  })
