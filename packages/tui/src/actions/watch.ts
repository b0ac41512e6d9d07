import { sanitise } from "@agent-arena/core/report/Sanitise"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { WatchInput } from "../commands/watch.ts"
import { CommandError, ExitStatus } from "../process/Failure.ts"
import { Output } from "../process/Output.ts"
import { Shutdown } from "../process/Shutdown.ts"
import { type SignalName, signalExitCode } from "../process/Signals.ts"
import { engine } from "./engine.ts"
import { tick } from "./watch/tick.ts"

const usage = (message: string) => new CommandError({ kind: "usage", message, suggestion: null })

const checkFlags = ({ history, interval }: WatchInput): Effect.Effect<void, CommandError> => {
  if (history < 1) return Effect.fail(usage(`--history ${history}: at least 1 earlier run`))
  return interval < 0 ? Effect.fail(usage(`--interval ${interval}: a time cannot be negative`)) : Effect.void
}

/** Waits between two runs; a signal ends the wait and is returned. */
const rest = (seconds: number): Effect.Effect<SignalName | null, never, Shutdown> =>
  Effect.gen(function* () {
    const shutdown = yield* Shutdown
    const told = yield* Deferred.make<SignalName>()
    const hear = (name: SignalName) => Effect.asVoid(Deferred.succeed(told, name))
    yield* shutdown.register({ stop: hear, stopNow: hear, termDrainMs: 0 })
    return yield* Effect.raceFirst(Effect.as(Effect.sleep(seconds * 1000), null), Deferred.await(told))
  }).pipe(Effect.scoped)

/** A round that fails is told; the next one may find the project mended. */
const tolerant = (input: WatchInput) =>
  Effect.catch(tick(input), (error) =>
    Effect.gen(function* () {
      const { stderr } = yield* Output
      yield* stderr.write(`${stderr.style.bad("error")} ${sanitise(error.message)}\n`)
      return 1
    })
  )

/** Codes that end a loop: a gate that is not met, and signals. */
const endsLoop = (code: number): boolean => code === 2 || code === 124 || code === 130

/** The first round must work; later ones may fail. */
const loop = Effect.fnUntraced(function* (input: WatchInput) {
  let code = yield* tick(input)
  while (!endsLoop(code)) {
    const signal = yield* rest(input.interval)
    if (signal !== null) return signalExitCode[signal]
    code = yield* tolerant(input)
  }
  return code
})

/** `arena watch`. */
export const watchProject = (input: WatchInput) =>
  Effect.gen(function* () {
    yield* checkFlags(input)
    const code = yield* input.loop ? loop(input) : tick(input)
    if (code !== 0) return yield* new ExitStatus({ code })
  }).pipe(Effect.provide(engine))
