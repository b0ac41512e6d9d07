/**
 * What the plays of a scenario have in common: which ways were taken, how often, and what the turns on them took.
 * Gathered play by play, with memory that does not grow with their number.
 */
import * as ContentHash from "../../domain/ContentHash.ts"
import { END, type Scenario } from "../model/Scenario.ts"
import type { ScenarioResult, ScenarioStatus } from "../model/Turn.ts"
import { collectTurns, makeMean, type TurnCollector, type TurnMetrics } from "./TurnMetrics.ts"

export interface PathCount {
  readonly path: ReadonlyArray<string>
  readonly count: number
  readonly share: number
  /** Mean score of the plays that took it; null when none has a score. */
  readonly meanScore: number | null
}

export interface NodeMetrics extends TurnMetrics {
  readonly node: string
  /** Plays that came here. */
  readonly plays: number
}

/** The turns at one place of the conversation, 0-based, whatever their nodes. */
export interface PositionMetrics extends TurnMetrics {
  readonly position: number
}

export interface EdgeCount {
  readonly from: string
  /** `END` for the way out. */
  readonly to: string
  readonly count: number
}

export interface OutcomeCount {
  readonly outcome: string
  readonly assessed: number
  /** Mean over the plays in which it was assessed; true counts as 1. Of an index only over those with a match. */
  readonly mean: number | null
  /** Assessed plays in which an index had no match (-1). */
  readonly never: number
}

export interface PathStatistics {
  readonly plays: number
  readonly statuses: Readonly<Partial<Record<ScenarioStatus, number>>>
  /** Most frequent first. */
  readonly paths: ReadonlyArray<PathCount>
  /** Plays on further paths: only so many different ones are kept apart. */
  readonly onOtherPaths: number
  readonly nodes: ReadonlyArray<NodeMetrics>
  readonly positions: ReadonlyArray<PositionMetrics>
  /** Turns at later positions than those. */
  readonly laterTurns: number
  readonly edges: ReadonlyArray<EdgeCount>
  /**
   * Nodes and edges that were taken at least once, as shares of all, 0..1; null when it is not known what there was to
   * take, because the project has the scenario no more, or has changed it since.
   */
  readonly nodeCoverage: number | null
  readonly edgeCoverage: number | null
  /** Plays of the scenario as it was before it changed. */
  readonly ofOtherVersions: number
  readonly outcomes: ReadonlyArray<OutcomeCount>
  readonly softFaults: number
}

export interface PathCollector {
  readonly add: (play: ScenarioResult) => void
  readonly statistics: () => PathStatistics
}

/** Different paths kept apart, and positions whose turns are. */
const keptPaths = 1000
const keptPositions = 50

type Mean = ReturnType<typeof makeMean>

const getOr = <K, V>(map: Map<K, V>, key: K, make: () => V): V => {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}

const pathsCollector = () => {
  const paths = new Map<string, { readonly path: ReadonlyArray<string>; count: number; readonly score: Mean }>()
  let others = 0
  return {
    add: ({ path, score }: ScenarioResult) => {
      const key = JSON.stringify(path)
      if (paths.size >= keptPaths && !paths.has(key)) {
        others += 1
        return
      }
      const entry = getOr(paths, key, () => ({ path, count: 0, score: makeMean() }))
      entry.count += 1
      entry.score.add(score)
    },
    others: () => others,
    counts: (plays: number): ReadonlyArray<PathCount> =>
      [...paths.values()]
        .map(({ count, path, score }) => ({ path, count, share: count / plays, meanScore: score.mean() }))
        .toSorted((a, b) => b.count - a.count || a.path.join().localeCompare(b.path.join()))
  }
}

const turnsCollector = (nodes: ReadonlyArray<string>) => {
  const empty = () => ({ turns: collectTurns(), plays: 0 })
  const byNode = new Map<string, { readonly turns: TurnCollector; plays: number }>(nodes.map((id) => [id, empty()]))
  const byPosition: Array<TurnCollector> = []
  let later = 0
  return {
    add: ({ path, turns }: ScenarioResult) => {
      for (const turn of turns) {
        getOr(byNode, turn.node, empty).turns.add(turn)
        if (turn.index >= keptPositions) later += 1
        else {
          while (byPosition.length <= turn.index) byPosition.push(collectTurns())
          byPosition[turn.index]?.add(turn)
        }
      }
      for (const node of new Set(path)) getOr(byNode, node, empty).plays += 1
    },
    later: () => later,
    nodes: (): ReadonlyArray<NodeMetrics> =>
      [...byNode].map(([node, { plays, turns }]) => ({ node, plays, ...turns.metrics() })),
    positions: (): ReadonlyArray<PositionMetrics> =>
      byPosition.map((turns, position) => ({ position, ...turns.metrics() }))
  }
}

