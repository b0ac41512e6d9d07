/** Shows a run on stderr while it goes on. Reads snapshots at its own pace; the run never waits for it. */
import type { RunEvent, RunSnapshot } from "@agent-arena/core/domain/RunEvent"
import type { RunHandle } from "@agent-arena/core/engine/RunHandle"
import { duration, plural, spend } from "@agent-arena/core/report/Figures"
import { stopClause } from "@agent-arena/core/report/ReportModel"
import { sanitiseLine } from "@agent-arena/core/report/Sanitise"
import { wrap } from "@agent-arena/core/report/TextTable"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { makeThroughput, rate, remainingMs, sample } from "../app/run/Throughput.ts"
import type { OutputChannel } from "../process/Output.ts"
import { bar, logLine, type Pace } from "./ProgressLine.ts"

const barInterval: Duration.Input = "120 millis"
/** How often the pace is measured, and every how many measurements a log gets a line: every five seconds. */
const logInterval: Duration.Input = "500 millis"
const lineEvery = 10

/** Erases the line that the cursor is on, and goes to its start. */
const clearLine = "\r\u001b[2K"

const makePace = () => {
  const throughput = makeThroughput()
  return ({ counts, elapsedMs }: RunSnapshot): Pace => {
    sample(throughput, elapsedMs, counts.finished)
    const perSecond = rate(throughput, elapsedMs, counts.finished)
    return { perSecond, remainingMs: remainingMs(perSecond, counts.planned - counts.finished - counts.interrupted) }
  }
}

/** Events worth lines of their own; the rest is in the figures. */
const remark = (event: RunEvent): ReadonlyArray<string> => {
  switch (event._tag) {
    case "RunStarted":
      return Object.entries(event.skipped).map(([key, reason]) => `skipping ${key}: ${reason}`)
    case "BudgetWarning": {
      const whose = event.contestant === null ? "the run" : event.contestant
      return [`budget of ${whose}: ${spend(event.spentUsd)} spent of ${spend(event.limitUsd)}`]
    }
    case "RunStopping": {
      const drain = `${plural(event.inFlight, "cell")} in flight may take up to ${duration(event.drainMs)}`
      const sooner = event.reason === "interrupted" ? "; Ctrl-C again ends them now" : ""
      return [`stopping because ${stopClause(event.reason)}; ${drain}${sooner}`]
    }
    default:
      return []
  }
}

const remarks = (handle: RunHandle): Stream.Stream<string> =>
  handle.events.pipe(
    Stream.flatMap((event) => Stream.fromIterable(remark(event))),
    Stream.map(sanitiseLine)
  )

/** A bar that is redrawn in place, with remarks scrolling away above it. */
const onTerminal = (handle: RunHandle, channel: OutputChannel): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const pace = makePace()
    const draw = Effect.flatMap(handle.snapshot, (snapshot) =>
      channel.write(`${clearLine}${bar(snapshot, pace(snapshot), channel.columns ?? 80)}`)
    )
    yield* Effect.addFinalizer(() => channel.write(clearLine))
    yield* Effect.forkScoped(Effect.repeat(draw, Schedule.spaced(barInterval)))
    yield* remarks(handle).pipe(
      Stream.runForEach((text) => channel.write(`${clearLine}${wrap(text, channel.columns, "  ").join("\n")}\n`)),
      Effect.forkScoped
    )
  })

/** A line every few seconds, for logs and CI. */
const asLog = (handle: RunHandle, channel: OutputChannel): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const pace = makePace()
    let measurements = 0
    const say = Effect.flatMap(handle.snapshot, (snapshot) => {
      const line = logLine(snapshot, pace(snapshot))
      return measurements++ % lineEvery === 0 && measurements > 1 ? channel.write(`${line}\n`) : Effect.void
    })
    yield* Effect.forkScoped(Effect.repeat(say, Schedule.spaced(logInterval)))
    yield* remarks(handle).pipe(
      Stream.runForEach((text) => channel.write(`${text}\n`)),
      Effect.forkScoped
    )
  })

/** Shows progress until the scope closes. */
export const show = (
  handle: RunHandle,
  channel: OutputChannel,
  mode: "bar" | "log" | "none"
): Effect.Effect<void, never, Scope.Scope> =>
  mode === "none" ? Effect.void : mode === "bar" ? onTerminal(handle, channel) : asLog(handle, channel)
