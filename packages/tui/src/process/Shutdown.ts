import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { SignalName } from "./Signals.ts"

/** Something that knows how to end in order: a run. */
export interface Stoppable {
  /** Ask for a graceful end. */
  readonly stop: (name: SignalName) => Effect.Effect<void>
  /** Interrupt what is in flight. */
  readonly stopNow: (name: SignalName) => Effect.Effect<void>
  /** The drain after TERM, ms. */
  readonly termDrainMs: number
  /** Ask for a graceful end because something broke that nobody handles; absent = as TERM. */
  readonly fail?: (message: string) => Effect.Effect<void>
}

/** Where a command says that a signal must stop its run rather than interrupt the whole program. */
export class Shutdown extends Context.Service<
  Shutdown,
  {
    /** Signals go to `stoppable` until the scope closes. */
    readonly register: (stoppable: Stoppable) => Effect.Effect<void, never, Scope.Scope>
  }
>()("@agent-arena/tui/process/Shutdown") {}

/** The registered run, shared by the service and the signal handler. */
export interface StoppableSlot {
  current: Stoppable | null
}

export const make = (slot: StoppableSlot): Shutdown["Service"] => ({
  register: (stoppable) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        slot.current = stoppable
      }),
      () =>
        Effect.sync(() => {
          slot.current = null
        })
    )
})
