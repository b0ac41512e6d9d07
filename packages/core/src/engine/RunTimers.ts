import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

/** Things that a run means to do later. None of them outlives the run: a forgotten timer would keep the process alive. */
export interface RunTimers {
  readonly after: (ms: number, act: () => void) => void
  /** Forgets all of them. */
  readonly clear: () => void
}

/** No timers yet. */
export const make = (fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>): RunTimers => {
  const waiting = new Set<Fiber.Fiber<void>>()
  return {
    after: (ms, act) => {
      const fiber = fork(Effect.sleep(ms))
      waiting.add(fiber)
      fiber.addObserver((exit) => {
        waiting.delete(fiber)
        if (exit._tag === "Success") act()
      })
    },
    clear: () => {
      for (const fiber of [...waiting]) fiber.interruptUnsafe()
    }
  }
}
