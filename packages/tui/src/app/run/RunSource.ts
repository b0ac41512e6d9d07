/** Where the screen gets a run from: one that is going on here, one of the past, or one of another process. */
import type { CallResult, Cell } from "@agent-arena/core/domain/CallResult"
import type { Leaderboard } from "@agent-arena/core/domain/Leaderboard"
import type { RankingRules } from "@agent-arena/core/domain/Project"
import type { StopRequest } from "@agent-arena/core/domain/Run"
import type { RunEvent, RunSnapshot } from "@agent-arena/core/domain/RunEvent"
import type { TestCase } from "@agent-arena/core/domain/TestCase"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { CellState } from "./CellState.ts"
import type { RunOutline, TimedEnding } from "./RunModel.ts"

/**
 * Takes one outcome. Positions are indices into the rules, `trial` is 1-based, NaN = unknown. Plain arguments, because
 * there may be hundreds of thousands.
 */
export type TakeOutcome = (
  contestant: number,
  caseIndex: number,
  trial: number,
  state: CellState,
  score: number,
  latencyMs: number,
  costUsd: number,
  promptTokens: number,
  completionTokens: number
) => void

/** A step that could not be taken, in words for the person at the screen. */
export interface Refusal {
  readonly _tag: "Refusal"
  readonly message: string
}

export const refusal = (message: string): Refusal => ({ _tag: "Refusal", message })

/** What another program has asked of a run by more than a signal. `now` = interrupt what is in flight. */
export interface StopWish {
  readonly now: boolean
}

/** How the run that is going on can be steered. */
export interface RunControls {
  readonly pause: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
  /** Graceful: nothing new starts, what is in flight may finish and is kept. */
  readonly stop: (reason: StopRequest) => Effect.Effect<void>
  /** Interrupts what is in flight. */
  readonly stopNow: (reason: StopRequest) => Effect.Effect<void>
  readonly cancelCell: (cell: Cell) => Effect.Effect<boolean>
  /**
   * The wish that came with a signal, which is gone afterwards; null, and always where this is absent: the signal means
   * what it always means.
   */
  readonly takeWish?: () => StopWish | null
}

/** How a run of another process can be ended from here. */
export interface RemoteControls {
  /** Asks its process; `gracefully` lets what is in flight finish. Does not wait for the end. */
  readonly stop: (how: "gracefully" | "now") => Effect.Effect<void, Refusal>
}

export interface RunFacts extends RunOutline {
  readonly rules: RankingRules
  readonly kind: "live" | "past" | "attached"
  /** `budgets.max_run_usd`; null = none, or not known. */
  readonly budgetUsd: number | null
  /** How long cells in flight may take to finish after a stop, ms. */
  readonly drainMs: number
  /** The same after SIGTERM, ms. */
  readonly termDrainMs: number
}

export interface RunSource {
  readonly facts: RunFacts
  /**
   * Hands out the outcomes so far, in any order, once or more often: when the run is opened, and again after events were
   * lost.
   */
  readonly readOutcomes: (take: TakeOutcome) => Effect.Effect<void, Refusal>
  /** What happens from now on; ends with the run. Empty for a run of the past. */
  readonly events: Stream.Stream<RunEvent, Refusal>
  /** How the run ended; null while it goes on, or when its process is gone without a word. */
  readonly ending: Effect.Effect<TimedEnding | null, Refusal>
  /** The run as a whole, for who cannot hear every event; null = not known now. Absent for a run that is over. */
  readonly snapshot?: Effect.Effect<RunSnapshot | null>
  /**
   * The leaderboard of what is known now, under these rules; null while nothing can be ranked. `quick` leaves intervals,
   * comparisons and the verdict out, and is all that makes sense while the run goes on.
   */
  readonly rank: (rules: RankingRules, depth: "quick" | "full") => Effect.Effect<Leaderboard | null, Refusal>
  /** The leaderboard with intervals and a verdict, as it was stored at the end; null when there is none. */
  readonly leaderboard: Effect.Effect<Leaderboard | null, Refusal>
  /** The whole record of a cell; null while it has none. */
  readonly result: (cell: Cell) => Effect.Effect<CallResult | null, Refusal>
  /** The case as the project states it; null when it is not known any more. */
  readonly testCase: (caseId: string) => TestCase | null
  /** Null = the run does not go on here. */
  readonly controls: RunControls | null
  /** Absent = it does not go on in another process, or cannot be ended from here. */
  readonly remote?: RemoteControls
}
