/** A run in a few lines under the prompt: how far it is, and how each contestant does. Pure, and never too wide or too high. */
import { Fail, Failed, Partial, Pass, TimedOut, Unscored } from "../app/run/CellState.ts"
import type { OpenRun } from "../app/run/OpenRun.ts"
import { type ContestantModel, countOf } from "../app/run/RunModel.ts"
import { compact, integer, percent, usd } from "../app/terminal/Format.ts"
import { cutLine, type Line, lineWidth, type Segment, segment } from "../app/terminal/Line.ts"
import type { Role } from "../app/terminal/Style.ts"
import { fitText, textWidth } from "../app/terminal/TextWidth.ts"
import { countPieces, doneLine, estimate, paceLine, phaseMark, progressBar, spend } from "../app/view/Header.ts"
import type { Size } from "../app/view/Layout.ts"
import { type Place, standings } from "../app/view/LeaderboardRows.ts"
import { joined } from "../app/view/Text.ts"

/** Rows that stay free for what was printed before, and more contestants than this are not a glance. */
const freeRows = 4
const mostContestants = 8

/** From this height on there is a second line of figures; from that on, contestants. */
const secondLineFrom = 6
const contestantsFrom = 12

const gap = segment("  ")

/** The last column stays free: a terminal that writes into it may wrap. */
const room = ({ width }: Size): number => Math.max(1, width - 1)

const phaseLine = ({ model }: OpenRun): Line =>
  model.phase === "running" ? [] : [segment(`${phaseMark[model.phase]} ${model.phase}`, "warning")]

const missedLine = ({ model: { log } }: OpenRun): Line =>
  log.missedSince === null ? [] : [segment("too fast to follow one by one; counts are exact", "muted")]

/** What matters most comes first: the rest is cut away where it does not fit. */
const figures = (run: OpenRun, now: number, brief: boolean): ReadonlyArray<Line> => {
  const { model, source } = run
  const eta = estimate(model, now)
  const money = source.facts.budgetUsd === null && model.total.priced === 0 ? [] : spend(run)
  const [, ...counts] = countPieces(run, now, brief)
  return [
    doneLine(model),
    brief ? paceLine(model, now) : [],
    eta === "" ? [] : [segment(eta, "strong")],
    phaseLine(run),
    money,
    ...counts
  ].filter((piece) => piece.length > 0)
}

const barWidth = (width: number): number => Math.max(8, Math.min(40, Math.floor(width / 4)))

const barLine = (run: OpenRun, width: number): Line => {
  const { model } = run
  return [segment(" "), ...progressBar(model.total, model.planned, width)]
}

/** One line, as full as it gets; two where the figures need them and there is room. */
const head = (run: OpenRun, now: number, size: Size): ReadonlyArray<Line> => {
  const width = room(size)
  const brief = width < 100
  const pieces = figures(run, now, brief)
  const bar = barLine(run, barWidth(width))
  const whole = [...bar, gap, ...joined(pieces, gap)]
  if (lineWidth(whole) <= width) return [whole]
  if (size.height < secondLineFrom) return [cutLine(width < 50 ? [segment(" "), ...joined(pieces, gap)] : whole, width)]
  const first: Array<Line> = []
  let used = lineWidth(bar)
  for (const piece of pieces) {
    const next = used + 2 + lineWidth(piece)
    if (next > width) break
    first.push(piece)
    used = next
  }
  const second: Line = [segment(" "), ...joined(pieces.slice(first.length), gap)]
  return [cutLine([...bar, gap, ...joined(first, gap)], width), cutLine(second, width)]
}

interface Columns {
  readonly label: number
  /** Columns of the bar of a contestant; 0 = none. */
  readonly bar: number
  readonly done: number
  readonly cost: number
}

/** Ranks and scores of a run that goes on are not final. */
const headWord = "provisional"

const columnsFor = (places: ReadonlyArray<Place>, width: number): Columns => {
  const widest = Math.max(headWord.length, ...places.map(({ label }) => textWidth(label)))
  const most = Math.max(...places.map(({ planned }) => planned))
  return {
    label: Math.min(widest, Math.max(8, Math.floor(width * 0.3))),
    bar: width >= 76 ? Math.min(24, Math.floor(width / 8)) : 0,
    done: width >= 60 ? 2 * integer(most).length + 1 : 4,
    cost: width >= 56 ? 10 : 0
  }
}

