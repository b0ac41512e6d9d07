import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"

/**
 * The cap on requests in flight that is in force here; null = none. A program provides one semaphore around everything
 * that is to share it: runs, whose plain cells, turns, inner calls and judges all take from it, and batches of
 * scenarios. A batch with a cap of its own sets it where none is in force.
 *
 * A permit is held from sending a request to its answer. Outside of it: waiting for limits, backing off before the next
 * attempt (which takes a permit anew), scorers, functions, files, waiting for an answer of another play, and functions of
 * the project that answer, whose own calls through the arena are inside.
 */
export const RequestCap = Context.Reference<Semaphore.Semaphore | null>(
  "@agent-arena/core/scenario/executor/RequestCap",
  { defaultValue: () => null }
)

/** A cap on `requests` in flight, to be provided as `RequestCap`. */
export const requestCap = (requests: number): Semaphore.Semaphore => Semaphore.makeUnsafe(requests)

/**
 * Runs one request with a permit; what it calls meanwhile needs none of its own. Nothing is held while waiting, and an
 * interruption at any point leaves nothing taken. `wait` is put around the waiting.
 */
export const underCap = <A, E, R>(
  cap: Semaphore.Semaphore,
  request: Effect.Effect<A, E, R>,
  wait: <B>(waiting: Effect.Effect<B>) => Effect.Effect<B> = (waiting) => waiting
): Effect.Effect<A, E, R> =>
  Effect.flatMap(cap.withPermitsIfAvailable(1)(Effect.provideService(request, RequestCap, null)), (answered) =>
    Option.isSome(answered)
      ? Effect.succeed(answered.value)
      : Effect.flatMap(wait(cap.withPermits(1)(Effect.void)), () => underCap(cap, request, wait))
  )
