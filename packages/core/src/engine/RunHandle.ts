import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Cell } from "../domain/CallResult.ts"
import type { RunId } from "../domain/Ids.ts"
import type { StopRequest } from "../domain/Run.ts"
import type { RunEvent, RunSnapshot } from "../domain/RunEvent.ts"
import type { RunReport } from "../domain/RunReport.ts"
import type { Measurements } from "../ranking/Measurements.ts"
import type { LiveState } from "./live/LiveState.ts"

/** A run that is going on. It belongs to the scope in which it was started and ends with it. */
export interface RunHandle {
  readonly id: RunId
  /**
   * What happens from now on, after the first event and the latest ones that are not about a cell's beginning or end (all
   * of them just after the start of the run), through a bounded sliding buffer: a slow reader loses the oldest events (a gap in `seq`)
   * and never slows the run. Ends after `RunFinished`.
   */
  readonly events: Stream.Stream<RunEvent>
  readonly snapshot: Effect.Effect<RunSnapshot>
  /** The snapshot, the cells in flight, and the latest events that are not merely a cell's beginning or end. */
  readonly live: Effect.Effect<LiveState>
  /** Compact numbers of the cells so far: what a live leaderboard is ranked from. Read only. */
  readonly measurements: Measurements
  /** Asks for a graceful stop: no new cells, in-flight ones drain, then the rest is interrupted. The first reason stays. */
  readonly stop: (reason: StopRequest) => Effect.Effect<void>
  /** Interrupts what is in flight at once; only after (or as) a stop. */
  readonly stopNow: (reason: StopRequest) => Effect.Effect<void>
  /** No new cells are started until `resume`. */
  readonly pause: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
  /** Interrupts one cell in flight; it is recorded as an error of its own. False when it is not in flight. */
  readonly cancelCell: (cell: Cell) => Effect.Effect<boolean>
  /** Waits for the end. Never fails: how the run ended is in the report. */
  readonly result: Effect.Effect<RunReport>
}
