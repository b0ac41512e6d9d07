/** Path statistics of a run as lines for a terminal. */
import type { Scenario } from "../model/Scenario.ts"
import type { ScenarioResult } from "../model/Turn.ts"
import { type PathCount, pathStatistics } from "./PathStatistics.ts"
import { sanitiseLine } from "./SafeText.ts"

/** `ask → insist ×3`. */
const pathText = (path: ReadonlyArray<string>): string => {
  const parts: Array<{ readonly node: string; count: number }> = []
  for (const node of path) {
    const last = parts.at(-1)
    if (last?.node === node) last.count += 1
    else parts.push({ node, count: 1 })
  }
  return parts.map(({ count, node }) => (count === 1 ? node : `${node} ×${count}`)).join(" → ")
}

const percent = (share: number): string => `${Math.round(share * 100)} %`

const pathLine = (contestant: string, width: number, { count, meanScore, path }: PathCount): string =>
  sanitiseLine(
    `  ${contestant.padEnd(width)}  ${String(count).padStart(4)}×  ${pathText(path)}  ${meanScore === null ? "no score" : `score ${meanScore.toFixed(3)}`}`
  )

const statusText = (statuses: Readonly<Partial<Record<string, number>>>): string =>
  Object.entries(statuses)
    .map(([status, count]) => `${count} ${status}`)
    .join(", ")

/** Most paths of one contestant that are listed. */
const mostPaths = 5

const scenarioLines = (scenario: Scenario, results: ReadonlyArray<ScenarioResult>): ReadonlyArray<string> => {
  const all = pathStatistics(scenario, results)
  const byContestant = Map.groupBy(results, ({ contestant }) => contestant)
  const width = Math.max(...[...byContestant.keys()].map(({ length }) => length))
  return [
    sanitiseLine(
      `${scenario.name}: ${all.plays} plays (${statusText(all.statuses)}); nodes visited ${percent(all.nodeCoverage)}, edges taken ${percent(all.edgeCoverage)}${all.softFaults === 0 ? "" : `; ${all.softFaults} soft faults`}`
    ),
    ...[...byContestant].flatMap(([contestant, plays]) => {
      const { paths } = pathStatistics(scenario, plays)
      const more = paths.length - mostPaths
      return [
        ...paths.slice(0, mostPaths).map((path) => pathLine(contestant, width, path)),
        ...(more > 0 ? [`  ${" ".repeat(width)}  and ${more} more paths`] : [])
      ]
    }),
    ...all.outcomes.map(({ assessed, mean, outcome }) =>
      sanitiseLine(`  ${outcome}: ${mean === null ? "—" : mean.toFixed(3)} on average of ${assessed}`)
    )
  ]
}

/** Which paths the plays of a run took, by scenario and contestant; empty when there are none. */
export const pathsText = (scenarios: ReadonlyMap<string, Scenario>, results: ReadonlyArray<ScenarioResult>): string => {
  const byScenario = Map.groupBy(results, ({ scenario }) => scenario)
  const blocks = [...scenarios].flatMap(([name, scenario]) => {
    const plays = byScenario.get(name) ?? []
    return plays.length === 0 ? [] : [scenarioLines(scenario, plays).join("\n")]
  })
  return blocks.length === 0 ? "" : `${blocks.join("\n\n")}\n`
}
