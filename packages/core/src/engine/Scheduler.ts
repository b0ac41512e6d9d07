import type { CellIndex, Lane } from "./Plan.ts"

/** Who runs a cell: takes a free slot, works, and gives it back. */
export interface SlotLease {
  /** The cell waits (backoff, rate limit): its slot goes to another cell meanwhile. */
  readonly yieldSlot: () => void
  /** The wait is over: calls `resume` when a slot is free again; returns a canceller. */
  readonly reclaim: (resume: () => void) => () => void
}

export interface SchedulerOptions {
  /** Cells that may work at the same time. */
  readonly concurrency: number
  /** In project order. */
  readonly lanes: ReadonlyArray<Lane>
  /** Whether new cells of this contestant must not start now (its provider is paused). */
  readonly blocked: (contestant: number) => boolean
  /** Starts the worker of a cell; must not throw, must call `Scheduler.finished` in the end. */
  readonly start: (cell: CellIndex) => void
  /** All lanes are empty (or closed) and no cell is open. */
  readonly drained: () => void
}

/**
 * Decides which cell runs next: round-robin over contestants, so that a slow or rate-limited one never starves the
 * others and a stopped run covers all of them evenly. At most `concurrency` cells work at once; a waiting cell does not
 * count, but a lane never has more than `concurrency` cells open, so that waiting cells cannot pile up.
 *
 * Plain synchronous state without any I/O: every method leaves it consistent.
 */
export interface Scheduler {
  /** Starts what may start; called at the beginning and whenever something became free or unblocked. */
  readonly pump: () => void
  readonly finished: (cell: CellIndex, holdsSlot: boolean) => void
  readonly lease: SlotLease
  /** No new cells until `open`. */
  readonly pause: () => void
  readonly open: () => void
  /** No new cells any more (of this contestant, or at all). */
  readonly close: (contestant?: number) => void
  /** Cells started and not finished, waiting ones included. */
  readonly inFlight: () => number
}

interface LaneState {
  readonly lane: Lane
  open: number
  exhausted: boolean
}

/** A scheduler over the given lanes. */
export const make = (options: SchedulerOptions): Scheduler => {
  const { concurrency } = options
  const lanes = options.lanes.map((lane): LaneState => ({ lane, open: 0, exhausted: false }))
  const byContestant = new Map(lanes.map((state) => [state.lane.contestant, state]))
  const returning = new Set<() => void>()
  let turn = 0
  let working = 0
  let open = 0
  let paused = false
  let closed = false
  let pumping = false

  const nextCell = (): CellIndex | undefined => {
    for (let tried = 0; tried < lanes.length; tried++) {
      const state = lanes[turn]
      turn = turn + 1 === lanes.length ? 0 : turn + 1
      if (state === undefined || state.exhausted || state.open >= concurrency) continue
      if (options.blocked(state.lane.contestant)) continue
      const cell = state.lane.next()
      if (cell === undefined) {
        state.exhausted = true
        continue
      }
      state.open += 1
      return cell
    }
    return undefined
  }

  const announceDrained = (): void => {
    if (open === 0 && (closed || lanes.every((state) => state.exhausted))) options.drained()
  }

  const pump = (): void => {
    if (pumping) return
    pumping = true
    try {
      while (working < concurrency) {
        const waiting = returning.values().next().value
        if (waiting !== undefined) {
          returning.delete(waiting)
          working += 1
          waiting()
          continue
        }
        const cell = paused || closed ? undefined : nextCell()
        if (cell === undefined) break
        working += 1
        open += 1
        options.start(cell)
      }
    } finally {
      pumping = false
    }
    announceDrained()
  }

  return {
    pump,
    finished: (cell, holdsSlot) => {
      const state = byContestant.get(cell.contestant)
      if (state !== undefined) state.open -= 1
      open -= 1
      if (holdsSlot) working -= 1
      pump()
    },
    lease: {
      yieldSlot: () => {
        working -= 1
        pump()
      },
      reclaim: (resume) => {
        returning.add(resume)
        pump()
        return () => {
          returning.delete(resume)
        }
      }
    },
    pause: () => {
      paused = true
    },
    open: () => {
      paused = false
      pump()
    },
    close: (contestant) => {
      if (contestant === undefined) closed = true
      else {
        const state = byContestant.get(contestant)
        if (state !== undefined) state.exhausted = true
      }
      pump()
    },
    inFlight: () => open
  }
}
