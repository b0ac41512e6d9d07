import type { CallResult } from "../domain/CallResult.ts"
import type { CellCounts } from "../domain/Run.ts"

/** Running totals of a run; synchronous and constant in size. */
export interface RunState {
  /** Counts a cell, and what it has cost now, USD (null = unknown). */
  readonly add: (result: CallResult, usd: number | null) => void
  /** Counts a cell that an earlier part or run has answered; its cost is not spent again. */
  readonly takeOver: (result: CallResult) => void
  /** A result that could not be made durable: it may have cost something, but nothing may be built on it. */
  readonly lost: (usd: number | null) => void
  readonly retried: () => void
  readonly counts: () => CellCounts
  readonly retries: () => number
  readonly passed: () => number
  /** Sum of known costs, USD; null when none is known. */
  readonly spentUsd: () => number | null
}

/** The state of a run that means to execute `planned` cells. `spentBefore` is what its earlier parts have cost, USD. */
export const make = (planned: number, spentBefore: number | null = null): RunState => {
  let finished = 0
  let interrupted = 0
  let errored = 0
  let timedOut = 0
  let retries = 0
  let passed = 0
  let spent = spentBefore ?? 0
  let priced = spentBefore === null ? 0 : 1
  const count = (result: CallResult): void => {
    if (result.stopReason === "run_stopped") interrupted += 1
    else finished += 1
    if (result.stopReason === "timeout") timedOut += 1
    if (result.stopReason === "error") errored += 1
    if (result.passed === true) passed += 1
  }
  const pay = (usd: number | null): void => {
    if (usd === null) return
    spent += usd
    priced += 1
  }
  return {
    takeOver: count,
    add: (result, usd) => {
      count(result)
      pay(usd)
    },
    lost: (usd) => {
      interrupted += 1
      pay(usd)
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