const outcomes: ReadonlyArray<readonly [string, Role, ReadonlyArray<number>]> = [
  ["✓", "pass", [Pass]],
  ["◐", "partial", [Partial]],
  ["✗", "fail", [Fail]],
  ["?", "unscored", [Unscored]],
  ["!", "error", [Failed]],
  ["◷", "timeout", [TimedOut]]
]

/** Outcomes by sign and colour; those that do not occur leave no gap. */
const outcomeLine = ({ tally }: ContestantModel): Line =>
  joined(
    outcomes.map(([sign, role, states]) => {
      const count = states.reduce((sum, state) => sum + countOf(tally, state), 0)
      return count === 0 ? [] : [segment(`${sign} ${compact(count)}`, role)]
    }),
    gap
  )

const doneText = (place: Place, columns: Columns): string =>
  columns.done > 4
    ? `${integer(place.finished)}/${integer(place.planned)}`
    : percent(place.planned === 0 ? null : place.finished / place.planned)

/** Columns below which the reason of a disqualification says nothing. */
const leastReason = 30

const contestantLine = (contestant: ContestantModel, place: Place, columns: Columns, width: number): Line => {
  const { tally } = contestant
  const out = place.standing === "disqualified"
  const first = place.rank === "1"
  const rank = out ? "✗" : place.rank
  const line: Array<Segment> = [
    segment(` ${fitText(rank, 2, "right")} `, out ? "fail" : first ? "accent" : "plain"),
    segment(fitText(place.label, columns.label), first ? "strong" : "plain"),
    segment(fitText(place.compositeText, 7, "right"), first ? "strong" : "plain")
  ]
  if (columns.bar > 0) line.push(gap, ...progressBar(tally, place.planned, columns.bar))
  line.push(segment(`  ${fitText(doneText(place, columns), columns.done, "right")}`, "muted"))
  line.push(segment(fitText(usd(tally.priced === 0 ? null : tally.costUsd), columns.cost, "right"), "muted"), gap)
  line.push(...outcomeLine(contestant))
  const why = out ? [segment("  out: ", "fail"), segment(place.reason, "muted")] : []
  return cutLine(lineWidth(line) + leastReason <= width ? [...line, ...why] : line, width)
}

const heading = (columns: Columns): Line => {
  const bar = columns.bar > 0 ? " ".repeat(columns.bar + 2) : ""
  const done = fitText("done", columns.done, "right")
  const cost = fitText("cost", columns.cost, "right")
  return [segment(`    ${fitText(headWord, columns.label)}  score${bar}  ${done}${cost}`, "muted")]
}

/** One line for each contestant that runs, in the order of the provisional leaderboard. */
const contestants = (run: OpenRun, rows: number, width: number): ReadonlyArray<Line> => {
  const all = standings(run).places.flatMap((place) => {
    const contestant = run.model.contestants[place.contestant]
    return contestant === undefined || contestant.skipped !== null ? [] : [{ contestant, place }]
  })
  const most = Math.min(mostContestants, rows - 1)
  if (all.length === 0 || most < Math.min(2, all.length)) return []
  const shown = all.length <= most ? all : all.slice(0, most - 1)
  const columns = columnsFor(
    shown.map(({ place }) => place),
    width
  )
  const lines = shown.map(({ contestant, place }) => contestantLine(contestant, place, columns, width))
  const left = all.length - shown.length
  return [
    cutLine(heading(columns), width),
    ...lines,
    ...(left === 0 ? [] : [cutLine([segment(`    … ${left} more`, "muted")], width)])
  ]
}

/**
 * The view of a run that goes on: at most as many lines as the terminal has rows, less those that stay free, each
 * narrower than the terminal.
 */
export const inlineView = (run: OpenRun, now: number, size: Size): ReadonlyArray<Line> => {
  const width = room(size)
  const lines = [...head(run, now, size)]
  if (size.height < contestantsFrom) return lines
  const missed = missedLine(run)
  if (missed.length > 0) lines.push(cutLine([segment(" "), ...missed], width))
  const rows = size.height - freeRows - lines.length
  return [...lines, ...contestants(run, rows, width)]
}
