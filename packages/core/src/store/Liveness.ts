/** Whether the process of a run that is marked as running still exists. */
import type { RunHost, RunRecord } from "../domain/Run.ts"

/** What can be learned about processes from where we are. */
export interface ProcessProbe {
  /** This machine, this boot, this name space of process ids. */
  readonly here: RunHost
  /** When the process with this id started, null when the system does not say; undefined when there is no such process. */
  readonly processStart: (pid: number) => string | null | undefined
}

/** `ended`: not marked as running. `gone`: marked as running by a process that no longer exists. */
export type Liveness = "ended" | "alive" | "gone"

/** A heartbeat older than this belongs to a dead process, where nothing better is known. Ms. */
export const staleAfterMs = 120_000

const isKnown = (value: string | null | undefined): value is string => value !== null && value !== undefined

const differ = (a: string | null | undefined, b: string | null | undefined): boolean =>
  isKnown(a) && isKnown(b) && a !== b

/** True or false where the process itself can be judged, null where only the heartbeat can. */
const processExists = (host: RunHost, probe: ProcessProbe): boolean | null => {
  const { here } = probe
  if (host.hostname !== here.hostname) return null
  if (differ(host.bootId, here.bootId)) return false
  // The number means another process, or none, in there.
  if (differ(host.pidNamespace, here.pidNamespace)) return null
  const start = probe.processStart(host.pid)
  if (start === undefined) return false
  if (differ(start, host.processStart)) return false
  return isKnown(start) && isKnown(host.processStart) ? true : null
}

/**
 * Judges a run by its process where it ran on this machine, else by its heartbeat. `now` is ms since the Unix epoch; a
 * heartbeat from the future (a clock that was set back) counts as fresh.
 */
export const liveness = (
  record: Pick<RunRecord, "status" | "host" | "heartbeatAt" | "startedAt">,
  now: number,
  probe: ProcessProbe
): Liveness => {
  if (record.status !== "running") return "ended"
  const exists = record.host === null ? null : processExists(record.host, probe)
  if (exists !== null) return exists ? "alive" : "gone"
  const lastSign = Date.parse(record.heartbeatAt ?? record.startedAt)
  return now - lastSign <= staleAfterMs ? "alive" : "gone"
}
