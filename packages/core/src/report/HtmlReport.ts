/** The report as one self-contained page: no script, nothing loaded, light and dark. */

import type { ScenarioStatistics } from "../scenario/view/PlayStatistics.ts"
import { composite, count, duration, epsilon, plural, share, signed, spend, unknown } from "./Figures.ts"
import { scenarios } from "./HtmlScenarios.ts"
import { type Cell, number, section, table, text } from "./HtmlTable.ts"
import { escapeMarkup, escapeMarkupClipped } from "./MarkupText.ts"
import type { CaseMark, ReportDetail } from "./ReportDetail.ts"
import { type ReportModel, type ReportRow, shownAs } from "./ReportModel.ts"

const casesShown = 2000

const css = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); --good: #1a7f37; --warn: #9a6700; --bad: #cf222e }
@media (prefers-color-scheme: dark) { :root { --good: #3fb950; --warn: #d29922; --bad: #f85149 } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; display: block; overflow-x: auto }
th, td { padding: .3rem .7rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums }
.good { color: var(--good) } .warn { color: var(--warn) } .bad { color: var(--bad) }
.verdict, .partial { border-left: 4px solid; padding: .5rem 1rem }
small, .quiet { opacity: .7 }
`

const statusClass = { winner: "good", leading: "warn", ranked: "", disqualified: "bad", "no data": "quiet" } as const

const withInterval = (value: string, range: string): Cell => ({
  html: `${escapeMarkup(value)}${range === "" ? "" : `<br><small>${escapeMarkup(range)}</small>`}`,
  className: "n"
})

const leaderboard = (model: ReportModel): string => {
  const row = (one: ReportRow): ReadonlyArray<Cell> => [
    number(one.rank),
    { html: `${escapeMarkup(one.entry.label)}<br><small>${escapeMarkup(one.entry.model)}</small>` },
    withInterval(one.composite, one.compositeInterval),
    ...model.columns.map(({ metric }, index) =>
      withInterval(one.cells[index] ?? unknown, metric === "accuracy" ? one.accuracyInterval : "")
    ),
    text(one.status, statusClass[shownAs(model, one)]),
    text(one.entry.failures.join("; "))
  ]
  const headings = [
    number("#"),
    text("Contestant"),
    number("Composite"),
    ...model.columns.map(({ heading, weight }) => ({
      html: `${escapeMarkup(heading)}<br><small>${share(weight)}</small>`,
      className: "n"
    })),
    text("Status"),
    text("Why")
  ]
  return section("Leaderboard", table(headings, model.rows.map(row)))
}

const comparisons = ({ leaderboard: { comparisons: pairs } }: ReportModel): string => {
  if (pairs.length === 0) return ""
  const delta = signed(composite)
  return section(
    "The leader against the others",
    table(
      [text("Pair"), number("Difference"), text("Interval"), text("Evidence")],
      pairs.map(({ composite: difference, leader, other, separated }) => [
        text(`${leader} − ${other}`),
        number(delta(difference?.point ?? null)),
        text(difference === null ? unknown : `${delta(difference.low)} to ${delta(difference.high)}`),
        text(separated ? "separated" : "not separated", separated ? "good" : "warn")
      ])
    )
  )
}

const mark = (value: CaseMark | null): Cell => {
  if (value === null) return text(unknown, "quiet")
  const { errors, mean } = value
  if (mean === null) return errors > 0 ? text("error", "bad") : text(unknown, "quiet")
  const more = errors > 0 ? ` + ${plural(errors, "error")}` : ""
  if (mean >= 1 - epsilon) return text(`✓${more}`, "good")
  return mean <= epsilon ? text(`✗${more}`, "bad") : text(`${composite(mean)}${more}`, "warn")
}

const cases = ({ rules }: ReportModel, detail: ReportDetail): string => {
  const shown = rules.contestants.flatMap((contestant, index) =>
    contestant.skipped === null ? [{ contestant, index }] : []
  )
  if (shown.length === 0 || rules.cases.length === 0) return ""
  const rows = rules.cases
    .slice(0, casesShown)
    .map(({ id }, row) => [text(id), ...shown.map(({ index }) => mark(detail.mark(row, index)))])
  const left =
    rules.cases.length > casesShown
      ? `<p>The first ${count(casesShown)} of ${plural(rules.cases.length, "case")}.</p>\n`
      : ""
  return section(
    "Results by case",
    left + table([text("Case"), ...shown.map(({ contestant }) => text(contestant.label))], rows)
  )
}

const mistakes = (detail: ReportDetail): string =>
  detail.mistakes.length === 0
    ? ""
    : section(
        "Where contestants went wrong",
        table(
          [text("Contestant"), text("Case"), number("Score"), text("Answer"), text("Why")],
          detail.mistakes.map(({ result, score }) => [
            text(result.contestant),
            text(result.caseId),
            number(composite(score)),
            { html: escapeMarkupClipped(result.output ?? unknown, 300) },
            { html: escapeMarkupClipped(result.reason, 160) }
          ])
        )
      )

const notes = ({ leaderboard: { entries, notes }, problems }: ReportModel): string => {
  const items = [
    ...problems,
    ...notes,
    ...entries.flatMap(({ key, warnings }) => warnings.map((one) => `${key}: ${one}`))
  ]
  return items.length === 0
    ? ""
    : section("Caveats", `<ul>${items.map((item) => `<li>${escapeMarkup(item)}</li>`).join("")}</ul>`)
}

const facts = ({ run }: ReportModel): string => {
  const { counts } = run
  return `<p class="quiet">${[
    `run ${run.runId}`,
    run.status,
    `started ${run.startedAt}`,
    `${plural(run.contestants, "contestant")} × ${plural(run.cases, "case")} × ${plural(run.trials, "trial")}`,
    `${count(counts.finished)} of ${plural(counts.planned, "cell")} finished, ${count(counts.errored)} failed`,
    duration(run.durationMs),
    `known spend ${spend(run.totalCostUsd)}`
  ]
    .map(escapeMarkup)
    .join(" · ")}</p>`
}

export interface HtmlOptions {
  readonly detail: ReportDetail
  /** Scenarios that were played; empty for a run without. */
  readonly scenarios: ReadonlyArray<ScenarioStatistics>
  /** ISO 8601 UTC. */
  readonly generatedAt: string
}

/** The whole page. */
export const render = (model: ReportModel, options: HtmlOptions): string => {
  const { detail, generatedAt } = options
  const { description, headline, incomplete, run } = model
  const name = escapeMarkup(run.project)
  return `${[
    "<!doctype html>",
    `<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">`,
    `<title>${name}: ${escapeMarkup(headline.title)}</title><style>${css}</style></head><body>`,
    `<h1>${name}</h1>`,
    description === "" ? "" : `<p>${escapeMarkup(description)}</p>`,
    incomplete === null
      ? ""
      : `<p class="partial bad"><strong>${incomplete.title}.</strong> ${escapeMarkup(incomplete.sentence)}</p>`,
    `<p class="verdict ${headline.tone}"><strong>${escapeMarkup(headline.sentence)}</strong></p>`,
    facts(model),
    leaderboard(model),
    comparisons(model),
    cases(model, detail),
    mistakes(detail),
    scenarios(options.scenarios),
    notes(model),
    `<p><small>arena ${escapeMarkup(run.arenaVersion)}, written ${escapeMarkup(generatedAt)}</small></p>`,
    "</body></html>"
  ]
    .filter((part) => part !== "")
    .join("\n")}\n`
}
