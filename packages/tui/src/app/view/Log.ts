/** The event log: what went wrong, what waits, what was asked. Newest at the bottom. */
import type { EventLog, Level, LogEntry } from "../run/EventLog.ts"
import type { OpenRun } from "../run/OpenRun.ts"
import { clock, compact, integer, plural } from "../terminal/Format.ts"
import { fitBlock, type Line, line, segment, selectLine } from "../terminal/Line.ts"
import type { Role } from "../terminal/Style.ts"
import type { Pane } from "./Layout.ts"
import { paneTitle } from "./Text.ts"

const marks: Readonly<Record<Level, readonly [string, Role]>> = {
  info: ["·", "muted"],
  warning: ["↻", "warning"],
  error: ["!", "error"]
}

/** What stands where events are missing, so that nobody takes the log for complete. */
const gapLine = ({ at, lastAt }: LogEntry, missed: number): Line => [
  segment(` ${clock(lastAt)} `, "faint"),
  segment("… ", "warning"),
  segment(missed === 0 ? "events not shown" : `${plural(missed, "event")} not shown`, "warning"),
  segment(` since ${clock(at)}: too fast to follow one by one; counts are exact`, "muted")
]

const entryLine = (entry: LogEntry): Line => {
  if (entry.missed !== null) return gapLine(entry, entry.missed)
  const [mark, role] = marks[entry.level]
  return [
    segment(` ${clock(entry.lastAt)} `, "faint"),
    segment(`${mark} `, role),
    segment(entry.text, entry.level === "info" ? "muted" : "plain"),
    ...(entry.count > 1 ? [segment(` ×${integer(entry.count)}`, "muted")] : [])
  ]
}

/** How many errors and warnings there are; of a log with gaps it is said since when, for it knows only what was heard. */
const counted = ({ counts, missed, missedSince }: EventLog): ReadonlyArray<string> => {
  if (missedSince !== null) return [`${missed === 0 ? "some" : compact(missed)} not shown since ${clock(missedSince)}`]
  return [
    counts.error > 0 ? plural(counts.error, "error") : "",
    counts.warning > 0 ? plural(counts.warning, "warning") : ""
  ]
}

/** `entry` is the absolute number of the entry under the cursor; null follows the newest. */
export const logPane = (run: OpenRun, entry: number | null, pane: Pane, focused: boolean): ReadonlyArray<Line> => {
  const { log } = run.model
  const { dropped, entries } = log
  const visible = Math.max(0, pane.height - 1)
  const cursor = entry === null ? entries.length - 1 : Math.max(0, entry - dropped)
  const last = Math.min(entries.length, Math.max(visible, cursor + 1))
  const newer = entries.length - last
  const detail = [...counted(log), newer > 0 ? `${integer(newer)} newer below` : ""]
  const title = paneTitle("Events", detail.filter((part) => part !== "").join(" · "), pane.width, focused)
  const first = Math.max(0, last - visible)
  const rows = entries.slice(first, last).map((own, index) => {
    const text = entryLine(own)
    return focused && first + index === cursor ? selectLine(text, pane.width) : text
  })
  return fitBlock(
    [title, ...(rows.length === 0 ? [line(" Nothing to report.", "muted")] : rows)],
    pane.width,
    pane.height
  )
}
