/** Decides when a frame is drawn: at once after a key, else at most 15 times a second and never for more than a share of the time. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"

/** 15 frames a second. */
const frameMs = 1000 / 15
/** The share of a core that drawing may take: after a frame that took t, the next waits at least 7 t. */
const restFactor = 7

export interface FrameClock {
  /** Something changed: a frame is due soon. */
  readonly changed: () => void
  /** The person did something: a frame is due now. */
  readonly acted: () => void
}

/** Calls `draw` as needed while the scope lives; `draw` returns what it cost, ms. */
export const makeFrameClock = (draw: () => number): Effect.Effect<FrameClock, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const due = yield* Latch.make(false)
    let drawnAt = Number.NEGATIVE_INFINITY
    let rest = frameMs
    let queued = false
    const now = () => clock.currentTimeMillisUnsafe()
    const drawNow = () => {
      due.closeUnsafe()
      rest = Math.max(frameMs, draw() * restFactor)
      drawnAt = now()
    }
    yield* Effect.forkScoped(
      Effect.forever(
        Effect.gen(function* () {
          yield* due.await
          const wait = drawnAt + rest - now()
          if (wait > 0) yield* Effect.sleep(wait)
          yield* Effect.sync(drawNow)
        })
      )
    )
    return {
      changed: () => {
        due.openUnsafe()
      },
      acted: () => {
        // Several keys of one burst share a frame.
        if (queued) return
        queued = true
        queueMicrotask(() => {
          queued = false
          drawNow()
        })
      }
    }
  })
