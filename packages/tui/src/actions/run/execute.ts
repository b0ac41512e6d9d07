import type { Project } from "@agent-arena/core/domain/Project"
import { Arena, type StartOptions } from "@agent-arena/core/engine/Arena"
import type { RunHandle } from "@agent-arena/core/engine/RunHandle"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { RunInput } from "../../commands/run.ts"
import { Output } from "../../process/Output.ts"
import { Shutdown } from "../../process/Shutdown.ts"
import { type SignalName, stopRequestOf } from "../../process/Signals.ts"
import * as Progress from "../../progress/Progress.ts"
import { openSink, writeEvents } from "./eventSink.ts"
import { takeWish } from "./stopRequest.ts"

/** How a run is shown while it goes on. */
export type Execution = Pick<RunInput, "events" | "label" | "quiet">

/** A signal that `arena stop` has sent brings a wish with it; any other means what it always means. */
const stopAsAsked = (handle: RunHandle, project: Project, name: SignalName): Effect.Effect<void> =>
  Effect.suspend(() => {
    const wish = name === "SIGINT" ? takeWish(project.output.db, handle.id) : null
    if (wish === null) return handle.stop(stopRequestOf(name))
    return wish.now ? handle.stopNow("cancelled") : handle.stop("cancelled")
  })

/** Runs to the end, with signals, progress and events connected. `written` waits for the last event in its file. */
export const execute = Effect.fnUntraced(function* (project: Project, input: Execution, options: StartOptions) {
  const { stderr } = yield* Output
  const shutdown = yield* Shutdown
  const sink = Option.isSome(input.events) ? yield* openSink(input.events.value) : null
  const label = Option.isSome(input.label) ? { label: input.label.value } : {}
  const handle: RunHandle = yield* Arena.start(project, { ...options, ...label })
  yield* shutdown.register({
    stop: (name) => stopAsAsked(handle, project, name),
    stopNow: (name) => handle.stopNow(stopRequestOf(name)),
    fail: (message) => handle.stop(`error: ${message}`),
    termDrainMs: project.run.termDrainS * 1000
  })
  const written = sink === null ? Effect.void : yield* writeEvents(handle, sink)
  const mode = input.quiet ? "none" : stderr.isTerminal && process.env["CI"] === undefined ? "bar" : "log"
  const report = yield* Effect.scoped(Effect.andThen(Progress.show(handle, project, stderr, mode), handle.result))
  return { report, written }
})
