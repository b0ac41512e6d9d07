/** The leaderboard as lines: rank, composite with its interval, metrics, progress, and why somebody is out. */
import type { OpenRun } from "../run/OpenRun.ts"
import { compact, percent } from "../terminal/Format.ts"
import { fitBlock, fitLine, type Line, type Segment, segment, selectLine } from "../terminal/Line.ts"
import type { Role } from "../terminal/Style.ts"
import { fitText, textWidth } from "../terminal/TextWidth.ts"
import { floorText } from "./Floors.ts"
import type { Pane } from "./Layout.ts"
import { type Place, type Standings, standings } from "./LeaderboardRows.ts"
import { paneTitle } from "./Text.ts"

interface Columns {
  readonly label: number
  /** Widths of the metric columns that fit, in their order. */
  readonly metrics: ReadonlyArray<number>
  /** Columns of the interval bar; 0 = none. */
  readonly bar: number
  readonly progress: boolean
  /** Bounds of the bar's axis. */
  readonly low: number
  readonly high: number
}

const heading: Readonly<Record<string, string>> = {
  latency_p95: "p95",
  pass_rate: "pass",
  strict_accuracy: "strict",
  reliability: "reliable",
  cost: "cost/1k"
}

const headingOf = (metric: string): string => heading[metric] ?? metric

const metricWidths = (view: Standings): ReadonlyArray<number> =>
  view.metrics.map((metric, index) =>
    Math.min(
      12,
      Math.max(textWidth(headingOf(metric)), ...view.places.map((place) => textWidth(place.figures[index] ?? "")))
    )
  )

/** A tenth around all intervals and points, so that differences can be seen. */
const axis = (view: Standings): readonly [number, number] => {
  const values = view.places.flatMap((place) =>
    place.composite === null
      ? []
      : [place.composite, place.interval?.low ?? place.composite, place.interval?.high ?? place.composite]
  )
  if (values.length === 0) return [0, 1]
  const low = Math.max(0, Math.floor(Math.min(...values) * 10) / 10)
  const high = Math.min(1, Math.ceil(Math.max(...values) * 10) / 10)
  return high - low < 0.1 ? [Math.max(0, high - 0.1), Math.max(0.1, high)] : [low, high]
}

const columnsFor = (view: Standings, width: number): Columns => {
  const widest = Math.max(10, ...view.places.map((place) => textWidth(place.label)))
  const label = Math.min(widest, Math.max(10, Math.floor(width * 0.3)))
  let room = width - 4 - label - 7
  const metrics: Array<number> = []
  for (const own of metricWidths(view)) {
    if (room < own + 2) break
    metrics.push(own)
    room -= own + 2
  }
  const progress = view.provisional && room >= 7
  if (progress) room -= 7
  const bar = room >= 12 ? Math.min(40, room - 2) : 0
  const [low, high] = axis(view)
  return { label, metrics, bar, progress, low, high }
}

const at = (value: number, columns: Columns): number =>
  Math.max(
    0,
    Math.min(columns.bar - 1, Math.round(((value - columns.low) / (columns.high - columns.low)) * (columns.bar - 1)))
  )

/** `├──●───┤` on the common axis; only the point where no interval is known. */
const intervalBar = (place: Place, columns: Columns): ReadonlyArray<Segment> => {
  if (place.composite === null) return [segment(" ".repeat(columns.bar))]
  const cells = Array.from({ length: columns.bar }, () => " ")
  if (place.interval !== null) {
    const [from, to] = [at(place.interval.low, columns), at(place.interval.high, columns)]
    for (let column = from; column <= to; column++) cells[column] = "─"
    cells[from] = "├"
    cells[to] = "┤"
  }
  const point = at(place.composite, columns)
  return [
    segment(cells.slice(0, point).join(""), "muted"),
    segment("●", "bar"),
    segment(cells.slice(point + 1).join(""), "muted")
  ]
}

const standingRole: Readonly<Record<Place["standing"], Role>> = {
  ranked: "plain",
  waiting: "plain",
  disqualified: "fail",
  no_data: "muted"
}

const placeLine = (place: Place, columns: Columns, first: boolean): Line => {
  const role = standingRole[place.standing]
  const out: Array<Segment> = [
    segment(` ${fitText(place.standing === "disqualified" ? "✗" : place.rank, 2, "right")} `, first ? "accent" : role),
    segment(fitText(place.label, columns.label), first ? "strong" : role)
  ]
  if (place.reason !== "")
    return [
      ...out,
      segment(`  ${place.standing === "disqualified" ? "out" : "no data"}: `, role),
      segment(place.reason, "muted")
    ]
  out.push(segment(fitText(place.compositeText, 7, "right"), first ? "strong" : "plain"))
  if (columns.bar > 0) out.push(segment("  "), ...intervalBar(place, columns))
  columns.metrics.forEach((width, index) => {
    out.push(segment(`  ${fitText(place.figures[index] ?? "", width, "right")}`, "plain"))
  })
  if (columns.progress) {
    const share = place.planned === 0 ? null : place.finished / place.planned
    out.push(segment(fitText(percent(share), 7, "right"), "muted"))
  }
  return out
}

const headLine = (view: Standings, columns: Columns): Line => {
  const bar = columns.bar === 0 ? "" : `  ${axisLabel(columns)}`
  const metrics = columns.metrics.map(
    (width, index) => `  ${fitText(headingOf(view.metrics[index] ?? ""), width, "right")}`
  )
  const progress = columns.progress ? fitText("done", 7, "right") : ""
  return [segment(`    ${fitText("contestant", columns.label)}  score${bar}${metrics.join("")}${progress}`, "muted")]
}

const axisLabel = (columns: Columns): string => {
  const [low, high] = [columns.low.toFixed(1), columns.high.toFixed(1)]
  return low + " ".repeat(Math.max(1, columns.bar - low.length - high.length)) + high
}

/** The rows under their head line; `cursor` marks one, null none. */
export const leaderboardLines = (view: Standings, width: number, cursor: number | null): ReadonlyArray<Line> => {
  const columns = columnsFor(view, width)
  const rows = view.places.map((place, index) => {
    const own = placeLine(place, columns, place.rank === "1")
    return index === cursor ? selectLine(own, width) : fitLine(own, width)
  })
  return [headLine(view, columns), ...rows]
}

/** The pane of the live screen. */
export const leaderboardPane = (run: OpenRun, place: number, pane: Pane, focused: boolean): ReadonlyArray<Line> => {
  const view = standings(run)
  const lines = leaderboardLines(view, pane.width, focused ? place : null)
  const [head = [], ...rows] = lines
  const visible = Math.max(0, pane.height - 2)
  const top = Math.max(0, Math.min(place - visible + 1, rows.length - visible))
  const more = rows.length > visible ? ` · ${compact(rows.length)} contestants` : ""
  const floors = floorText(run.source.facts.rules.constraints)
  const state = view.provisional ? "provisional" : "final"
  const title = paneTitle("Leaderboard", `${state}${more}${floors === "" ? "" : ` · ${floors}`}`, pane.width, focused)
  return fitBlock([title, head, ...rows.slice(top, top + visible)], pane.width, pane.height)
}
