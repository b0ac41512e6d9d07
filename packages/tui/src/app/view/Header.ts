/** The top of every screen that shows a run: which, how far, how long still, at what price. */
import { Fail, Failed, Interrupted, Partial, Pass, Running, Skipped, TimedOut, Unscored } from "../run/CellState.ts"
import { finishedCells } from "../run/Fold.ts"
import type { OpenRun } from "../run/OpenRun.ts"
import { countOf, type RunModel, type Tally } from "../run/RunModel.ts"
import { rate, remainingMs } from "../run/Throughput.ts"
import { compact, duration, integer, percent, usd } from "../terminal/Format.ts"
import { fitLine, type Line, lineWidth, type Segment, segment, spread } from "../terminal/Line.ts"
import type { Role } from "../terminal/Style.ts"
import { cutText } from "../terminal/TextWidth.ts"
import { joined } from "./Text.ts"

const phaseWord = (run: OpenRun): readonly [string, Role] => {
  const { model } = run
  if (model.phase === "finished") {
    if (model.ending === null) return ["ended", "warning"]
    const { status, stopReason } = model.ending
    const text = stopReason === status ? status : `${status} (${stopReason})`
    return [text, status === "completed" ? "pass" : status === "failed" ? "fail" : "warning"]
  }
  const where = run.source.facts.kind === "attached" ? " in another process" : ""
  return [`${model.phase}${where}`, model.phase === "running" ? "running" : "warning"]
}

export const phaseMark: Readonly<Record<RunModel["phase"], string>> = {
  running: "●",
  paused: "◇",
  stopping: "▾",
  finished: "◆"
}

/** Time until the end in words; empty when nothing honest can be said. */
export const estimate = (model: RunModel, now: number): string => {
  if (model.phase !== "running") return ""
  const done = finishedCells(model.total)
  const left = remainingMs(rate(model.throughput, now, done), model.planned - done)
  return left === null ? "ETA —" : `ETA ${duration(left)}`
}

/** What was spent, against the budget if there is one. */
export const spend = (run: OpenRun): Line => {
  const { model, source } = run
  const spent = model.total.priced === 0 ? null : model.total.costUsd
  const budget = source.facts.budgetUsd
  if (budget === null) return [segment(spent === null ? "cost —" : usd(spent), "plain")]
  const role: Role = (spent ?? 0) >= budget ? "fail" : (spent ?? 0) >= budget * 0.8 ? "warning" : "plain"
  return [segment(usd(spent), role), segment(` / ${usd(budget)}`, "muted")]
}

const leastName = 8

const titleLine = (run: OpenRun, now: number, width: number): Line => {
  const { model } = run
  const [word, role] = phaseWord(run)
  const end = model.finishedAt ?? now
  const eta = estimate(model, now)
  const gap = segment("  ")
  const rest = joined(
    [
      [segment(`${phaseMark[model.phase]} ${word}`, role)],
      [segment(duration(end - model.startedAt), "plain")],
      eta === "" ? [] : [segment(eta, "muted")],
      width >= 100 ? [segment(model.id, "faint")] : []
    ],
    gap
  )
  const right: Line = [...spend(run), segment(" ")]
  // How long it still takes matters more than the name, which everybody knows who sees the screen.
  const room = width - lineWidth(rest) - lineWidth(right) - 4
  const name = segment(` ${cutText(model.project, Math.max(leastName, room))}`, "title")
  return spread([name, gap, ...rest], right, width)
}

const barParts: ReadonlyArray<readonly [number, string, Role]> = [
  [Pass, "█", "pass"],
  [Partial, "▓", "partial"],
  [Unscored, "▓", "unscored"],
  [Fail, "▒", "fail"],
  [Failed, "▒", "error"],
  [TimedOut, "▒", "timeout"],
  [Interrupted, "░", "interrupted"],
  [Running, "░", "running"]
]

