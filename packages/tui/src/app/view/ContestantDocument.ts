/** One contestant: its metrics, how long its answers take, where it fails. */
import type { LeaderboardEntry } from "@agent-arena/core/domain/Leaderboard"
import { columnFormat } from "@agent-arena/core/report/Figures"
import { isFinished, isProblem, states } from "../run/CellState.ts"
import { finishedCells } from "../run/Fold.ts"
import type { OpenRun } from "../run/OpenRun.ts"
import { cellIndex, countOf } from "../run/RunModel.ts"
import type { ContestantScreen } from "../state/AppState.ts"
import { integer, latency, percent, score, unknown, usd } from "../terminal/Format.ts"
import { type Line, line, segment, spread } from "../terminal/Line.ts"
import { fitText } from "../terminal/TextWidth.ts"
import { type Document, facts, prose, section } from "./Document.ts"
import { bars, histogram, quantile } from "./Histogram.ts"
import { bar } from "./Text.ts"

const entryOf = (run: OpenRun, contestant: number): LeaderboardEntry | undefined => {
  const key = run.model.contestants[contestant]?.key
  return run.leaderboard?.entries.find((entry) => entry.key === key)
}

const titleLines = (run: OpenRun, screen: ContestantScreen, width: number): ReadonlyArray<Line> => {
  const own = run.model.contestants[screen.contestant]
  const entry = entryOf(run, screen.contestant)
  const rank = entry?.rank === null || entry === undefined ? "" : `rank ${entry.rank}  `
  const left: Line = [
    segment(` ${own?.label ?? ""}`, "title"),
    segment(`  ${own?.model ?? ""} · ${own?.provider ?? ""}`, "muted")
  ]
  const right: Line = [segment(rank, "strong"), segment(`score ${score(entry?.composite ?? null)} `)]
  return [spread(left, right, width), line("─".repeat(width), "rule")]
}

/** Units that the figure itself shows need no word. */
const unitNote: Readonly<Record<string, string>> = { "0-1": "", ms: "" }

const metricLines = (entry: LeaderboardEntry | undefined): ReadonlyArray<Line> =>
  Object.entries(entry?.metrics ?? {}).map(([name, metric]) => [
    segment(` ${fitText(name, 16)} `, "muted"),
    segment(fitText(columnFormat(metric.unit)(metric.raw), 12, "right")),
    segment(`  ${fitText(unitNote[metric.unit] ?? metric.unit, 14)}`, "muted"),
    ...(metric.normalised === null ? [segment(" ".repeat(20))] : bar(metric.normalised, 20, "bar")),
    segment(metric.weight === 0 ? "  not weighed" : `  weight ${percent(metric.weight)}`, "muted")
  ])

/** Known latencies of a contestant, ascending. */
const latencies = (run: OpenRun, contestant: number): Float64Array => {
  const { model } = run
  const known: Array<number> = []
  for (let row = 0; row < model.caseIds.length; row++) {
    const start = cellIndex(model, row, contestant, 1)
    for (let index = start; index < start + model.trials; index++) {
      const value = model.latencies[index] ?? Number.NaN
      if (!Number.isNaN(value)) known.push(value)
    }
  }
  return Float64Array.from(known).sort()
}

const latencyLines = (run: OpenRun, contestant: number, width: number): ReadonlyArray<Line> => {
  const sorted = latencies(run, contestant)
  // Few answers in many bins would only show gaps.
  const bins = Math.max(5, Math.min(80, Math.floor(width / 2) - 2, Math.ceil(2 * Math.sqrt(sorted.length))))
  const shape = histogram(sorted, bins)
  if (shape === null) return []
  const wide = bins * 2 <= Math.min(80, width - 4) ? 2 : 1
  const columns = bins * wide
  const marks = [0.5, 0.95, 0.99].map((share) => `p${share * 100} ${latency(quantile(sorted, share))}`).join("   ")
  const ends = `${latency(shape.low)}${" ".repeat(Math.max(1, columns - latency(shape.low).length - latency(shape.high).length))}${latency(shape.high)}`
  return [
    ...bars(shape.counts, 4).map((row) => line(`  ${Array.from(row, (block) => block.repeat(wide)).join("")}`, "bar")),
    line(`  ${ends}`, "muted"),
    line(`  ${marks}   most ${latency(sorted[sorted.length - 1] ?? null)}   of ${integer(sorted.length)} answers`)
  ]
}

