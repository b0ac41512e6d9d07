/** The state of one cell of the matrix in one byte, and how it looks. */
import type { CellStopReason } from "@agent-arena/core/domain/CallResult"
import type { Role } from "../terminal/Style.ts"

export const states = [
  "queued",
  "running",
  "pass",
  "partial",
  "fail",
  "error",
  "timeout",
  "interrupted",
  "skipped",
  "unscored"
] as const
export type StateName = (typeof states)[number]

/** Index into `states`, with `reusedFlag` when the outcome was taken over from an earlier run. */
export type CellState = number

export const Queued = 0
export const Running = 1
export const Pass = 2
export const Partial = 3
export const Fail = 4
export const Failed = 5
export const TimedOut = 6
export const Interrupted = 7
export const Skipped = 8
export const Unscored = 9
export const reusedFlag = 16

export const stateCount = states.length

/** The state without the mark of reuse. */
export const baseState = (state: CellState): number => state & 15

export const stateName = (state: CellState): StateName => states[baseState(state)] ?? "queued"

/** What is known of an outcome when it is turned into a state. */
export interface Outcome {
  readonly status: "ok" | "error"
  readonly stopReason: CellStopReason
  /** 0..1; null = not scored. */
  readonly score: number | null
  readonly passed: boolean | null
}

/**
 * Passed is what its scorer says, or a score of at least 0.5 where it says nothing (as in ranking); some score without a
 * pass is partial, none is a fail; unscored answers await a grade.
 */
export const outcomeState = (outcome: Outcome): CellState => {
  if (outcome.stopReason === "run_stopped") return Interrupted
  if (outcome.stopReason === "timeout") return TimedOut
  if (outcome.status === "error") return Failed
  const { score, passed } = outcome
  if (score === null && passed === null) return Unscored
  if (passed ?? (score ?? 0) >= 0.5) return Pass
  return (score ?? 0) > 0 ? Partial : Fail
}

const glyphs: ReadonlyArray<string> = ["·", "●", "✓", "◐", "✗", "!", "◷", "⊘", "-", "?"]
/** Letters for outcomes taken over from an earlier run, so that they differ in shape as well. */
const reusedGlyphs: ReadonlyArray<string> = ["·", "●", "p", "h", "f", "e", "t", "i", "-", "u"]

export const stateGlyph = (state: CellState): string =>
  ((state & reusedFlag) === 0 ? glyphs : reusedGlyphs)[baseState(state)] ?? "·"

/** Every state has a role of its name. */
export const stateRole = (state: CellState): Role => stateName(state)

/** The state in words. */
export const stateWord = (state: CellState): string => {
  const name = stateName(state)
  const word = name === "timeout" ? "timed out" : name
  return (state & reusedFlag) === 0 ? word : `${word} (reused)`
}

/** Whether the cell has an outcome of its own: what counts as finished. */
export const isFinished = (state: CellState): boolean => {
  const base = baseState(state)
  return base >= Pass && base !== Interrupted && base !== Skipped
}

/** What `n` and `N` look for. */
export const isProblem = (state: CellState): boolean => {
  const base = baseState(state)
  return base === Fail || base === Failed || base === TimedOut
}
