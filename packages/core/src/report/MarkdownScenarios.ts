/** The part of the Markdown report that looks at played scenarios. */
import type { ScenarioStatistics } from "../scenario/view/PlayStatistics.ts"
import { escape, section, table } from "./MarkdownText.ts"
import { type ScenarioPart, type ScenarioTable, scenarioParts } from "./ScenarioTables.ts"

const tableOf = ({ columns, rest, rows, title }: ScenarioTable): ReadonlyArray<string> => [
  `#### ${escape(title)}`,
  table(
    columns.map(({ heading, numeric }) =>
      numeric ? { heading: escape(heading), align: "right" as const } : { heading: escape(heading) }
    ),
    rows.map((row) => row.map(escape))
  ),
  ...(rest === "" ? [] : [escape(rest)])
]

const partOf = ({ scenario, summary, tables }: ScenarioPart): ReadonlyArray<string> => [
  `### ${escape(scenario)}`,
  escape(summary),
  ...tables.flatMap(tableOf)
]

/** Empty when no scenario was played. */
export const scenarios = (statistics: ReadonlyArray<ScenarioStatistics>): string =>
  section("Scenarios", ...scenarioParts(statistics).flatMap(partOf))
