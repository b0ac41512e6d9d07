/** The Pareto plot with its axes and its legend. */
import type { Leaderboard } from "@agent-arena/core/domain/Leaderboard"
import { columnFormat } from "@agent-arena/core/report/Figures"
import { displayText } from "../terminal/DisplayText.ts"
import { type Line, line, type Segment, segment } from "../terminal/Line.ts"
import { fitText } from "../terminal/TextWidth.ts"
import { frontier, type PlotPoint, plot } from "./Pareto.ts"

const height = 10

/** What is plotted to the right: the first of these that at least two contestants have. */
const prices = ["cost", "latency_p95", "latency", "tokens"]
const qualities = ["accuracy", "strict_accuracy", "pass_rate"]

interface Axis {
  readonly metric: string
  readonly unit: string
}

const measured = (board: Leaderboard, metric: string): number =>
  board.entries.filter((entry) => (entry.metrics[metric]?.raw ?? null) !== null).length

const axisOf = (board: Leaderboard, metrics: ReadonlyArray<string>): Axis | null => {
  const metric = metrics.find((name) => measured(board, name) >= 2)
  if (metric === undefined) return null
  return {
    metric,
    unit: board.entries.find((entry) => entry.metrics[metric] !== undefined)?.metrics[metric]?.unit ?? ""
  }
}

const letter = (index: number): string => (index < 26 ? String.fromCharCode(65 + index) : "Z")

interface Marked extends PlotPoint {
  readonly label: string
  /** Only what may win can be on the frontier. */
  readonly ranked: boolean
}

const legend = (points: ReadonlyArray<Marked>, width: number): ReadonlyArray<Line> => {
  const best = new Set(frontier(points.filter(({ ranked }) => ranked)).map(({ mark }) => mark))
  return points.map(({ mark, label, ranked }) => {
    const note = !ranked ? "disqualified" : best.has(mark) ? "on the frontier" : "another is better or cheaper"
    return [
      segment(`  ${mark} `, best.has(mark) ? "accent" : "muted"),
      segment(fitText(label, Math.min(24, Math.max(8, width - 34)))),
      segment(` ${note}`, ranked ? "muted" : "fail")
    ]
  })
}

/** Letters of contestants stand out of the dots of the frontier. */
const rowSegments = (row: string): ReadonlyArray<Segment> =>
  row.split(/([A-Z])/).map((part, index) => segment(part, index % 2 === 1 ? "strong" : "faint"))

export const plotLines = (board: Leaderboard | null, width: number): ReadonlyArray<Line> => {
  if (board === null) return []
  const x = axisOf(board, prices)
  const y = axisOf(board, qualities)
  if (x === null || y === null)
    return [line(" Two contestants with a price or a latency are needed for a plot.", "muted")]
  const points = board.entries.flatMap((entry, index): ReadonlyArray<Marked> => {
    const [price, quality] = [entry.metrics[x.metric]?.raw ?? null, entry.metrics[y.metric]?.raw ?? null]
    if (price === null || quality === null) return []
    const label = displayText(entry.label)
    return [{ mark: letter(index), x: price, y: quality, label, ranked: entry.status === "ranked" }]
  })
  const [xText, yText] = [columnFormat(x.unit), columnFormat(y.unit)]
  const label = 8
  const picture = plot(points, Math.min(72, width - label - 3), height, ({ ranked }) => ranked)
  if (picture === null) return []
  const rows = picture.rows.map((row, index): Line => {
    const value = index === 0 ? picture.yHigh : index === picture.rows.length - 1 ? picture.yLow : null
    return [
      segment(`${fitText(value === null ? "" : yText(Math.min(1, value)), label, "right")} │`, "muted"),
      ...rowSegments(row)
    ]
  })
  const columns = picture.rows[0]?.length ?? 0
  const [low, high] = [xText(Math.max(0, picture.xLow)), xText(picture.xHigh)]
  const name = `${y.metric} over ${x.metric}`
  const space = Math.max(1, columns - low.length - high.length - name.length)
  const half = Math.floor(space / 2)
  return [
    ...rows,
    line(`${" ".repeat(label)} └${"─".repeat(columns)}`, "muted"),
    line(`${" ".repeat(label + 2)}${low}${" ".repeat(half)}${name}${" ".repeat(space - half)}${high}`, "muted"),
    ...legend(points, width)
  ]
}
