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

/** A latch that nobody has asked yet. `onAsk` runs once, at the first request. */
export const make = (onAsk: (reason: StopRequest) => void): StopControl => {
  const asked = Deferred.makeUnsafe<void>()
  const askedNow = Deferred.makeUnsafe<void>()
  let reason: StopRequest | null = null
  const ask = (because: StopRequest): void => {
    if (reason !== null) return
    reason = because
    onAsk(because)
    Deferred.doneUnsafe(asked, Exit.void)
  }
  return {
    reason: () => reason,
    ask,
    askNow: (because) => {
      ask(because)
      Deferred.doneUnsafe(askedNow, Exit.void)
    },
    asked: Deferred.await(asked),
    askedNow: Deferred.await(askedNow)
  }
}
