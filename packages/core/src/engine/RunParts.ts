import type * as Effect from "effect/Effect"
import type { CallResult, Cell } from "../domain/CallResult.ts"
import type { RunId } from "../domain/Ids.ts"
import type { Leaderboard } from "../domain/Leaderboard.ts"
import type { RunEnding, StopRequest } from "../domain/Run.ts"
import type { RunSnapshot } from "../domain/RunEvent.ts"
import type { Budgets } from "../domain/Settings.ts"
import type { StoreError } from "../domain/StoreError.ts"
import type { Measurements } from "../ranking/Measurements.ts"
import type { RunFooter } from "../store/ResultStore.ts"
import type { CellServices, PreparedCase } from "./Cell.ts"
import type { ContestantRuntime } from "./ContestantRuntime.ts"
import type { EarlierResults } from "./EarlierResults.ts"
import type { LiveState } from "./live/LiveState.ts"
import type { Plan } from "./Plan.ts"
import type { RunEventHub } from "./RunEvents.ts"

/** Everything a run is made of, ready to go. */
export interface RunParts {
  readonly runId: RunId
  readonly plan: Plan<unknown>
  readonly skipped: Readonly<Record<string, string>>
  readonly runtimes: ReadonlyArray<ContestantRuntime>
  readonly prepare: (testCase: number) => PreparedCase
  readonly services: CellServices
  readonly budgets: Budgets
  /** What earlier parts of this run have spent, USD by contestant index, or `Budget.elsewhere`. */
  readonly spentBefore: ReadonlyMap<number, number>
  readonly failFast: boolean
  /** Limit of the whole run, ms; null = off. */
  readonly maxWallMs: number | null
  /** How long in-flight cells may go on after a stop, ms. */
  readonly drainMs: (reason: StopRequest) => number
  readonly hub: RunEventHub
  readonly measurements: Measurements
  /** Makes a result durable, with what it has cost now (USD; null = unknown); completes when it is. */
  readonly write: (result: CallResult, usd: number | null) => Effect.Effect<void, StoreError>
  /** The run ends soon: a database that is locked is not waited for much longer. */
  readonly hurry: () => void
  /** Cells that need no call, because an earlier part or run has answered them. */
  readonly earlier: EarlierResults
  /** Ranks what was measured. */
  readonly rank: (ending: RunEnding, notes: ReadonlyArray<string>) => Leaderboard
  /** Writes the run's row; called exactly once, whatever happened. */
  readonly finish: (footer: RunFooter) => Effect.Effect<void, StoreError>
}

/** What a run came to. */
export interface RunOutcome {
  readonly ending: RunEnding
  readonly footer: RunFooter
  readonly leaderboard: Leaderboard
  readonly problems: ReadonlyArray<string>
}

/** A run that is going on, without its report. */
export interface LiveRun {
  readonly main: Effect.Effect<RunOutcome>
  readonly snapshot: Effect.Effect<RunSnapshot>
  readonly live: Effect.Effect<LiveState>
  readonly stop: (reason: StopRequest) => Effect.Effect<void>
  readonly stopNow: (reason: StopRequest) => Effect.Effect<void>
  readonly pause: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
  readonly cancelCell: (cell: Cell) => Effect.Effect<boolean>
}
