import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** The exit that an effect already is (`Effect.succeed`, `Effect.fail`); null when it has to be run. */
export const exitOf = <A, E, R>(effect: Effect.Effect<A, E, R>): Exit.Exit<A, E> | null =>
  // An exit is the effect that ends with it, so its types are the effect's.
  Exit.isExit(effect) ? (effect as unknown as Exit.Exit<A, E>) : null

/**
 * Runs an effect for at most `ms` (null = without limit) and never waits for one that does not stop.
 *
 * The effect runs in a fiber of its own. When the time is over, or the caller is interrupted, that fiber is interrupted
 * but not awaited: a call that ignores abortion delays nothing, and whatever it answers later reaches nobody. An effect
 * that finishes without suspending costs no timer.
 */
export const withDeadline = <A, E, R, E2>(
  self: Effect.Effect<A, E, R>,
  ms: number | null,
  onTimeout: () => Effect.Effect<never, E2>
): Effect.Effect<A, E | E2, R> => {
  // Already over: `Effect.succeed` and `Effect.fail` are exits.
  if (Exit.isExit(self)) return self
  return Effect.contextWith((context) => {
    const run = Effect.runForkWith(context)
    const child = run(self)
    const exit = child.pollUnsafe()
    if (exit !== undefined) return exit
    return Effect.callback<A, E | E2>((resume) => {
      const timer = ms === null ? undefined : run(Effect.sleep(ms))
      child.addObserver((late) => {
        timer?.interruptUnsafe()
        resume(late)
      })
      timer?.addObserver((ended) => {
        if (ended._tag === "Failure") return
        // First the answer, then the interruption: an effect that stops at once would answer for itself.
        resume(onTimeout())
        child.interruptUnsafe()
      })
      return Effect.sync(() => {
        child.interruptUnsafe()
        timer?.interruptUnsafe()
      })
    })
  })
}
