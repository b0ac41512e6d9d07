import type { RunHandle } from "@agent-arena/core/engine/RunHandle"
import * as Effect from "effect/Effect"

/** Gives the run's fibers their turn until `condition` holds, without letting time pass. */
export const settle = (condition: Effect.Effect<boolean>): Effect.Effect<void> =>
  Effect.flatMap(condition, (holds) =>
    holds
      ? Effect.void
      : Effect.andThen(
          Effect.yieldNow,
          Effect.suspend(() => settle(condition))
        )
  )

/** Waits until `count` cells are in flight. */
export const inFlight = (run: RunHandle, count: number) =>
  settle(Effect.map(run.snapshot, (snapshot) => snapshot.inFlight === count))

/** Waits until `count` cells have an outcome. */
export const finished = (run: RunHandle, count: number) =>
  settle(Effect.map(run.snapshot, (snapshot) => snapshot.counts.finished === count))
