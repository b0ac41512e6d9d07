/** The running program: the state machine, the open runs and the frames, tied together. */
import type { RunRecord } from "@agent-arena/core/domain/Run"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ArenaSource } from "../run/ArenaSource.ts"
import type { OpenRun } from "../run/OpenRun.ts"
import { type AppState, type ProjectState, shownRuns, startScreen, type World } from "../state/AppState.ts"
import type { Intent } from "../state/Intent.ts"
import { update } from "../state/Update.ts"
import { wantedCells } from "../state/Wanted.ts"
import { type Line, line } from "../terminal/Line.ts"
import { frame } from "../view/Frame.ts"
import type { Size } from "../view/Layout.ts"
import { type ExecuteContext, execute, load } from "./Execute.ts"
import { makeFrameClock } from "./FrameClock.ts"
import { type FrameStore, makeFrameStore } from "./FrameStore.ts"
import { makeLibrary } from "./Library.ts"

type View = (state: AppState, world: World) => ReadonlyArray<Line>

export interface ProgramOptions {
  readonly arena: ArenaSource
  readonly size: Size
  /** Puts text on the clipboard; false when it is too long. */
  readonly copy: (text: string) => boolean
  /** Shows a file in the desktop's own way; false where there is none. */
  readonly openFile: (path: string) => Effect.Effect<boolean>
  /** Builds the frame; another one than the screen's for reading aloud. */
  readonly view?: View
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

/** What the program holds between two keys. */
interface Held {
  state: AppState
  project: ProjectState
  history: ReadonlyArray<RunRecord> | null
  historyProblem: string | null
  /** The run that was executed last. */
  lastLive: OpenRun | null
  /** Whether the terminal's content is not to be trusted. */
  whole: boolean
}

/** Reads the project and the history; what was read is held, and the screen is told. */
const readers = (arena: ArenaSource, held: Held, dispatch: (intent: Intent) => void, changed: () => void) => ({
  readProject: Effect.map(
    Effect.match(arena.project, {
      onFailure: (problems): ProjectState => problems,
      onSuccess: (facts): ProjectState => ({ _tag: "Ready", facts })
    }),
    (read) => {
      held.project = read
      dispatch({ _tag: "ProjectRead" })
    }
  ),
  readHistory: Effect.match(arena.runs, {
    onFailure: ({ message }) => {
      held.historyProblem = message
      changed()
    },
    onSuccess: (read) => {
      held.history = read
      held.historyProblem = null
      changed()
    }
  })
})

/** What goes on by itself: the project is followed on the start screen, clocks and messages move on. */
const background = (
  arena: ArenaSource,
  held: Held,
  readProject: Effect.Effect<void>,
  changed: () => void
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    yield* Effect.forkScoped(readProject)
    // A project matters on the start screen only; loading and checking it would disturb a run.
    const reload = Effect.suspend(() => (held.state.screens[0]._tag === "Start" ? readProject : Effect.void))
    yield* Effect.forkScoped(Stream.runForEach(arena.changes, () => reload))
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(1000), Effect.sync(changed))))
  })

const linesOf = (view: View, state: AppState, world: World): ReadonlyArray<Line> => {
  try {
    return view(state, world)
  } catch (error) {
    return failedFrame(error)
  }
}

export const makeProgram = (options: ProgramOptions): Effect.Effect<Program, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { arena, size, view = frame } = options
    const clock = yield* Clock.Clock
    const leave = yield* Deferred.make<void>()
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    const held: Held = {
      state: firstState(size),
      project: { _tag: "Loading" },
      history: null,
      historyProblem: null,
      lastLive: null,
      whole: true
    }
    const frames = makeFrameStore({ lines: [], size, whole: true })
    const can = { resume: arena.resume !== null, retry: arena.retryCell !== null }
    const world = (): World => {
      const { project, history, historyProblem } = held
      return { now: clock.currentTimeMillisUnsafe(), project, can, history, historyProblem, run: library.get }
    }
    const draw = (): void => {
      const now = world()
      for (const wanted of wantedCells(held.state, now)) fork(load(wanted, ticks.changed))
      frames.set({ lines: linesOf(view, held.state, now), size: held.state.size, whole: held.whole })
      held.whole = false
    }
    const ticks = yield* makeFrameClock(draw)
    const library = yield* makeLibrary(ticks.changed)
    const dispatch = (intent: Intent): void => {
      const { state, commands } = update(held.state, intent, world())
      held.state = state
      if (state.liveRun !== null) held.lastLive = library.get(state.liveRun) ?? held.lastLive
      for (const command of commands) fork(execute(command, context))
      if (intent._tag === "RunOpened" || intent._tag === "Compared") fork(library.tidy(shownRuns(state)))
      ticks.acted()
    }
    const { changed, painted } = ticks
    const reads = readers(arena, held, dispatch, changed)
    const { copy, openFile } = options
    const leaveNow = Effect.asVoid(Deferred.succeed(leave, undefined))
    const context: ExecuteContext = { arena, library, dispatch, changed, ...reads, leave: leaveNow, copy, openFile }
    yield* background(arena, held, reads.readProject, changed)
    ticks.acted()
    return {
      frames,
      dispatch,
      painted,
      resize: (next) => {
        held.whole = true
        dispatch({ _tag: "Resize", size: next })
      },
      left: Effect.map(Deferred.await(leave), () => held.lastLive),
      liveRun: () => (held.state.liveRun === null ? null : (library.get(held.state.liveRun) ?? null))
    }
  })
