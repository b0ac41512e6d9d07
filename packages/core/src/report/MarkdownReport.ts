/** The report as a Markdown file: everything a reader needs to trust the verdict, or to doubt it. */
import type { LeaderboardEntry } from "../domain/Leaderboard.ts"
import type { ScenarioStatistics } from "../scenario/view/PlayStatistics.ts"
import { composite, count, duration, percent, plural, share, signed, spend, unknown } from "./Figures.ts"
import * as Detail from "./MarkdownDetail.ts"
import { scenarios } from "./MarkdownScenarios.ts"
import { escape, section, table } from "./MarkdownText.ts"
import type { ReportDetail } from "./ReportDetail.ts"
import { type ReportModel, type ReportRow, stopClause } from "./ReportModel.ts"
import { sanitiseLine } from "./Sanitise.ts"

export interface MarkdownOptions {
  readonly detail: ReportDetail
  /** Scenarios that were played; empty for a run without. */
  readonly scenarios: ReadonlyArray<ScenarioStatistics>
  /** ISO 8601 UTC. */
  readonly generatedAt: string
  /** Command that repeats the run; null when it is not known. */
  readonly reproduce: string | null
}

const rawFigures = (model: ReportModel, row: ReportRow): string =>
  model.columns.map(({ metric }, index) => `${escape(metric)} ${row.cells[index] ?? unknown}`).join(", ")

/** Metrics on which another ranked contestant beats the winner. */
const losses = (model: ReportModel, winner: LeaderboardEntry): string => {
  const others = model.leaderboard.entries.filter((entry) => entry.rank !== null && entry !== winner)
  const beaten = model.columns.flatMap(({ format, metric }) => {
    const own = winner.metrics[metric]
    if (own === undefined || own.raw === null) return []
    const sign = own.direction === "max" ? 1 : -1
    const better = others
      .flatMap((entry) => {
        const raw = entry.metrics[metric]?.raw ?? null
        return raw === null ? [] : [{ entry, raw, by: sign * (raw - (own.raw ?? 0)) }]
      })
      .filter(({ by }) => by > 1e-9)
      .toSorted((a, b) => b.by - a.by)[0]
    return better === undefined ? [] : [`${escape(metric)} (${escape(better.entry.label)}: ${format(better.raw)})`]
  })
  return beaten.length === 0 ? "" : `It is not the best in ${beaten.join(", ")}.`
}

const verdict = (model: ReportModel): string => {
  const { headline, leaderboard } = model
  const lead = `**${escape(headline.sentence)}**`
  const named = leaderboard.verdict
  if (named._tag !== "Winner") return section("Verdict", lead)
  const row = model.rows.find(({ entry }) => entry.key === named.winner)
  if (row === undefined) return section("Verdict", lead)
  const { entry } = row
  const interval = row.compositeInterval === "" ? "" : ` (${row.compositeInterval})`
  const figures = `composite ${row.composite}${interval}; ${rawFigures(model, row)}.`
  return section(
    "Verdict",
    lead,
    `${escape(entry.label)} (${escape(entry.model)}): ${figures} ${losses(model, entry)}`.trimEnd()
  )
}

const seconds = (value: number | null): string => (value === null ? "off" : `${count(value)} s`)

const runTable = ({ columns, leaderboard, run }: ReportModel, generatedAt: string): string => {
  const { counts, limits } = run
  const weights = columns.map(({ metric, weight }) => `${escape(metric)} ${share(weight)}`).join(", ")
  const incomplete = run.status === "completed" ? "" : `, because ${escape(stopClause(run.stopReason))}`
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["Run", escape(run.runId)],
    ["Status", `${run.status}${incomplete}`],
    ["Started", escape(run.startedAt)],
    ["Report written", escape(generatedAt)],
    ["Contestants", `${count(run.contestants)} measured, ${count(leaderboard.entries.length)} listed`],
    ["Cases", count(run.cases)],
    ["Trials per case", count(run.trials)],
    [
      "Cells",
      `${count(counts.planned)} planned, ${count(counts.finished)} finished, ${count(counts.interrupted)} interrupted, ${count(counts.notStarted)} not started`
    ],
    ["Failed calls", `${count(counts.errored)}, of which ${count(counts.timedOut)} timed out`],
    ["Wall clock", duration(run.durationMs)],
    ["Known spend", spend(run.totalCostUsd)],
    [
      "Limits",
      `request ${seconds(limits.requestTimeoutS)}, cell ${seconds(limits.cellTimeoutS)}, run ${seconds(limits.maxWallS)}`
    ],
    ["Weights", weights],
    ["Arena", `${escape(run.arenaVersion)}${run.gitSha === null ? "" : `, project at ${escape(run.gitSha)}`}`]
  ]
  return section("Run", table([{ heading: "" }, { heading: "" }], rows))
}

