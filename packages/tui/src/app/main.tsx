/** The live terminal UI as one Effect: mounts the screen, runs the program, gives the terminal back. */
import type { StopRequest } from "@agent-arena/core/domain/Run"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { render } from "ink"
import { Screen } from "./component/Screen.tsx"
import type { ArenaSource } from "./run/ArenaSource.ts"
import type { StopWish } from "./run/RunSource.ts"
import { exitCodeOf, farewellLines, farewellText } from "./runtime/Farewell.ts"
import { openFile } from "./runtime/OpenFile.ts"
import { enterPainting, leavePainting, makePainter } from "./runtime/Painter.ts"
import { makeProgram, type Program } from "./runtime/Program.ts"
import { type Capabilities, capabilities } from "./terminal/Capabilities.ts"
import { clipboardSequence } from "./terminal/Clipboard.ts"
import { followSuspension } from "./terminal/Suspension.ts"
import type { Background } from "./terminal/Theme.ts"
import { makeTheme } from "./terminal/Theme.ts"
import { spokenFrame } from "./view/Spoken.ts"

type SignalName = "SIGINT" | "SIGTERM" | "SIGHUP"

/** What a signal from outside does to the program while it shows. */
export interface Stoppable {
  readonly stop: (name: SignalName) => Effect.Effect<void>
  readonly stopNow: (name: SignalName) => Effect.Effect<void>
  readonly termDrainMs: number
  /** Ends in order because something broke that nobody handles. */
  readonly fail: (message: string) => Effect.Effect<void>
}

export interface AppOptions {
  readonly arena: ArenaSource
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly env: Readonly<Record<string, string | undefined>>
  /** Only printable ASCII is written; else decided from the locale. */
  readonly ascii?: boolean
  /** Else decided from `COLORFGBG`. */
  readonly background?: Background
  /** Where signals are announced from, for as long as the program shows. */
  readonly onSignals?: (stoppable: Stoppable) => Effect.Effect<void, never, Scope.Scope>
}

/** What the drain after SIGTERM is while no run goes on, ms. */
const defaultTermDrainMs = 5000

const signalReason = (name: SignalName): StopRequest => (name === "SIGINT" ? "interrupted" : "deadline")
const signalCode: Readonly<Record<SignalName, number>> = { SIGINT: 130, SIGTERM: 124, SIGHUP: 124 }

const sizeOf = (stdout: NodeJS.WriteStream) => ({ width: stdout.columns || 80, height: stdout.rows || 24 })

/** Shows the program until it is left; the terminal is restored when the scope closes, whichever way. */
const mount = (program: Program, options: AppOptions, can: Capabilities) => {
  const { stdin, stdout } = options
  const painter = can.screenReader ? null : makePainter(makeTheme(can.depth, can.background), can.ascii)
  const resized = () => program.resize(sizeOf(stdout))
  const write = (bytes: string) => {
    stdout.write(bytes)
  }
  const screen = (
    <Screen
      store={program.frames}
      painter={painter}
      onKey={(key) => program.dispatch({ _tag: "Key", key })}
      onPaste={(text) => program.dispatch({ _tag: "Paste", text })}
      onResize={resized}
      onPainted={program.painted}
      write={write}
    />
  )
  return Effect.acquireRelease(
    Effect.sync(() =>
      render(screen, {
        stdin,
        stdout,
        alternateScreen: !can.screenReader,
        exitOnCtrlC: false,
        patchConsole: false,
        interactive: true,
        isScreenReaderEnabled: can.screenReader
      })
    ),
    (app) =>
      Effect.promise(async () => {
        app.unmount()
        await app.waitUntilExit().catch(() => undefined)
      })
  )
}

/** What Ink switches on when it mounts on the alternate screen: that screen, pasting as one piece, no cursor. */
const enterScreen = "\u001b[?1049h\u001b[?25l"
const leaveScreen = "\u001b[?25h\u001b[?1049l"
const enterPaste = "\u001b[?2004h"
const leavePaste = "\u001b[?2004l"

