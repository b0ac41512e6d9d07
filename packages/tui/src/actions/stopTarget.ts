import type { RunRecord } from "@agent-arena/core/domain/Run"
import type { ProcessProbe } from "@agent-arena/core/store/Liveness"

/** Where a running run can be stopped: by a signal to a process of this machine, or not from here. */
export type StopTarget =
  | { readonly _tag: "Process"; readonly pid: number }
  | { readonly _tag: "NotHere"; readonly reason: string; readonly suggestion: string }

/** A heartbeat older than this does not prove that a process is the one of the run. Ms; runs give one every 5 s. */
const freshMs = 30_000

const notHere = (reason: string, suggestion: string): StopTarget => ({ _tag: "NotHere", reason, suggestion })

const isKnown = (value: string | null | undefined): value is string => value !== null && value !== undefined

/**
 * Finds the process of a run that is marked as running. A process is only signalled when it is certain to be the run's
 * own: the same start, or, where the system does not tell starts, a heartbeat of just now. `now` is ms since the epoch.
 */
export const stopTarget = (
  { heartbeatAt, host, startedAt }: Pick<RunRecord, "host" | "heartbeatAt" | "startedAt">,
  now: number,
  { here, processStart }: ProcessProbe
): StopTarget => {
  if (host === null) return notHere("nothing is known of its process", "end it where it was started")
  const { hostname, pid, pidNamespace } = host
  if (hostname !== here.hostname) return notHere(`it runs on ${hostname} as process ${pid}`, "run arena stop there")
  if (isKnown(pidNamespace) && isKnown(here.pidNamespace) && pidNamespace !== here.pidNamespace) {
    return notHere(`it runs in another container as process ${pid}`, "run arena stop there")
  }
  const start = processStart(pid)
  if (start !== undefined && isKnown(start) && isKnown(host.processStart)) {
    if (start === host.processStart) return { _tag: "Process", pid }
    return notHere(`process ${pid} is not the one that ran it`, "arena resume goes on with it")
  }
  const lastSign = Date.parse(heartbeatAt ?? startedAt)
  if (start !== undefined && Math.abs(now - lastSign) <= freshMs) return { _tag: "Process", pid }
  return notHere(`it is not certain that process ${pid} is still the one that runs it`, `kill -INT ${pid} if you are`)
}
