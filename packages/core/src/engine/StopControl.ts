import * as Deferred from "effect/Deferred"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { StopRequest } from "../domain/Run.ts"

/**
 * The latch that says why a run stops. It is asked for a stop from anywhere, synchronously; the first reason stays.
 * A stop is never an error: the run's main fiber hears of it and interrupts what has to end.
 */
export interface StopControl {
  readonly reason: () => StopRequest | null
  /** Asks for a graceful stop. */
  readonly ask: (reason: StopRequest) => void
  /** Asks for a stop without waiting for calls in flight. */
  readonly askNow: (reason: StopRequest) => void
  readonly asked: Effect.Effect<void>
  readonly askedNow: Effect.Effect<void>
}

/** What follows from requests: `first` runs once, `again` at each further one. */
export interface StopListeners {
  readonly first: (reason: StopRequest) => void
  readonly again: (reason: StopRequest) => void
}

/** A latch that nobody has asked yet. */
export const make = (listeners: StopListeners): StopControl => {
  const asked = Deferred.makeUnsafe<void>()
  const askedNow = Deferred.makeUnsafe<void>()
  let reason: StopRequest | null = null
  const ask = (because: StopRequest): void => {
    if (reason !== null) {
      listeners.again(because)
      return
    }
    reason = because
    listeners.first(because)
    Deferred.doneUnsafe(asked, Exit.void)
  }
  return {
    reason: () => reason,
    ask,
    askNow: (because) => {
      if (reason === null) ask(because)
      Deferred.doneUnsafe(askedNow, Exit.void)
    },
    asked: Deferred.await(asked),
    askedNow: Deferred.await(askedNow)
  }
}