/** Gives the terminal to the shell while the process is stopped, and takes it back afterwards. */
const suspension = (program: Program, { stdin, stdout }: AppOptions, can: Capabilities) => ({
  leave: () => {
    stdout.write(leavePaste + (can.screenReader ? "" : leavePainting + leaveScreen))
    stdin.setRawMode(false)
  },
  enter: () => {
    // The shell has changed the mode behind Node's back: only a change is passed on to the terminal.
    stdin.setRawMode(false)
    stdin.setRawMode(true)
    stdout.write(enterPaste + (can.screenReader ? "" : enterScreen + enterPainting))
    program.resize(sizeOf(stdout))
  }
})

/** What the program does when its process is told to end. A signal that brings a wish with it means the wish. */
const signalHandler = (program: Program, noted: (name: SignalName) => void): Stoppable => {
  const controls = () => program.liveRun()?.source.controls ?? null
  const wishOf = (name: SignalName): StopWish | null => (name === "SIGINT" ? (controls()?.takeWish?.() ?? null) : null)
  const leave = Effect.sync(() => program.dispatch({ _tag: "Signalled" }))
  return {
    stop: (name) =>
      Effect.suspend(() => {
        const wish = wishOf(name)
        if (wish === null) noted(name)
        const reason = wish === null ? signalReason(name) : "cancelled"
        const stopped = wish?.now === true ? controls()?.stopNow(reason) : controls()?.stop(reason)
        return Effect.andThen(stopped ?? Effect.void, leave)
      }),
    stopNow: (name) =>
      Effect.suspend(() => {
        const reason = wishOf(name) === null ? signalReason(name) : "cancelled"
        return controls()?.stopNow(reason) ?? Effect.void
      }),
    get termDrainMs() {
      return program.liveRun()?.source.facts.termDrainMs ?? defaultTermDrainMs
    },
    fail: (message) =>
      Effect.suspend(() => {
        program.dispatch({ _tag: "Say", text: message, level: "error" })
        return Effect.andThen(controls()?.stop(`error: ${message}`) ?? Effect.void, leave)
      })
  }
}

/**
 * Runs the terminal UI until the person leaves. Succeeds with the exit code: that of the run that was executed, 124 or
 * 130 after a signal, 1 without a terminal.
 */
export const runApp = (options: AppOptions): Effect.Effect<number> => {
  const { env, stderr, stdin, stdout } = options
  if (!stdout.isTTY || !stdin.isTTY) {
    stderr.write("arena tui needs a terminal on stdin and stdout; without one use: arena run PROJECT\n")
    return Effect.succeed(1)
  }
  if (env["TERM"] === "dumb") {
    stderr.write("arena tui cannot draw on this terminal (TERM=dumb); use: arena run PROJECT\n")
    return Effect.succeed(1)
  }
  const can = capabilities(env, options)
  const copy = (text: string): boolean => {
    const sequence = clipboardSequence(text, (env["TMUX"] ?? "") !== "")
    if (sequence !== null) stdout.write(sequence)
    return sequence !== null
  }
  const signals: { first: SignalName | null } = { first: null }
  const shown = Effect.gen(function* () {
    const size = sizeOf(stdout)
    const program = yield* makeProgram({
      arena: options.arena,
      size,
      copy,
      openFile: (path) => openFile(path, env),
      ...(can.screenReader ? { view: spokenFrame } : {})
    })
    yield* options.onSignals?.(
      signalHandler(program, (name) => {
        signals.first ??= name
      })
    ) ?? Effect.void
    yield* mount(program, options, can)
    yield* followSuspension(suspension(program, options, can))
    return yield* program.left
  })
  return Effect.map(Effect.scoped(shown), (run) => {
    const theme = makeTheme(can.depth, can.background)
    if (run !== null) stdout.write(farewellText(farewellLines(run, sizeOf(stdout).width), theme, can.ascii))
    return signals.first === null ? exitCodeOf(run) : signalCode[signals.first]
  })
}
