import * as Effect from "effect/Effect"
import type { SlotLease } from "./Scheduler.ts"

/** A cell's slot, given to other cells while any of its calls waits. */
export interface CellLease {
  /** Runs a wait without the slot and takes it back afterwards. */
  readonly lend: <A>(wait: Effect.Effect<A>) => Effect.Effect<A>
  readonly holdsSlot: () => boolean
}

/** The lease of a cell that has just been started, and so holds a slot. */
export const make = (slots: SlotLease): CellLease => {
  let waiting = 0
  let holds = true

  const reclaim = <A>(value: A): Effect.Effect<A> =>
    Effect.callback((resume) => {
      const cancel = slots.reclaim(() => {
        holds = true
        resume(Effect.succeed(value))
      })
      return Effect.sync(cancel)
    })

  const lend = <A>(wait: Effect.Effect<A>): Effect.Effect<A> =>
    Effect.suspend(() => {
      waiting += 1
      if (waiting === 1 && holds) {
        holds = false
        slots.yieldSlot()
      }
      return Effect.flatMap(wait, (value) => {
        waiting -= 1
        return waiting > 0 || holds ? Effect.succeed(value) : reclaim(value)
      })
    })

  return { lend, holdsSlot: () => holds }
}
