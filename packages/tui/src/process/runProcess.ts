import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import { conclude } from "./Ending.ts"
import * as NodeOutput from "./NodeOutput.ts"
import type { Output } from "./Output.ts"
import * as Shutdown from "./Shutdown.ts"
import { initialSignalState, onSignal, type SignalName, type SignalSource, signalExitCode } from "./Signals.ts"
import { listen as listenForStrays } from "./StrayFailure.ts"

/** Longest time between TERM and the end of the process, beyond the run's own drain, ms. */
const termGraceMs = 4500
const defaultTermDrainMs = 5000

interface Connected {
  readonly first: () => SignalName | null
  /** Ends the program as TERM does, without a signal. */
  readonly end: () => void
  readonly disconnect: () => void
}

/** Connects the signals to whatever can be ended: the registered run, else the program's main fiber. */
const connect = (
  source: SignalSource,
  fiber: Fiber.Fiber<unknown, unknown>,
  slot: Shutdown.StoppableSlot
): Connected => {
  let state = initialSignalState
  const exit = () => process.exit(signalExitCode[state.first ?? "SIGINT"])
  const after = (ms: number, act: () => void) => setTimeout(act, ms).unref()
  const interrupt = (name: SignalName) => {
    if (slot.current === null) fiber.interruptUnsafe(fiber.id)
    else Effect.runFork(slot.current.stopNow(name))
  }
  const stop = (name: SignalName) => {
    if (slot.current === null) fiber.interruptUnsafe(fiber.id)
    else Effect.runFork(slot.current.stop(name))
  }
  source.listener = (name) => {
    const [next, action] = onSignal(state, name)
    state = next
    const drainMs = slot.current?.termDrainMs ?? defaultTermDrainMs
    if (action === "stop") stop(name)
    if (action === "hurry") after(drainMs, () => interrupt(name))
    if (action === "interrupt") interrupt(name)
    if (action === "exit") exit()
    // A finalizer that hangs must not outlast the patience of whoever sent TERM.
    if (state.stage === "hurrying") after(drainMs + termGraceMs, exit)
  }
  return {
    first: () => state.first,
    end: () => stop("SIGTERM"),
    disconnect: () => {
      source.listener = (name) => process.exit(signalExitCode[state.first ?? name])
    }
  }
}

/**
 * Runs the program as the process: signals end it in order, how it ended is told, everything written is flushed, and
 * the process leaves with the exit code even when something abandoned still holds a handle.
 */
export const runProcess = <E>(
  program: (services: {
    readonly output: Output["Service"]
    readonly shutdown: Shutdown.Shutdown["Service"]
    /** The signal that has begun the end; null = none has come. */
    readonly signal: () => SignalName | null
  }) => Effect.Effect<void, E>,
  options: { readonly argv: ReadonlyArray<string>; readonly signals: SignalSource }
): void => {
  const { flush, output } = NodeOutput.make(options.argv)
  const slot: Shutdown.StoppableSlot = { current: null }
  let signal: () => SignalName | null = () => null
  const runMain = Runtime.makeRunMain(({ fiber }) => {
    const signals = connect(options.signals, fiber, slot)
    signal = signals.first
    const strays = listenForStrays((message) => {
      const fail = slot.current?.fail
      if (fail === undefined) signals.end()
      else Effect.runFork(fail(message))
    })
    fiber.addObserver((exit) => {
      signals.disconnect()
      const json = options.argv.includes("--json")
      const ending = conclude(exit, { output, json, signal: signals.first(), stray: strays.first() })
      void Effect.runPromise(ending).then((code) =>
        flush((failure) => {
          if (failure === null) process.exit(code)
          process.stderr.write(`error the result could not be written to stdout: ${failure}\n`, () =>
            process.exit(code || 1)
          )
        })
      )
    })
  })
  const services = { output, shutdown: Shutdown.make(slot), signal: () => signal() }
  runMain(program(services), { disableErrorReporting: true })
}
