/** Facts about processes of this machine, as far as the system tells them (Linux: all of them). */
import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"
import * as Effect from "effect/Effect"
import type { RunHost } from "../domain/Run.ts"
import type { ProcessProbe } from "./Liveness.ts"

const readOrNull = (read: () => string): string | null => {
  try {
    return read().trim()
  } catch {
    return null
  }
}

/**
 * From `/proc/PID/stat`: state (field 3) and start in ticks since boot (field 22). The second field may itself hold
 * spaces and parentheses. Null where there is no such file.
 */
const stat = (pid: number): { readonly state: string; readonly start: string } | null => {
  const text = readOrNull(() => readFileSync(`/proc/${pid}/stat`, "utf8"))
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ")
  const state = fields?.[0]
  const start = fields?.[19]
  return state === undefined || start === undefined ? null : { state, start }
}

/** Dead, and only waiting for its parent to notice. */
const isZombie = (state: string): boolean => state === "Z" || state === "X"

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    // EPERM: it exists and belongs to somebody else.
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
  }
}

/** This process, as another one can recognise it. Unknown facts are null. */
export const current: Effect.Effect<RunHost> = Effect.sync(() => ({
  pid: process.pid,
  hostname: hostname(),
  bootId: readOrNull(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8")),
  processStart: stat(process.pid)?.start ?? null,
  pidNamespace: readOrNull(() => readlinkSync("/proc/self/ns/pid"))
}))

/** Looks at the processes of this machine. */
export const probe: Effect.Effect<ProcessProbe> = Effect.map(current, (here) => ({
  here,
  processStart: (pid) => {
    if (!exists(pid)) return undefined
    const known = stat(pid)
    return known !== null && isZombie(known.state) ? undefined : (known?.start ?? null)
  }
}))
