import type { CallResult } from "../domain/CallResult.ts"
import type { CellCounts } from "../domain/Run.ts"

import { knownSpend } from "./Spend.ts"

/** Running totals of a run; synchronous and constant in size. */
export interface RunState {
  readonly add: (result: CallResult) => void
  /** Counts a cell that an earlier part or run has answered; its cost is not spent again. */
  readonly takeOver: (result: CallResult) => void
  /** A result that could not be made durable: paid for, but nothing may be built on it. */
  readonly lost: () => void
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
  return {
    takeOver: count,
    add: (result) => {
      count(result)
      const usd = knownSpend(result)
      if (usd !== null) {
        spent += usd
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
