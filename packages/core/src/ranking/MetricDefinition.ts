import type { Direction } from "../domain/Leaderboard.ts"
import type { MetricSettings, NormaliseMode } from "../domain/Settings.ts"
import { type ContestantColumns, Kind, Passed } from "./ContestantColumns.ts"

/** Reads a metric off one cell; NaN = the cell does not count. */
export type CellValue = (slot: number) => number

/**
 * A metric as a mean over cells, or (`percentile`) as a percentile of them.
 *
 * `caseWeighted`: a cell counts with the weight of its case. `complete`: the metric is unknown as soon as one answered
 * cell lacks its value.
 */
export interface MetricDefinition {
  readonly name: string
  readonly direction: Direction
  readonly mode: NormaliseMode
  readonly unit: string
  readonly percentile: number | null
  readonly caseWeighted: boolean
  readonly complete: boolean
  readonly values: (columns: ContestantColumns) => CellValue
}

const unknown: CellValue = () => Number.NaN

const at = (column: Float64Array, slot: number): number => column[slot] ?? Number.NaN

const scores = (columns: ContestantColumns): CellValue => {
  const { score } = columns
  return (slot) => at(score, slot)
}

const strictScores = (columns: ContestantColumns): CellValue => {
  const { kind, score } = columns
  return (slot) => (kind[slot] === Kind.error || kind[slot] === Kind.timeout ? 0 : at(score, slot))
}

const passes = (columns: ContestantColumns): CellValue => {
  const { passed, score } = columns
  return (slot) => (Number.isNaN(at(score, slot)) ? Number.NaN : passed[slot] === Passed.yes ? 1 : 0)
}

const finishes = (columns: ContestantColumns): CellValue => {
  const { kind } = columns
  return (slot) => {
    const how = kind[slot] ?? Kind.none
    return how === Kind.ok ? 1 : how === Kind.error || how === Kind.timeout ? 0 : Number.NaN
  }
}

const costs = (columns: ContestantColumns): CellValue => {
  const { costUsd, kind } = columns
  return (slot) => (kind[slot] === Kind.ok ? 1000 * at(costUsd, slot) : Number.NaN)
}

const latencies = (columns: ContestantColumns): CellValue => {
  const { latencyMs } = columns
  return (slot) => at(latencyMs, slot)
}

const tokens = (columns: ContestantColumns): CellValue => {
  const { completionTokens, kind, promptTokens } = columns
  return (slot) => (kind[slot] === Kind.ok ? at(promptTokens, slot) + at(completionTokens, slot) : Number.NaN)
}

const custom =
  (name: string) =>
  (columns: ContestantColumns): CellValue => {
    const column = columns.custom.get(name)
    return column === undefined ? unknown : (slot) => at(column, slot)
  }

const base = { percentile: null, caseWeighted: false, complete: false } as const
const share = { ...base, direction: "max", mode: "raw", unit: "0-1" } as const
const quality = { ...share, caseWeighted: true } as const
const expense = { ...base, direction: "min", mode: "minmax" } as const

const builtInTable = {
  accuracy: { ...quality, name: "accuracy", values: scores },
  strict_accuracy: { ...quality, name: "strict_accuracy", values: strictScores },
  pass_rate: { ...quality, name: "pass_rate", values: passes },
  reliability: { ...share, name: "reliability", values: finishes },
  cost: { ...expense, name: "cost", unit: "USD/1k calls", complete: true, values: costs },
  latency: { ...expense, name: "latency", unit: "ms", values: latencies },
  latency_p95: { ...expense, name: "latency_p95", unit: "ms", percentile: 95, values: latencies },
  tokens: { ...expense, name: "tokens", unit: "tokens/call", values: tokens }
} satisfies Record<string, MetricDefinition>

/** The metrics every contestant has, in the order in which they are shown. */
export const builtIns: ReadonlyArray<MetricDefinition> = Object.values(builtInTable)

export const builtIn = (name: keyof typeof builtInTable): MetricDefinition => builtInTable[name]

const builtInByName = new Map(builtIns.map((metric) => [metric.name, metric]))

/** Whether a name belongs to the arena; a custom metric of that name is ignored. */
export const isBuiltIn = (name: string): boolean => builtInByName.has(name)

/** Metrics that come from scores: without them a contestant cannot be placed at all. */
export const isQuality = (name: string): boolean => builtInByName.get(name)?.caseWeighted ?? false

const defaultsOf = (name: string): MetricDefinition =>
  builtInByName.get(name) ?? { ...base, name, direction: "max", mode: "minmax", unit: "", values: custom(name) }

/** A metric as this project reads it. `target` is in the metric's unit and set exactly when the mode is `target`. */
export interface ProjectMetric extends MetricDefinition {
  readonly target: number | null
}

/** The definition of a metric under a project's settings; a target without an explicit mode means mode `target`. */
export const metricOf = (settings: MetricSettings, name: string): ProjectMetric => {
  const built = defaultsOf(name)
  const spec = Object.hasOwn(settings.specs, name) ? settings.specs[name] : undefined
  const target = spec?.target ?? null
  const mode = spec?.normalise ?? (target === null ? built.mode : "target")
  return {
    ...built,
    direction: spec?.direction ?? built.direction,
    mode: mode === "target" && target === null ? built.mode : mode,
    target: mode === "target" ? target : null
  }
}
