/** The report as a person reads it in a terminal: what was run, the table, the reasons, and last the verdict. */
import { composite, count, duration, plural, signed, spend } from "./Figures.ts"
import { type ReportModel, type ReportRow, type RowStatus, shownAs } from "./ReportModel.ts"
import { sanitiseLine } from "./Sanitise.ts"
import type { Style } from "./Style.ts"
import { type Layout, lines, type TextCell, type TextColumn, wrap } from "./TextTable.ts"
import { textWidth } from "./TextWidth.ts"

const statusEmphasis = (style: Style): Readonly<Record<RowStatus, (text: string) => string>> => ({
  winner: style.good,
  leading: style.accent,
  ranked: (text) => text,
  disqualified: style.bad,
  "no data": style.dim
})

const statusWord = (status: RowStatus): string => (status === "disqualified" ? "DISQUALIFIED" : status)

/** What was run; the id stands on a line of its own where the terminal is too narrow for both. */
const titleLines = ({ run }: ReportModel, { style, width }: Layout): ReadonlyArray<string> => {
  const { cases, contestants, counts, durationMs, trials } = run
  const matrix = `${plural(contestants, "contestant")} × ${plural(cases, "case")} × ${plural(trials, "trial")}`
  const project = sanitiseLine(run.project)
  const id = sanitiseLine(run.runId)
  const size = `${matrix} = ${plural(counts.planned, "cell")} in ${duration(durationMs)}`
  const fits = width === null || textWidth(`${project}  ${size}  ${id}`) <= width
  const what = `${style.bold(project)}  ${size}`
  return fits ? [`${what}  ${style.dim(id)}`] : [what, style.dim(id)]
}

const spendLine = ({ leaderboard, run }: ReportModel): ReadonlyArray<string> => {
  if (run.totalCostUsd === null || run.totalCostUsd === 0) return []
  const stats = leaderboard.entries.map((entry) => entry.stats)
  const unpriced = stats.reduce((sum, { completed, costPricedCalls }) => sum + completed - costPricedCalls, 0)
  const rest = unpriced > 0 ? `, and ${plural(unpriced, "answer")} of unknown price` : ""
  return [`spend ${spend(run.totalCostUsd)}${rest}`]
}

const failureLine = ({ run: { counts } }: ReportModel): ReadonlyArray<string> => {
  if (counts.errored === 0) return []
  const timedOut = counts.timedOut > 0 ? `, ${count(counts.timedOut)} of them timed out` : ""
  return [`${plural(counts.errored, "failed call")} of ${count(counts.finished)}${timedOut}`]
}

/** Whether the interval of accuracy stands beside it. */
const hasAccuracyInterval = ({ rows }: ReportModel, metric: string): boolean =>
  metric === "accuracy" && rows.some((row) => row.accuracyInterval !== "")

const columnsOf = (model: ReportModel): ReadonlyArray<TextColumn> => [
  { heading: "#", align: "right" },
  { heading: "contestant", min: 12 },
  { heading: "model", min: 10, drop: 3 },
  { heading: "composite", align: "right" },
  { heading: "interval", drop: 2 },
  ...model.columns.flatMap(
    ({ heading, metric }): ReadonlyArray<TextColumn> => [
      { heading, align: "right", drop: 1 },
      ...(hasAccuracyInterval(model, metric) ? [{ heading: "interval", drop: 4 }] : [])
    ]
  ),
  { heading: "status" }
]

const rowOf =
  (model: ReportModel, style: Style) =>
  (row: ReportRow): ReadonlyArray<TextCell> => {
    const shown = shownAs(model, row)
    const emphasis = statusEmphasis(style)[shown]
    const best = shown === "winner" ? style.bold : (text: string) => text
    const quiet = row.entry.rank === null ? style.dim : (text: string) => text
    const { key, label, model: id } = row.entry
    return [
      row.rank,
      // The reasons and the verdict below speak of keys.
      { text: label === key ? key : `${label} (${key})`, emphasis: best, short: key },
      { text: id, emphasis: style.dim },
      { text: row.composite, emphasis: best },
      { text: row.compositeInterval, emphasis: style.dim },
      ...model.columns.flatMap(
        ({ metric }, index): ReadonlyArray<TextCell> => [
          { text: row.cells[index] ?? "", emphasis: quiet },
          ...(hasAccuracyInterval(model, metric) ? [{ text: row.accuracyInterval, emphasis: style.dim }] : [])
        ]
      ),
      { text: statusWord(row.status), emphasis }
    ]
  }

const reasonLines = (model: ReportModel, { style, width }: Layout): ReadonlyArray<string> => {
  const { entries } = model.leaderboard
  const say = (mark: string, emphasis: (text: string) => string, text: string) =>
    wrap(`${mark} ${text}`, width, "  ").map((line, index) =>
      index === 0 ? emphasis(line.slice(0, mark.length)) + line.slice(mark.length) : line
    )
  return [
    ...entries.flatMap((entry) => {
      if (entry.status === "ranked") return []
      const reasons = entry.failures.length === 0 ? "no reason recorded" : entry.failures.join("; ")
      return entry.status === "disqualified"
        ? say("✗", style.bad, `${entry.key} is disqualified: ${reasons}`)
        : say("·", style.dim, `${entry.key}: ${reasons}`)
    }),
    ...entries.flatMap((entry) => entry.warnings.flatMap((text) => say("!", style.warn, `${entry.key}: ${text}`))),
    ...model.leaderboard.notes.flatMap((note) => say("!", style.warn, note)),
    ...model.problems.flatMap((problem) => say("!", style.bad, problem))
  ]
}

/** The leader against the others, when it is not clear ahead of all of them. */
const comparisonLines = ({ leaderboard }: ReportModel, { style, width }: Layout): ReadonlyArray<string> =>
  leaderboard.comparisons.flatMap(({ composite: difference, leader, other, sharedCases, separated }) => {
    if (difference === null || separated) return []
    const delta = signed(composite)
    const range = `${delta(difference.low)} to ${delta(difference.high)}`
    const text = `${leader} and ${other} are not separated: difference ${delta(difference.point)} (${range}, ${plural(sharedCases, "shared case")})`
    return wrap(text, width, "  ").map(style.dim)
  })

const verdictLines = ({ headline, incomplete }: ReportModel, { style, width }: Layout): ReadonlyArray<string> => {
  const tone = incomplete === null ? { good: style.good, warn: style.warn, bad: style.bad }[headline.tone] : style.warn
  const title = "Verdict:"
  const [first = "", ...rest] = wrap(`${title} ${headline.sentence}`, width, "  ")
  return [style.bold(tone(first.slice(0, title.length))) + first.slice(title.length), ...rest]
}

const block = (text: ReadonlyArray<string>): ReadonlyArray<string> => (text.length === 0 ? [] : ["", ...text])

/** The whole report, ending with a line feed. */
export const render = (model: ReportModel, layout: Layout): string => {
  const { style, width } = layout
  const { incomplete } = model
  const banner =
    incomplete === null
      ? []
      : wrap(`${incomplete.title}: ${incomplete.sentence}`, width, "  ").map((line) => style.bold(style.bad(line)))
  return [
    ...banner,
    ...titleLines(model, layout),
    ...spendLine(model),
    ...failureLine(model),
    ...block(lines(columnsOf(model), model.rows.map(rowOf(model, style)), layout)),
    ...block(comparisonLines(model, layout)),
    ...block(reasonLines(model, layout)),
    ...block(verdictLines(model, layout)),
    ""
  ].join("\n")
}
