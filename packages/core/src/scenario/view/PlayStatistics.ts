/** The plays that a run holds, told apart by scenario and contestant. */
import type { CallResult } from "../../domain/CallResult.ts"
import type { Scenario } from "../model/Scenario.ts"
import { collectPaths, type PathCollector, type PathStatistics } from "./PathStatistics.ts"
import { playOf } from "./ScenarioOfResult.ts"

/** One scenario over all contestants, and each contestant alone, in the order in which they were met. */
export interface ScenarioStatistics {
  readonly scenario: string
  readonly all: PathStatistics
  readonly contestants: ReadonlyArray<PathStatistics & { readonly contestant: string }>
}

export interface PlayCollector {
  /** Takes one result in; does nothing when it is none of a scenario. */
  readonly add: (result: Pick<CallResult, "trace">) => void
  /** Scenarios that were played. */
  readonly statistics: () => ReadonlyArray<ScenarioStatistics>
}

interface Gathered {
  readonly all: PathCollector
  readonly contestants: Map<string, PathCollector>
}

/** `scenarios` are those of the project, by name: without its scenario a play has paths, but no coverage. */
export const collectPlays = (scenarios: ReadonlyMap<string, Scenario>): PlayCollector => {
  const gathered = new Map<string, Gathered>()
  const placeOf = (name: string): Gathered => {
    const found = gathered.get(name)
    if (found !== undefined) return found
    const made = { all: collectPaths(scenarios.get(name) ?? null), contestants: new Map<string, PathCollector>() }
    gathered.set(name, made)
    return made
  }
  return {
    add: (result) => {
      const play = playOf(result)
      if (play === null) return
      const { all, contestants } = placeOf(play.scenario)
      const own = contestants.get(play.contestant) ?? collectPaths(scenarios.get(play.scenario) ?? null)
      contestants.set(play.contestant, own)
      all.add(play)
      own.add(play)
    },
    statistics: () =>
      [...gathered].map(([scenario, { all, contestants }]) => ({
        scenario,
        all: all.statistics(),
        contestants: [...contestants].map(([contestant, own]) => ({ contestant, ...own.statistics() }))
      }))
  }
}
