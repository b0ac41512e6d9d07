import type { CallResult } from "../domain/CallResult.ts"
import * as Budget from "./Budget.ts"
import { finishedEvent } from "./FinishedEvent.ts"
import type { RunEventBody } from "./RunEvents.ts"
import type { RunParts } from "./RunParts.ts"
import * as RunStates from "./RunState.ts"
import type { Scheduler } from "./Scheduler.ts"
import type { StopControl } from "./StopControl.ts"
import { waitNotes } from "./WaitNotes.ts"

/** What a run has come to so far: totals, the numbers that ranking needs, and the budget. */
export interface Ledger {
  readonly state: RunStates.RunState
  /** Counts a result that is durable and cost `usd` now (null = unknown), tells of it, and enforces what follows. */
  readonly account: (contestant: number, result: CallResult, usd: number | null) => void
  /** Enforces the budgets on what earlier parts have spent. */
  readonly checkBudgets: () => void
  /** Counts a result of an earlier part or run that stands as it is. */
  readonly takeOver: (result: CallResult) => void
  /** Counts waiting for the limits of an account, ms. */
  readonly waited: (account: string, ms: number) => void
  /** Sentences for the leaderboard. */
  readonly notes: () => ReadonlyArray<string>
  /** Whether a contestant was taken out because its own budget was spent. */
  readonly closedByBudget: () => boolean
}

export interface LedgerContext {
  readonly parts: RunParts
  readonly publish: (body: RunEventBody) => void
  readonly stop: StopControl
  readonly close: Scheduler["close"]
}

const usd = (amount: number): string => `$${amount.toFixed(4)}`

/** An empty ledger. */
export const make = ({ close, parts, publish, stop }: LedgerContext): Ledger => {
  const { budgets } = parts
  const { spentBefore } = parts
  const before = [...spentBefore.values()]
  const state = RunStates.make(parts.plan.planned, before.length === 0 ? null : before.reduce((a, b) => a + b))
  const budget = Budget.make(budgets, spentBefore)
  const notes: Array<string> = []
  const waits = new Map<string, number>()
  let closedByBudget = false

  const overran = ({ contestant, limitUsd, spentUsd }: Budget.Overrun): void => {
    const key = contestant === null ? null : (parts.runtimes[contestant]?.contestant.key ?? null)
    publish({ _tag: "BudgetWarning", contestant: key, spentUsd, limitUsd })
    const over = `${key ?? "the run"} spent ${usd(spentUsd)}, more than its budget of ${usd(limitUsd)}`
    if (budgets.onExceed === "warn") {
      notes.push(over)
      return
    }
    notes.push(`${over}, and was stopped`)
    if (contestant === null) {
      stop.ask("budget")
      return
    }
    closedByBudget = true
    close(contestant)
  }

  return {
    state,
    waited: (account, ms) => {
      waits.set(account, (waits.get(account) ?? 0) + ms)
    },
    notes: () => [...notes, ...waitNotes(new Set(parts.runtimes.map(({ settings }) => settings.pace)), waits)],
    closedByBudget: () => closedByBudget,
    takeOver: (result) => {
      state.takeOver(result)
      parts.measurements.add(result)
      publish(finishedEvent(result, true))
    },
    checkBudgets: () => {
      for (const overrun of budget.crossed()) overran(overrun)
    },
    account: (contestant, result, usd) => {
      state.add(result, usd)
      parts.measurements.add(result)
      publish(finishedEvent(result, false))
      if (usd !== null) for (const overrun of budget.charge(contestant, usd)) overran(overrun)
      if (parts.failFast && result.status === "error" && result.stopReason !== "run_stopped") stop.ask("fail_fast")
    }
  }
}
