/** The running program: the state machine, the open runs and the frames, tied together. */
import type { RunRecord } from "@agent-arena/core/domain/Run"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ArenaSource } from "../run/ArenaSource.ts"
import type { OpenRun } from "../run/OpenRun.ts"
import { type AppState, type ProjectState, startScreen, type World } from "../state/AppState.ts"
import type { Command, Intent } from "../state/Intent.ts"
import { update } from "../state/Update.ts"
import { wantedCells } from "../state/Wanted.ts"
import { type Line, line } from "../terminal/Line.ts"
import { frame } from "../view/Frame.ts"
import type { Size } from "../view/Layout.ts"
import { execute, load } from "./Execute.ts"
import { makeFrameClock } from "./FrameClock.ts"
import { type FrameStore, makeFrameStore } from "./FrameStore.ts"
import { makeLibrary } from "./Library.ts"

export interface ProgramOptions {
  readonly arena: ArenaSource
  readonly size: Size
  /** Puts text on the clipboard; false when it is too long. */
  readonly copy: (text: string) => boolean
  /** Shows a file in the desktop's own way; false where there is none. */
  readonly openFile: (path: string) => Effect.Effect<boolean>
  /** Builds the frame; another one than the screen's for reading aloud. */
  readonly view?: (state: AppState, world: World) => ReadonlyArray<Line>
}

export interface Program {
  readonly frames: FrameStore
  readonly dispatch: (intent: Intent) => void
  /** The frame stands on the screen. */
  readonly painted: () => void
  /** The terminal has this size now; everything is drawn again. */
  readonly resize: (size: Size) => void
  /** Completes when the person leaves, with the run that was executed last. */
  readonly left: Effect.Effect<OpenRun | null>
  /** The run that goes on here; null = none. */
  readonly liveRun: () => OpenRun | null
}

const firstState = (size: Size): AppState => ({
  size,
  screens: [startScreen],
  overlay: null,
  toast: null,
  liveRun: null,
  leaving: false
})

/** A screen that cannot be drawn is a defect of ours, and no reason to lose the run. */
const failedFrame = (error: unknown): ReadonlyArray<Line> => [
  line(" This screen could not be drawn.", "error"),
  line(` ${error instanceof Error ? error.message : String(error)}`, "muted"),
  line(" The run goes on. Esc goes back, q stops and leaves.", "muted")
]

export const makeProgram = (options: ProgramOptions): Effect.Effect<Program, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { arena, view = frame } = options
    const clock = yield* Clock.Clock
    const leave = yield* Deferred.make<void>()
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    let state = firstState(options.size)
    let project: ProjectState = { _tag: "Loading" }
    let history: ReadonlyArray<RunRecord> | null = null
    let lastLive: OpenRun | null = null
    let whole = true

    const frames = makeFrameStore({ lines: [], size: options.size, whole })
    const can = { resume: arena.resume !== null, retry: arena.retryCase !== null }
    const world = (): World => ({ now: clock.currentTimeMillisUnsafe(), project, can, history, run: library.get })
    const lines = (now: World) => {
      try {
        return view(state, now)
      } catch (error) {
        return failedFrame(error)
      }
    }
    const draw = (): void => {
      const now = world()
      for (const wanted of wantedCells(state, now)) fork(load(wanted, ticks.changed))
      frames.set({ lines: lines(now), size: state.size, whole })
      whole = false
    }
    const ticks = yield* makeFrameClock(draw)
    const library = yield* makeLibrary(ticks.changed)

    const dispatch = (intent: Intent): void => {
      const step = update(state, intent, world())
      state = step.state
      if (state.liveRun !== null) lastLive = library.get(state.liveRun) ?? lastLive
      for (const command of step.commands) carryOut(command)
      ticks.acted()
    }
    const readProject = Effect.map(
      Effect.match(arena.project, {
        onFailure: (problems): ProjectState => problems,
        onSuccess: (facts): ProjectState => ({ _tag: "Ready", facts })
      }),
      (read) => {
        project = read
        dispatch({ _tag: "ProjectRead" })
      }
    )
    const readHistory = Effect.map(arena.runs, (read) => {
      history = read
      ticks.changed()
    })
    const leaveNow = Effect.asVoid(Deferred.succeed(leave, undefined))
    const context = {
      arena,
      library,
      dispatch,
      changed: ticks.changed,
      readProject,
      readHistory,
      leave: leaveNow,
      copy: options.copy,
      openFile: options.openFile
    }
    const carryOut = (command: Command): void => {
      fork(execute(command, context))
    }

    yield* Effect.forkScoped(readProject)
    // A project matters on the start screen only; loading and checking it would disturb a run.
    const reload = Effect.suspend(() => (state.screens[0]._tag === "Start" ? readProject : Effect.void))
    yield* Effect.forkScoped(Stream.runForEach(arena.changes, () => reload))
    // Clocks and messages move on even when nothing happens.
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(1000), Effect.sync(ticks.changed))))
    ticks.acted()
    return {
      frames,
      dispatch,
      painted: ticks.painted,
      resize: (size) => {
        whole = true
        dispatch({ _tag: "Resize", size })
      },
      left: Effect.map(Deferred.await(leave), () => lastLive),
      liveRun: () => (state.liveRun === null ? null : (library.get(state.liveRun) ?? null))
    }
  })
