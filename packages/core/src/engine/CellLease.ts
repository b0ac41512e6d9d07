import * as Effect from "effect/Effect"
import type { SlotLease } from "./Scheduler.ts"

/** A cell's slot, given to other cells while any of its calls waits. */
export interface CellLease {
  /** Runs a wait without the slot and takes it back afterwards. */
  readonly lend: <A>(wait: Effect.Effect<A>) => Effect.Effect<A>
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
  let giveUp: (() => void) | null = null

  /** A slot is there. Two calls of one cell may have asked for it at the same time, but a cell has only one. */
  const take = (): void => {
    if (holds || isOver) slots.yieldSlot()
    else holds = true
  }

  /** The cell goes on although its wait was cut short: it takes its slot back as soon as there is one. */
  const reclaimLater = Effect.sync(() => {
    if (waiting > 0 || holds || isOver) return
    giveUp?.()
    giveUp = slots.reclaim(take)
  })

  const reclaim = <A>(value: A): Effect.Effect<A> =>
    Effect.onInterrupt(
      Effect.callback<A>((resume) => {
        const cancel = slots.reclaim(() => {
          take()
          resume(Effect.succeed(value))
        })
        return Effect.sync(cancel)
      }),
      () => reclaimLater
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
      return Effect.flatMap(
        Effect.onInterrupt(counted, () => reclaimLater),
        (value) => (waiting > 0 || holds || isOver ? Effect.succeed(value) : reclaim(value))
      )
    })

  return {
    lend,
    sent: () => {
      hasSent = true
    },
    hasSent: () => hasSent,
    isIdle: () => waiting > 0 && !hasSent,
    close: () => {
      isOver = true
      giveUp?.()
      return holds
    },
    isOver: () => isOver
  }
}