const edgesCollector = (scenario: Scenario | null) => {
  const counts = new Map<string, { readonly from: string; readonly to: string; count: number }>()
  const edge = (from: string, to: string) => getOr(counts, JSON.stringify([from, to]), () => ({ from, to, count: 0 }))
  for (const { from, to } of scenario?.edges ?? []) edge(from, to)
  const ends = new Set(scenario?.edges.flatMap(({ from, to }) => (to === END ? [from] : [])))
  return {
    /** Steps along a path; a completed play that could end took the way to END. */
    add: ({ path, status }: ScenarioResult) => {
      path.slice(1).forEach((to, index) => {
        edge(path[index] ?? "", to).count += 1
      })
      const last = path.at(-1)
      if (status === "completed" && last !== undefined && ends.has(last)) edge(last, END).count += 1
    },
    counts: (): ReadonlyArray<EdgeCount> =>
      [...counts.values()].map(({ count, from, to }) => ({ from, to: to === END ? "END" : to, count }))
  }
}

const outcomesCollector = (scenario: Scenario | null) => {
  const empty = () => ({ mean: makeMean(), never: 0 })
  const outcomes = new Map(scenario?.outcomes.map(({ name }) => [name, empty()]))
  const indices = new Set(
    scenario?.outcomes.flatMap(({ check, name }) => (check._tag === "FirstMatchIndex" ? [name] : []))
  )
  return {
    /** What a play that broke off came to says nothing. */
    add: (play: ScenarioResult) => {
      if (play.status !== "completed" && play.status !== "limit_reached") return
      for (const [name, value] of Object.entries(play.outcomes)) {
        const outcome = getOr(outcomes, name, empty)
        // An average over places and "nowhere" would be a place where nothing was.
        if (value === -1 && indices.has(name)) outcome.never += 1
        else outcome.mean.add(value === null ? null : Number(value))
      }
    },
    counts: (): ReadonlyArray<OutcomeCount> =>
      [...outcomes].map(([outcome, { mean, never }]) => ({
        outcome,
        assessed: mean.count() + never,
        mean: mean.mean(),
        never
      }))
  }
}

const share = (counts: ReadonlyArray<number>): number =>
  counts.length === 0 ? 1 : counts.filter((count) => count > 0).length / counts.length

/** Gathers plays of one scenario; null = the project does not have it any more. */
export const collectPaths = (scenario: Scenario | null): PathCollector => {
  const hash = scenario === null ? null : ContentHash.ofValue(scenario)
  const paths = pathsCollector()
  const turns = turnsCollector(scenario?.nodes.map(({ id }) => id) ?? [])
  const edges = edgesCollector(scenario)
  const outcomes = outcomesCollector(scenario)
  const statuses: Partial<Record<ScenarioStatus, number>> = {}
  const counts = { plays: 0, otherVersions: 0, softFaults: 0 }
  return {
    add: (play) => {
      counts.plays += 1
      counts.softFaults += play.softFaults.length
      if (play.hash !== hash) counts.otherVersions += 1
      statuses[play.status] = (statuses[play.status] ?? 0) + 1
      for (const collector of [paths, turns, edges, outcomes]) collector.add(play)
    },
    statistics: () => {
      const known = scenario !== null && counts.otherVersions === 0
      const [nodes, taken] = [turns.nodes(), edges.counts()]
      return {
        plays: counts.plays,
        statuses: { ...statuses },
        paths: paths.counts(counts.plays),
        onOtherPaths: paths.others(),
        nodes,
        positions: turns.positions(),
        laterTurns: turns.later(),
        edges: taken,
        nodeCoverage: known ? share(nodes.map((node) => node.turns)) : null,
        edgeCoverage: known ? share(taken.map(({ count }) => count)) : null,
        ofOtherVersions: counts.otherVersions,
        outcomes: outcomes.counts(),
        softFaults: counts.softFaults
      }
    }
  }
}

/** Statistics over plays of one scenario. */
export const pathStatistics = (scenario: Scenario | null, plays: Iterable<ScenarioResult>): PathStatistics => {
  const collector = collectPaths(scenario)
  for (const play of plays) collector.add(play)
  return collector.statistics()
}