interface TagTally {
  finished: number
  problems: number
}

const byTag = (run: OpenRun, contestant: number): ReadonlyMap<string, TagTally> => {
  const { model } = run
  const tallies = new Map<string, TagTally>()
  for (let row = 0; row < model.caseIds.length; row++) {
    const start = cellIndex(model, row, contestant, 1)
    for (let index = start; index < start + model.trials; index++) {
      const state = model.states[index] ?? 0
      if (!isFinished(state)) continue
      for (const tag of model.caseTags[row] ?? []) {
        const tally = tallies.get(tag) ?? { finished: 0, problems: 0 }
        tally.finished += 1
        if (isProblem(state)) tally.problems += 1
        tallies.set(tag, tally)
      }
    }
  }
  return tallies
}

const tagLines = (run: OpenRun, contestant: number): ReadonlyArray<Line> =>
  [...byTag(run, contestant)]
    .toSorted(([, a], [, b]) => b.problems / b.finished - a.problems / a.finished)
    .map(([tag, { finished, problems }]) => [
      segment(` ${fitText(tag, 18)} `),
      ...bar(problems / finished, 24, problems === 0 ? "muted" : "fail"),
      segment(`  ${integer(problems)} of ${integer(finished)}`, "muted"),
      segment(`  ${percent(problems / finished)}`)
    ])

const countLines = (run: OpenRun, contestant: number): ReadonlyArray<Line> => {
  const tally = run.model.contestants[contestant]?.tally
  if (tally === undefined) return []
  const shown = states.flatMap((name, state) => {
    const count = countOf(tally, state)
    return count === 0 ? [] : [`${integer(count)} ${name}`]
  })
  const tokens =
    tally.tokenised === 0 ? unknown : `${integer(tally.promptTokens)} in, ${integer(tally.completionTokens)} out`
  return facts(
    [
      ["cells", shown.join(", ")],
      ["cost", tally.priced === 0 ? unknown : `${usd(tally.costUsd)} for ${integer(tally.priced)} cells`],
      ["tokens", tokens],
      ["finished", integer(finishedCells(tally))]
    ],
    10
  )
}

const reasonLines = (run: OpenRun, contestant: number, entry: LeaderboardEntry | undefined, width: number) => {
  const skipped = run.model.contestants[contestant]?.skipped ?? null
  const out = [...(skipped === null ? [] : [skipped]), ...(entry?.failures ?? [])]
  return [
    ...section(
      "Out of the ranking",
      "",
      out.flatMap((text) => prose(text, width, "fail")),
      width
    ),
    ...section(
      "Warnings",
      "",
      (entry?.warnings ?? []).flatMap((text) => prose(text, width, "warning")),
      width
    )
  ]
}

export const contestantDocument = (run: OpenRun, screen: ContestantScreen, width: number): Document => {
  const inner = width - 1
  const { contestant } = screen
  const entry = entryOf(run, contestant)
  return {
    title: titleLines(run, screen, width),
    body: [
      ...reasonLines(run, contestant, entry, inner),
      ...section("Counts", "", countLines(run, contestant), inner),
      ...section("Metrics", run.final ? "" : "provisional", metricLines(entry), inner),
      ...section("Latency", "of successful attempts", latencyLines(run, contestant, inner), inner),
      ...section("Failures by tag", "", tagLines(run, contestant), inner),
      ...section(
        "Errors",
        "",
        (entry?.errors ?? []).flatMap((text) => prose(text, inner, "error")),
        inner
      )
    ]
  }
}
