import type { CallResult } from "../domain/CallResult.ts"
import type { CellCounts } from "../domain/Run.ts"

/** Running totals of a run; synchronous and constant in size. */
export interface RunState {
  readonly add: (result: CallResult) => void
  /** A result that could not be made durable: paid for, but nothing may be built on it. */
  readonly lost: () => void
  readonly retried: () => void
  readonly counts: () => CellCounts
  readonly retries: () => number
  readonly passed: () => number
  /** Sum of known costs, USD; null when none is known. */
  readonly spentUsd: () => number | null
}

/** The state of a run that means to execute `planned` cells. */
export const make = (planned: number): RunState => {
  let finished = 0
  let interrupted = 0
  let errored = 0
  let timedOut = 0
  let retries = 0
  let passed = 0
  let spent = 0
  let priced = 0
  return {
    add: (result) => {
      if (result.stopReason === "run_stopped") interrupted += 1
      else finished += 1
      if (result.stopReason === "timeout") timedOut += 1
      if (result.stopReason === "error") errored += 1
      if (result.passed === true) passed += 1
      if (result.costUsd !== null && result.answeredFrom === undefined) {
        spent += result.costUsd
        priced += 1
      }
    },
    lost: () => {
      interrupted += 1
    },
    retried: () => {
      retries += 1
    },
    counts: () => ({ planned, finished, interrupted, notStarted: planned - finished - interrupted, errored, timedOut }),
    retries: () => retries,
    passed: () => passed,
    spentUsd: () => (priced === 0 ? null : spent)
  }
}
