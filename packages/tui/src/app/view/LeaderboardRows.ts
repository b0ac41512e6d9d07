/** What the leaderboard says, as rows of plain facts: the same for the live pane, the result and the spoken view. */
import type { Interval, Leaderboard, LeaderboardEntry } from "@agent-arena/core/domain/Leaderboard"
import { columnFormat } from "@agent-arena/core/report/Figures"
import { Pass } from "../run/CellState.ts"
import { finishedCells } from "../run/Fold.ts"
import type { OpenRun } from "../run/OpenRun.ts"
import { countOf } from "../run/RunModel.ts"
import { displayText } from "../terminal/DisplayText.ts"
import { percent, score, unknown } from "../terminal/Format.ts"

export type Standing = "ranked" | "disqualified" | "no_data" | "waiting"

export interface Place {
  /** Index of the contestant in the run. */
  readonly contestant: number
  readonly label: string
  readonly standing: Standing
  /** `1`, `2`, …, or a dash for what is not ranked. */
  readonly rank: string
  /** 0..1; null = not ranked. */
  readonly composite: number | null
  readonly compositeText: string
  readonly interval: Interval | null
  /** Text of each metric, in the order of `metrics`. */
  readonly figures: ReadonlyArray<string>
  /** Why it is not ranked; empty when it is. */
  readonly reason: string
  readonly warnings: ReadonlyArray<string>
  readonly finished: number
  readonly planned: number
}

export interface Standings {
  /** Names of the metrics that have a column, in the order of the config's weights. */
  readonly metrics: ReadonlyArray<string>
  readonly places: ReadonlyArray<Place>
  /** Whether the numbers can still change. */
  readonly provisional: boolean
}

const progress = (run: OpenRun, contestant: number): Pick<Place, "finished" | "planned"> => {
  const { model } = run
  const own = model.contestants[contestant]
  if (own === undefined) return { finished: 0, planned: 0 }
  return {
    finished: finishedCells(own.tally),
    planned: own.skipped === null ? model.caseIds.length * model.trials : 0
  }
}

/** Rows before anything can be ranked: in the order of the config, with what was counted. */
const unranked = (run: OpenRun): ReadonlyArray<Place> =>
  run.model.contestants.map((contestant, index): Place => {
    const { finished, planned } = progress(run, index)
    const passed = finished === 0 ? null : countOf(contestant.tally, Pass) / finished
    return {
      contestant: index,
      label: contestant.label,
      standing: contestant.skipped === null ? "waiting" : "no_data",
      rank: unknown,
      composite: null,
      compositeText: unknown,
      interval: null,
      figures: [percent(passed)],
      reason: contestant.skipped ?? "",
      warnings: [],
      finished,
      planned
    }
  })

const placeOf = (run: OpenRun, entry: LeaderboardEntry, formats: ReadonlyArray<MetricFormat>): Place => {
  const contestant = run.model.contestantIndex.get(entry.key) ?? -1
  return {
    contestant,
    label: displayText(entry.label),
    standing: entry.status,
    rank: entry.rank === null ? unknown : String(entry.rank),
    composite: entry.composite,
    compositeText: score(entry.composite),
    interval: entry.compositeInterval,
    figures: formats.map(({ name, write }) => write(entry.metrics[name]?.raw ?? null)),
    reason: entry.status === "ranked" ? "" : entry.failures.join("; "),
    warnings: entry.warnings,
    ...progress(run, contestant)
  }
}

interface MetricFormat {
  readonly name: string
  readonly write: (value: number | null) => string
}

/** Formats of the columns: as many digits as it takes to tell neighbours apart. */
const metricFormats = (board: Leaderboard): ReadonlyArray<MetricFormat> =>
  Object.keys(board.weights).map((name) => {
    const values = board.entries.map((entry) => entry.metrics[name]?.raw ?? null)
    const pairs = values.flatMap((value, index) => {
      const next = values[index + 1] ?? null
      return value === null || next === null ? [] : [[value, next] as const]
    })
    const unit = board.entries.find((entry) => entry.metrics[name] !== undefined)?.metrics[name]?.unit ?? ""
    return { name, write: columnFormat(unit, unit === "0-1" ? [] : pairs.slice(0, 1)) }
  })

export const standings = (run: OpenRun, board: Leaderboard | null = run.leaderboard): Standings => {
  if (board === null) return { metrics: ["passed"], places: unranked(run), provisional: true }
  const formats = metricFormats(board)
  return {
    metrics: formats.map((format) => format.name),
    places: board.entries.map((entry) => placeOf(run, entry, formats)),
    provisional: !run.final
  }
}
