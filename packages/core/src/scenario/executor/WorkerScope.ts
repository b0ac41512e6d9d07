/** The resources of one worker: they outlive its combos and are closed one after another, each for a limited time. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"

/** How long one resource may take to close, ms. */
export const closeLimitMs = 5_000

type Finalizer = (exit: Exit.Exit<unknown, unknown>) => Effect.Effect<void>

/** Takes the finalizers out of a scope, the latest first, and leaves it closed: what is added now runs at once. */
const takeFinalizers = (scope: Scope.Closeable): ReadonlyArray<Finalizer> => {
  const { state } = scope
  scope.state = { _tag: "Closed", exit: Exit.void }
  if (state._tag !== "Open") return []
  if (state.finalizers !== undefined) return [...state.finalizers.values()].reverse()
  return state.finalizer === undefined ? [] : [state.finalizer]
}

const closeOne = Effect.fnUntraced(function* (finalizer: Finalizer, limitMs: number) {
  const closing = yield* Effect.forkDetach(Effect.interruptible(Effect.suspend(() => finalizer(Exit.void))))
  const ended = yield* Effect.timeoutOption(Fiber.await(closing), limitMs)
  if (Option.isNone(ended)) {
    closing.interruptUnsafe()
    yield* Effect.logWarning(`a resource did not close within ${limitMs / 1000} s and was left`)
  } else if (Exit.isFailure(ended.value)) {
    yield* Effect.logWarning(`a resource failed to close: ${Cause.pretty(ended.value.cause).split("\n", 1)[0]}`)
  }
})

/** Closes everything in a scope. Never fails; a resource that hangs or fails holds up none of the others. */
export const closeWorkerScope = (scope: Scope.Closeable, limitMs: number = closeLimitMs): Effect.Effect<void> =>
  Effect.suspend(() =>
    Effect.forEach(takeFinalizers(scope), (finalizer) => closeOne(finalizer, limitMs), { discard: true })
  )

/** A scope for one worker. */
export const makeWorkerScope: Effect.Effect<Scope.Closeable> = Scope.make()