const leaderboardTable = (model: ReportModel): string => {
  const right = "right" as const
  const columns = [
    { heading: "#", align: right },
    { heading: "Contestant" },
    { heading: "Model" },
    { heading: "Composite", align: right },
    { heading: "Composite interval" },
    ...model.columns.map(({ heading }) => ({ heading: escape(heading), align: right })),
    { heading: "Accuracy interval" },
    { heading: "Status" }
  ]
  const rows = model.rows.map((row) => [
    row.rank === "" ? unknown : row.rank,
    escape(row.entry.label),
    escape(row.entry.model),
    row.composite,
    row.compositeInterval === "" ? unknown : row.compositeInterval,
    ...row.cells,
    row.accuracyInterval === "" ? unknown : row.accuracyInterval,
    row.status === "disqualified" ? "**DISQUALIFIED**" : row.status
  ])
  const confidence = model.leaderboard.entries.flatMap(
    (entry) => entry.compositeInterval ?? entry.accuracyInterval ?? []
  )[0]
  const legend = confidence === undefined ? "" : `Intervals: bootstrap over cases, ${share(confidence.confidence)}.`
  return section("Leaderboard", table(columns, rows), legend)
}

const contributions = (model: ReportModel): string => {
  const ranked = model.rows.filter(({ entry }) => entry.rank !== null)
  if (ranked.length === 0) return ""
  const cell = (entry: LeaderboardEntry, metric: string): string => {
    const value = entry.metrics[metric]
    if (value === undefined || value.normalised === null) return unknown
    return `${composite(value.normalised)} × ${percent(value.weight)} = ${composite(value.normalised * value.weight)}`
  }
  return section(
    "Normalised contributions",
    table(
      [
        { heading: "Contestant" },
        ...model.columns.map(({ metric }) => ({ heading: escape(metric), align: "right" as const })),
        { heading: "Composite", align: "right" as const }
      ],
      ranked.map((row) => [
        escape(row.entry.label),
        ...model.columns.map(({ metric }) => cell(row.entry, metric)),
        row.composite
      ])
    ),
    "Each cell: normalised value (1 is best) × weight really used = contribution. The weight of a metric that is unknown is shared by the others."
  )
}

const comparisons = ({ leaderboard }: ReportModel): string => {
  if (leaderboard.comparisons.length === 0) return ""
  const delta = signed(composite)
  const rows = leaderboard.comparisons.map((comparison) => {
    const { composite: difference, pValue } = comparison
    return [
      `${escape(comparison.leader)} − ${escape(comparison.other)}`,
      delta(difference?.point ?? null),
      difference === null ? unknown : `${delta(difference.low)} to ${delta(difference.high)}`,
      pValue === null ? unknown : pValue < 0.001 ? "< 0.001" : composite(pValue),
      `${count(comparison.wins)} / ${count(comparison.losses)} / ${count(comparison.ties)}`,
      comparison.separated ? "separated" : "not separated",
      comparison.casesNeeded === null ? unknown : count(comparison.casesNeeded),
      comparison.discriminating
        .slice(0, 3)
        .map(({ caseId }) => escape(caseId))
        .join(", ") || unknown
    ]
  })
  const headings = [
    "Pair",
    "Composite difference",
    "Interval",
    "p (Holm)",
    "Cases won / lost / tied",
    "Evidence",
    "Cases needed",
    "Differ most on"
  ]
  return section(
    "The leader against the others",
    table(
      headings.map((heading) => ({ heading })),
      rows
    )
  )
}

const unranked = ({ rows }: ReportModel): string => {
  const out = rows.filter(({ entry }) => entry.status !== "ranked")
  if (out.length === 0) return ""
  return section(
    "Not ranked",
    table(
      [{ heading: "Contestant" }, { heading: "Status" }, { heading: "Why" }],
      out.map(({ entry, status }) => [escape(entry.label), status, entry.failures.map(escape).join("; ") || unknown])
    )
  )
}

const caveats = ({ leaderboard, problems }: ReportModel): string => {
  const items = [
    ...problems.map(escape),
    ...leaderboard.notes.map(escape),
    ...leaderboard.entries.flatMap((entry) => entry.warnings.map((text) => `${escape(entry.key)}: ${escape(text)}`))
  ]
  return section("Caveats", items.map((item) => `- ${item}`).join("\n"))
}

const reproduce = (command: string | null): string =>
  command === null ? "" : section("Reproduce", `    ${sanitiseLine(command)}`)

/** The whole file. */
export const render = (model: ReportModel, options: MarkdownOptions): string => {
  const { incomplete, run } = model
  const rows = plural(model.rows.length, "contestant")
  return [
    `# ${escape(run.project)}`,
    model.description === "" ? "" : `*${escape(model.description)}*`,
    incomplete === null
      ? ""
      : `> **${incomplete.title}.** ${escape(incomplete.sentence)} Do not take the figures of these ${rows} for a full comparison.`,
    verdict(model),
    runTable(model, options.generatedAt),
    leaderboardTable(model),
    contributions(model),
    comparisons(model),
    unranked(model),
    Detail.byTag(model),
    Detail.byCase(model, options.detail),
    Detail.mistakes(options.detail),
    Detail.errors(options.detail),
    scenarios(options.scenarios),
    caveats(model),
    reproduce(options.reproduce)
  ]
    .filter((part) => part !== "")
    .join("\n\n")
    .concat("\n")
}