/** One bar of all planned cells, in the colours of their outcomes; every outcome that exists shows. */
export const progressBar = (tally: Tally, planned: number, width: number): Line => {
  const out: Array<Segment> = []
  let used = 0
  let cells = 0
  for (const [state, glyph, role] of barParts) {
    const count = countOf(tally, state)
    if (count === 0) continue
    cells += count
    const end = Math.max(used + 1, Math.round((cells / Math.max(1, planned)) * width))
    const columns = Math.min(width, end) - used
    if (columns > 0) out.push(segment(glyph.repeat(columns), role))
    used = Math.min(width, end)
  }
  return [...out, segment("─".repeat(Math.max(0, width - used)), "faint")]
}

const singular = (word: string): string => (word === "errors" ? "error" : word === "retries" ? "retry" : word)

const counted = (count: number, mark: string, word: string, role: Role, brief: boolean): Line =>
  count === 0
    ? []
    : [
        segment(
          brief ? `${mark} ${compact(count)}` : `${mark} ${integer(count)} ${count === 1 ? singular(word) : word}`,
          role
        )
      ]

/** `97/240 40%` */
export const doneLine = (model: RunModel): Line => {
  const done = finishedCells(model.total)
  return [
    segment(`${integer(done)}/${integer(model.planned)} `),
    segment(percent(done / Math.max(1, model.planned)), "strong")
  ]
}

/** `58/s`; nothing while it is not known. */
export const paceLine = (model: RunModel, now: number): Line => {
  const perSecond = model.phase === "running" ? rate(model.throughput, now, finishedCells(model.total)) : null
  return perSecond === null ? [] : [segment(`${perSecond < 10 ? perSecond.toFixed(1) : compact(perSecond)}/s`, "muted")]
}

/** Counts of what is going on, in words where there is room. */
export const countPieces = (run: OpenRun, now: number, brief: boolean): ReadonlyArray<Line> => {
  const { model } = run
  const waiting = model.phase !== "finished" && model.rateLimitedUntil > now
  return [
    doneLine(model),
    counted(model.inFlight ?? countOf(model.total, Running), "●", "in flight", "running", brief),
    counted(countOf(model.total, Failed), "!", "errors", "error", brief),
    counted(countOf(model.total, TimedOut), "◷", "timed out", "timeout", brief),
    counted(countOf(model.total, Interrupted), "⊘", "interrupted", "interrupted", brief),
    counted(model.retries, "↻", "retries", "warning", brief),
    counted(model.total.reused, "↺", "reused", "reused", brief),
    waiting ? [segment(`rate limit ${duration(model.rateLimitedUntil - now)}`, "warning")] : [],
    brief ? [] : paceLine(model, now)
  ]
}

/** Cells of contestants that could not run: they are no part of what is planned. */
const skippedLine = ({ total }: RunModel, brief: boolean): Line =>
  counted(countOf(total, Skipped), "-", "skipped", "muted", brief)

const countLine = (run: OpenRun, now: number, width: number, brief: boolean): Line =>
  fitLine(
    [segment(" "), ...joined([...countPieces(run, now, brief), skippedLine(run.model, brief)], segment("  "))],
    width
  )

const progressLine = (run: OpenRun, now: number, width: number): Line => {
  const counts = joined(countPieces(run, now, true), segment("  "))
  const room = Math.max(8, width - lineWidth(counts) - 3)
  return fitLine(
    [segment(" "), ...progressBar(run.model.total, run.model.planned, room), segment(" "), ...counts],
    width
  )
}

/** Two or three lines, whatever the layout gives. */
export const header = (run: OpenRun, now: number, width: number, height: number): ReadonlyArray<Line> => {
  const title = titleLine(run, now, width)
  if (height < 3) return [title, progressLine(run, now, width)]
  const bar = fitLine(
    [segment(" "), ...progressBar(run.model.total, run.model.planned, width - 2), segment(" ")],
    width
  )
  return [title, bar, countLine(run, now, width, width < 100)]
}
