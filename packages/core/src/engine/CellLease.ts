import * as Effect from "effect/Effect"
import type { SlotLease } from "./Scheduler.ts"

/** A cell's slot, given to other cells while any of its calls waits. */
export interface CellLease {
  /** Runs a wait without the slot and takes it back afterwards. When it is interrupted, so is the cell. */
  readonly lend: <A>(wait: Effect.Effect<A>) => Effect.Effect<A>
  /** The same for an inner call: when its target gives it up, the target goes on, and only with the slot. */
  readonly lendInner: <A>(wait: Effect.Effect<A>) => Effect.Effect<A>
  /** A request goes out: from now on something may have been paid for. */
  readonly sent: () => void
  readonly hasSent: () => boolean
  /** Whether the cell only waits for leave to send its first request. */
  readonly isIdle: () => boolean
  /** The cell is over; tells whether it held its slot. What still goes on in it must not touch the slots any more. */
  readonly close: () => boolean
  readonly isOver: () => boolean
}

/** The lease of a cell that has just been started, and so holds a slot. */
export const make = (slots: SlotLease): CellLease => {
  let waiting = 0
  let holds = true
  let hasSent = false
  let isOver = false
  /** Who waits for the slot although nobody can interrupt it: the end of the cell does. */
  let atTheEnd: Set<() => void> | null = null

  /** A slot is there. Two calls of one cell may have asked for it at the same time, but a cell has only one. */
  const take = (): void => {
    if (holds || isOver) slots.yieldSlot()
    else holds = true
  }

  const reclaim = Effect.suspend(() =>
    waiting > 0 || holds || isOver
      ? Effect.void
      : Effect.callback<void>((resume) => {
          const leave = () => {
            cancel()
            resume(Effect.void)
          }
          const cancel = slots.reclaim(() => {
            atTheEnd?.delete(leave)
            take()
            resume(Effect.void)
          })
          atTheEnd ??= new Set()
          atTheEnd.add(leave)
          return Effect.sync(() => {
            atTheEnd?.delete(leave)
            cancel()
          })
        })
  )

  const lend = <A>(wait: Effect.Effect<A>): Effect.Effect<A> =>
    Effect.suspend(() => {
      waiting += 1
      if (waiting === 1 && holds && !isOver) {
        holds = false
        slots.yieldSlot()
      }
      const counted = Effect.ensuring(
        wait,
        Effect.sync(() => {
          waiting -= 1
        })
      )
      return Effect.flatMap(counted, (value) => Effect.as(reclaim, value))
    })

  return {
    lend,
    lendInner: (wait) => Effect.onInterrupt(lend(wait), () => reclaim),
    sent: () => {
      hasSent = true
    },
    hasSent: () => hasSent,
    isIdle: () => waiting > 0 && !hasSent,
    close: () => {
      isOver = true
      for (const leave of atTheEnd ?? []) leave()
      return holds
    },
    isOver: () => isOver
  }
}
