/** The one line that says how far a run is. */
import type { RunSnapshot } from "@agent-arena/core/domain/RunEvent"
import { count, duration, spend, unknown } from "@agent-arena/core/report/Figures"
import { clip } from "@agent-arena/core/report/TextWidth"

/** What is derived from several snapshots. */
export interface Pace {
  /** Finished cells per second lately; null while too little is known to say. */
  readonly perSecond: number | null
  /** Until everything is done at that pace, ms; null when it cannot be told. */
  readonly remainingMs: number | null
}

const perSecond = (rate: number): string => `${rate >= 10 ? count(rate) : rate.toFixed(1)}/s`

const phases: Readonly<Record<RunSnapshot["phase"], string>> = {
  running: "",
  paused: "paused",
  stopping: "stopping, waiting for calls in flight",
  finished: "finished"
}

/** Cells that have an outcome of whatever kind. */
const settled = ({ counts }: RunSnapshot): number => counts.finished + counts.interrupted

const share = (snapshot: RunSnapshot): number =>
  snapshot.counts.planned === 0 ? 1 : settled(snapshot) / snapshot.counts.planned

const remaining = (ms: number | null): string => (ms === null ? unknown : ms < 1000 ? "< 1 s" : duration(ms))

const facts = (snapshot: RunSnapshot, pace: Pace): ReadonlyArray<string> => {
  const { counts, inFlight, phase, retries, spentUsd } = snapshot
  return [
    `${count(settled(snapshot))}/${count(counts.planned)}`,
    ...(pace.perSecond === null ? [] : [perSecond(pace.perSecond)]),
    `ETA ${remaining(pace.remainingMs)}`,
    ...(spentUsd === null || spentUsd === 0 ? [] : [spend(spentUsd)]),
    ...(counts.errored > 0 ? [`${count(counts.errored)} failed`] : []),
    ...(retries > 0 ? [`${count(retries)} retried`] : []),
    ...(inFlight > 0 ? [`${count(inFlight)} in flight`] : []),
    ...(phases[phase] === "" ? [] : [phases[phase]])
  ]
}

/** Never shows 100 % before everything is done. */
const percentage = (snapshot: RunSnapshot): string => `${Math.floor(share(snapshot) * 100)}%`

const barWidth = 24

/** For a terminal that is `columns` wide: a bar and as many facts as fit. */
export const bar = (snapshot: RunSnapshot, pace: Pace, columns: number): string => {
  const filled = Math.floor(share(snapshot) * barWidth)
  const head = filled < barWidth && filled > 0 ? ">" : ""
  const drawn = `[${`${"=".repeat(Math.max(0, filled - head.length))}${head}`.padEnd(barWidth)}]`
  const figures = [percentage(snapshot).padStart(4), ...facts(snapshot, pace)].join("  ")
  return clip(columns > barWidth + 40 ? `${drawn}${figures}` : figures.trimStart(), columns - 1)
}

/** For a log: everything, after how long the run has been going on. */
export const logLine = (snapshot: RunSnapshot, pace: Pace): string =>
  [`${duration(snapshot.elapsedMs)}:`, percentage(snapshot), facts(snapshot, pace).join(", ")].join(" ")
