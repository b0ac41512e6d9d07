import type { CallResult } from "../domain/CallResult.ts"

/** The numbers of a result that ranking needs. */
export type MeasuredCell = Pick<
  CallResult,
  | "contestant"
  | "caseId"
  | "trial"
  | "status"
  | "stopReason"
  | "score"
  | "passed"
  | "latencyMs"
  | "costUsd"
  | "usage"
  | "metrics"
  | "error"
  | "answeredFrom"
>

/** How a cell ended, as it stands in the `kind` column. 0 = it has no outcome yet. */
export const Kind = { none: 0, ok: 1, error: 2, timeout: 3, interrupted: 4 } as const

/** Whether the answer passed, as it stands in the `passed` column. */
export const Passed = { unknown: 0, yes: 1, no: 2 } as const

/** Where an answer came from, as it stands in the `origin` column. */
export const Origin = { live: 0, cache: 1, replay: 2 } as const

/**
 * The cells of one contestant, one slot per (case, trial): `case * trials + trial - 1`. Read only outside this file.
 *
 * NaN = unknown. Scores (0..1), latencies (ms) and custom metrics stand only for answered cells; costs (USD) and tokens
 * for every cell, because what failed or was interrupted may have been paid for. 43 bytes a cell, plus 8 for each custom
 * metric that appeared.
 */
export interface ContestantColumns {
  readonly kind: Uint8Array
  readonly passed: Uint8Array
  readonly origin: Uint8Array
  readonly score: Float64Array
  readonly latencyMs: Float64Array
  readonly costUsd: Float64Array
  readonly promptTokens: Float64Array
  readonly completionTokens: Float64Array
  readonly custom: Map<string, Float64Array>
  /** How many cells are of each `Kind`. */
  readonly tally: Int32Array
  /** The errors of the earliest slots, in order of slot. */
  readonly errors: Array<{ readonly slot: number; readonly text: string }>
}

const maxErrors = 5
const maxErrorText = 500

const unknowns = (slots: number): Float64Array => new Float64Array(slots).fill(Number.NaN)

export const makeColumns = (slots: number): ContestantColumns => ({
  kind: new Uint8Array(slots),
  passed: new Uint8Array(slots),
  origin: new Uint8Array(slots),
  score: unknowns(slots),
  latencyMs: unknowns(slots),
  costUsd: unknowns(slots),
  promptTokens: unknowns(slots),
  completionTokens: unknowns(slots),
  custom: new Map(),
  tally: Int32Array.of(slots, 0, 0, 0, 0),
  errors: []
})

const kindOf = (cell: MeasuredCell): number => {
  if (cell.stopReason === "run_stopped") return Kind.interrupted
  if (cell.status === "ok") return Kind.ok
  return cell.stopReason === "timeout" ? Kind.timeout : Kind.error
}

const passedOf = (cell: MeasuredCell): number => {
  const passed = cell.passed ?? (cell.score === null ? null : cell.score >= 0.5)
  return passed === null ? Passed.unknown : passed ? Passed.yes : Passed.no
}

/** Keeps the texts of the earliest slots, so that the order of arrival does not show. */
const recordError = (columns: ContestantColumns, slot: number, cell: MeasuredCell, failed: boolean): void => {
  const errors = columns.errors
  const old = errors.findIndex((error) => error.slot === slot)
  if (old >= 0) errors.splice(old, 1)
  if (!failed) return
  const after = errors.findIndex((error) => error.slot > slot)
  if (after < 0 && errors.length >= maxErrors) return
  const message = cell.error?.message ?? "failed without a message"
  const text = message.length > maxErrorText ? `${message.slice(0, maxErrorText)}…` : message
  errors.splice(after < 0 ? errors.length : after, 0, { slot, text })
  if (errors.length > maxErrors) errors.pop()
}

const recordCustom = (
  columns: ContestantColumns,
  slot: number,
  metrics: MeasuredCell["metrics"] | null,
  admits: (name: string) => boolean
): void => {
  for (const column of columns.custom.values()) column[slot] = Number.NaN
  if (metrics === null) return
  for (const name in metrics) {
    const value = metrics[name]
    if (value === undefined || !Number.isFinite(value)) continue
    let column = columns.custom.get(name)
    if (column === undefined) {
      if (!admits(name)) continue
      column = unknowns(columns.kind.length)
      columns.custom.set(name, column)
    }
    column[slot] = value
  }
}

/** Writes a cell into its slot, replacing what stood there. `admits` decides whether a new custom metric gets a column. */
export const record = (
  columns: ContestantColumns,
  slot: number,
  cell: MeasuredCell,
  admits: (name: string) => boolean
): void => {
  const before = columns.kind[slot] ?? Kind.none
  const kind = kindOf(cell)
  const ok = kind === Kind.ok
  const failed = kind === Kind.error || kind === Kind.timeout
  columns.tally[before] = (columns.tally[before] ?? 0) - 1
  columns.tally[kind] = (columns.tally[kind] ?? 0) + 1
  columns.kind[slot] = kind
  columns.origin[slot] = Origin[cell.answeredFrom ?? "live"]
  columns.passed[slot] = ok ? passedOf(cell) : Passed.unknown
  columns.score[slot] = ok && cell.score !== null ? cell.score : Number.NaN
  columns.latencyMs[slot] = ok && cell.latencyMs !== null ? cell.latencyMs : Number.NaN
  columns.costUsd[slot] = cell.costUsd ?? Number.NaN
  columns.promptTokens[slot] = cell.usage.prompt ?? Number.NaN
  columns.completionTokens[slot] = cell.usage.completion ?? Number.NaN
  recordCustom(columns, slot, ok ? cell.metrics : null, admits)
  if (failed || before === Kind.error || before === Kind.timeout) recordError(columns, slot, cell, failed)
}
