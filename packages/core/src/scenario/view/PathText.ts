/** Path statistics of a run as lines for a terminal. */
import type { OutcomeCount, PathCount, PathStatistics } from "./PathStatistics.ts"
import type { ScenarioStatistics } from "./PlayStatistics.ts"
import { sanitiseLine } from "./SafeText.ts"

/** `ask → insist ×3`. */
export const pathText = (path: ReadonlyArray<string>): string => {
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

/** `3 completed, 1 error`. */
export const statusText = ({ statuses }: PathStatistics): string =>
  Object.entries(statuses)
    .map(([status, count]) => `${count} ${status}`)
    .join(", ")

/** How much of the graph was seen, or why that is not known. */
export const coverageText = ({ edgeCoverage, nodeCoverage, ofOtherVersions, plays }: PathStatistics): string => {
  if (nodeCoverage !== null && edgeCoverage !== null) {
    return `nodes visited ${percent(nodeCoverage)}, edges taken ${percent(edgeCoverage)}`
  }
  return ofOtherVersions === plays
    ? "coverage unknown: the project no longer has this scenario as it was played"
    : `coverage unknown: ${ofOtherVersions} of ${plays} were plays of another version of it`
}

/** Most paths of one contestant that are listed. */
export const mostPaths = 5

/** Paths and plays beyond those listed; empty when there are none. */
export const morePaths = ({ onOtherPaths, paths }: PathStatistics): string => {
  const more = paths.length - mostPaths
  if (onOtherPaths > 0) return `and more than ${more} other paths`
  return more > 0 ? `and ${more} more ${more === 1 ? "path" : "paths"}` : ""
}

const outcomeText = ({ assessed, mean, never }: OutcomeCount): string => {
  const average = `${mean === null ? "—" : mean.toFixed(3)} on average of ${assessed - never}`
  return never === 0 ? average : `${average}, never in ${never}`
}

const scenarioLines = ({ all, contestants, scenario }: ScenarioStatistics): ReadonlyArray<string> => {
  const width = Math.max(...contestants.map(({ contestant }) => contestant.length))
  const faults = all.softFaults === 0 ? "" : `; ${all.softFaults} soft faults`
  return [
    sanitiseLine(`${scenario}: ${all.plays} plays (${statusText(all)}); ${coverageText(all)}${faults}`),
    ...contestants.flatMap((one) => {
      const more = morePaths(one)
      return [
        ...one.paths.slice(0, mostPaths).map((path) => pathLine(one.contestant, width, path)),
        ...(more === "" ? [] : [`  ${" ".repeat(width)}  ${more}`])
      ]
    }),
    ...all.outcomes.map((one) => sanitiseLine(`  ${one.outcome}: ${outcomeText(one)}`))
  ]
}

/** Which paths the plays of a run took, by scenario and contestant; empty when there are none. */
export const pathsText = (scenarios: ReadonlyArray<ScenarioStatistics>): string =>
  scenarios.length === 0 ? "" : `${scenarios.map((one) => scenarioLines(one).join("\n")).join("\n\n")}\n`
