/** The running program: state, open runs and frames, tied together. */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { makeOpenRun, type OpenRun } from "../run/OpenRun.ts"
import type { RunSource } from "../run/RunSource.ts"
import { type AppState, currentScreen, liveScreen, type World } from "../state/AppState.ts"
import type { Command, Intent } from "../state/Intent.ts"
import { actionFor } from "../state/Keymap.ts"
import { update } from "../state/Update.ts"
import { frame } from "../view/Frame.ts"
import type { Size } from "../view/Layout.ts"
import { follow } from "./Follow.ts"
import { makeFrameClock } from "./FrameClock.ts"
import { type FrameStore, makeFrameStore } from "./FrameStore.ts"

export interface Program {
  readonly frames: FrameStore
  readonly key: (name: string) => void
  readonly paste: (text: string) => void
  readonly resize: (size: Size) => void
  /** Completes when the person leaves. */
  readonly left: Effect.Effect<void>
}

export const makeProgram = (source: RunSource, size: Size): Effect.Effect<Program, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const leave = yield* Deferred.make<void>()
    const run = makeOpenRun(source)
    const runs = new Map<string, OpenRun>([[run.model.id, run]])
    const world = (): World => ({ now: clock.currentTimeMillisUnsafe(), run: (id) => runs.get(id) })
    let state: AppState = { size, screens: [liveScreen(run.model.id)], overlay: null, toast: null }
    let whole = true
    const frames = makeFrameStore({ lines: [], size, whole })

    const draw = (): number => {
      const start = clock.monotonicTimeNanosUnsafe()
      frames.set({ lines: frame(state, world()), size: state.size, whole })
      whole = false
      return Number(clock.monotonicTimeNanosUnsafe() - start) / 1e6
    }
    const ticks = yield* makeFrameClock(draw)

    const services = yield* Effect.context<never>()
    const execute = (command: Command): Effect.Effect<void> => {
      if (command._tag === "Leave") return Effect.asVoid(Deferred.succeed(leave, undefined))
      const controls = runs.get(command.run)?.source.controls
      if (controls === null || controls === undefined) return Effect.void
      if (command._tag === "Pause") return controls.pause
      if (command._tag === "Resume") return controls.resume
      return Effect.void
    }
    const dispatch = (intent: Intent): void => {
      const step = update(state, intent, world())
      state = step.state
      for (const command of step.commands) Effect.runForkWith(services)(execute(command))
      ticks.acted()
    }

    yield* Effect.forkScoped(follow(run, ticks.changed).pipe(Effect.ignore))
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(1000), Effect.sync(ticks.changed))))
    ticks.acted()
    return {
      frames,
      key: (name) => {
        const screen = currentScreen(state)
        const action = actionFor(name, [screen.focus, "live", "global"])
        if (action !== null) dispatch({ _tag: "Act", action })
      },
      paste: () => {},
      resize: (next) => {
        whole = true
        dispatch({ _tag: "Resize", size: next })
      },
      left: Deferred.await(leave)
    }
  })
