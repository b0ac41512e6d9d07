/** Decides when a frame is drawn: at once after a key, else ten times a second and never for more than a share of the time. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"

/** Ten frames a second: numbers that change faster cannot be read. */
const frameMs = 100
/** After a frame that took t, the next one that nobody asked for waits at least 30 t: drawing takes a thirtieth of a core. */
const restFactor = 30

export interface FrameClock {
  /** Something changed: a frame is due soon. */
  readonly changed: () => void
  /** The person did something: a frame is due now. */
  readonly acted: () => void
  /** The frame that was drawn last stands on the screen: what it took is known. */
  readonly painted: () => void
}

/** Calls `draw` as needed while the scope lives. */
export const makeFrameClock = (draw: () => void): Effect.Effect<FrameClock, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const due = yield* Latch.make(false)
    let drawnAt = Number.NEGATIVE_INFINITY
    let rest = frameMs
    let queued = false
    const now = () => clock.currentTimeMillisUnsafe()
    const precise = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
    let startedAt = 0
    const painted = () => {
      rest = Math.max(frameMs, (precise() - startedAt) * restFactor)
    }
    const drawNow = () => {
      due.closeUnsafe()
      drawnAt = now()
      startedAt = precise()
      draw()
      painted()
    }
    yield* Effect.forkScoped(
      Effect.forever(
        Effect.gen(function* () {
          yield* due.await
          // What the last frame took may become known while its successor waits.
          while (drawnAt + rest > now()) yield* Effect.sleep(Math.max(1, drawnAt + rest - now()))
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
      },
      painted
    }
  })
