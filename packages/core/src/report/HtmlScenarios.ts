/** The part of the HTML report that looks at played scenarios. */
import type { ScenarioStatistics } from "../scenario/view/PlayStatistics.ts"
import * as Html from "./HtmlTable.ts"
import { escapeMarkup } from "./MarkupText.ts"
import { type ScenarioPart, type ScenarioTable, scenarioParts } from "./ScenarioTables.ts"

const cellOf = (value: string, numeric: boolean): Html.Cell => (numeric ? Html.number(value) : Html.text(value))

const tableOf = ({ columns, rest, rows, title }: ScenarioTable): string =>
  [
    `<h4>${escapeMarkup(title)}</h4>`,
    Html.table(
      columns.map(({ heading, numeric }) => cellOf(heading, numeric)),
      rows.map((row) => row.map((value, index) => cellOf(value, columns[index]?.numeric === true)))
    ),
    ...(rest === "" ? [] : [`<p class="quiet">${escapeMarkup(rest)}</p>`])
  ].join("\n")

const partOf = ({ scenario, summary, tables }: ScenarioPart): string =>
  [`<h3>${escapeMarkup(scenario)}</h3>`, `<p>${escapeMarkup(summary)}</p>`, ...tables.map(tableOf)].join("\n")

/** Empty when no scenario was played. */
export const scenarios = (statistics: ReadonlyArray<ScenarioStatistics>): string =>
  Html.section("Scenarios", scenarioParts(statistics).map(partOf).join("\n"))
