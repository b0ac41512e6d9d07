/** What a report says of played scenarios, as tables of plain text: every renderer escapes them for its own medium. */
import type { PathStatistics } from "../scenario/view/PathStatistics.ts"
import { coverageText, morePaths, mostPaths, pathText, statusText } from "../scenario/view/PathText.ts"
import type { ScenarioStatistics } from "../scenario/view/PlayStatistics.ts"
import type { TurnMetrics } from "../scenario/view/TurnMetrics.ts"
import { composite, count, latency, percent, plural, spend, unknown } from "./Figures.ts"

/** Texts are foreign. `numeric` columns are aligned to the right. */
export interface ScenarioTable {
  readonly title: string
  readonly columns: ReadonlyArray<{ readonly heading: string; readonly numeric: boolean }>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
  /** What was left out; empty when nothing was. */
  readonly rest: string
}

export interface ScenarioPart {
  readonly scenario: string
  /** Plays, statuses, coverage. */
  readonly summary: string
  readonly tables: ReadonlyArray<ScenarioTable>
}

/** More rows than this help nobody on a page. */
const mostRows = 100

const word = (heading: string) => ({ heading, numeric: false })
const figure = (heading: string) => ({ heading, numeric: true })

const table = (
  title: string,
  columns: ScenarioTable["columns"],
  rows: ReadonlyArray<ReadonlyArray<string>>,
  rest = ""
): ScenarioTable => {
  const left = rows.length - mostRows
  return {
    title,
    columns,
    rows: rows.slice(0, mostRows),
    rest: [...(left > 0 ? [`and ${plural(left, "more row")}`] : []), ...(rest === "" ? [] : [rest])].join("; ")
  }
}

const summary = ({ all }: ScenarioStatistics): string => {
  const faults = all.softFaults === 0 ? "" : `; ${plural(all.softFaults, "soft fault")}`
  return `${plural(all.plays, "play")} (${statusText(all)}); ${coverageText(all)}${faults}.`
}

const paths = ({ contestants }: ScenarioStatistics): ScenarioTable => {
  const more = contestants.flatMap((one) => {
    const text = morePaths(one)
    return text === "" ? [] : [`${one.contestant}: ${text}`]
  })
  return table(
    "Paths",
    [word("Contestant"), figure("Plays"), figure("Share"), word("Path"), figure("Mean score")],
    contestants.flatMap(({ contestant, paths }) =>
      paths
        .slice(0, mostPaths)
        .map((path) => [
          contestant,
          count(path.count),
          percent(path.share),
          pathText(path.path),
          composite(path.meanScore)
        ])
    ),
    more.join("; ")
  )
}

/** `3 of 4`: a share of few turns must not look like a measured rate. */
const passed = (turns: Pick<TurnMetrics, "failed" | "passed"> | undefined): string => {
  const checked = turns === undefined ? 0 : turns.passed + turns.failed
  return turns === undefined || checked === 0 ? unknown : `${count(turns.passed)} of ${count(checked)}`
}

const metricColumns = [
  figure("Turns"),
  figure("Passed"),
  figure("No answer"),
  figure("Tried again"),
  figure("Mean score"),
  figure("Mean latency"),
  figure("Mean tokens"),
  figure("Known cost")
]

const metricCells = (turns: TurnMetrics): ReadonlyArray<string> => [
  count(turns.turns),
  passed(turns),
  count(turns.errors),
  count(turns.retries),
  composite(turns.meanScore),
  latency(turns.meanLatencyMs),
  count(turns.meanTokens),
  spend(turns.costUsd)
]

const nodes = ({ all }: ScenarioStatistics): ScenarioTable =>
  table(
    "Turns by node",
    [word("Node"), figure("Plays"), ...metricColumns],
    all.nodes.map((one) => [one.node, count(one.plays), ...metricCells(one)])
  )

const positions = ({ all }: ScenarioStatistics): ScenarioTable =>
  table(
    "Turns by position",
    [figure("Turn"), ...metricColumns],
    all.positions.map((one) => [count(one.position), ...metricCells(one)]),
    all.laterTurns === 0 ? "" : `and ${plural(all.laterTurns, "later turn")}`
  )

const nodesByContestant = ({ all, contestants }: ScenarioStatistics): ScenarioTable =>
  table(
    "Passed by node and contestant",
    [word("Node"), ...contestants.map(({ contestant }) => figure(contestant))],
    all.nodes.map(({ node }) => [
      node,
      ...contestants.map((one) => passed(one.nodes.find((other) => other.node === node)))
    ])
  )

const edges = ({ all }: ScenarioStatistics): ScenarioTable =>
  table(
    "Edges",
    [word("From"), word("To"), figure("Taken")],
    all.edges.map(({ count: taken, from, to }) => [from, to, count(taken)])
  )

const outcomes = ({ all, contestants }: ScenarioStatistics): ScenarioTable => {
  const cell = (statistics: PathStatistics, outcome: string): string => {
    const found = statistics.outcomes.find((one) => one.outcome === outcome)
    if (found === undefined || found.assessed === 0) return unknown
    const never = found.never === 0 ? "" : `, never in ${count(found.never)}`
    return `${composite(found.mean)} (${count(found.assessed - found.never)}${never})`
  }
  return table(
    "Outcomes, mean (plays)",
    [word("Outcome"), figure("all"), ...contestants.map(({ contestant }) => figure(contestant))],
    all.outcomes.map(({ outcome }) => [outcome, cell(all, outcome), ...contestants.map((one) => cell(one, outcome))])
  )
}

/** A part for each scenario that was played; tables without rows are left out. */
export const scenarioParts = (scenarios: ReadonlyArray<ScenarioStatistics>): ReadonlyArray<ScenarioPart> =>
  scenarios.map((one) => ({
    scenario: one.scenario,
    summary: summary(one),
    tables: [paths(one), outcomes(one), nodesByContestant(one), nodes(one), positions(one), edges(one)].filter(
      ({ rows }) => rows.length > 0
    )
  }))
