import type { RunEvent } from "@agent-arena/core/domain/RunEvent"
import { eventVersion } from "@agent-arena/core/domain/RunEvent"
import type { RunSource } from "@agent-arena/tui/src/app/run/RunSource.ts"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { makeRules } from "./Rules.ts"
import { type SimulationOptions, simulatedEvents, simulatedRunId } from "./SimulatedRun.ts"

/** A source that plays a simulated run at `perSecond` events a second of the clock. */
export const simulatedSource = (options: SimulationOptions & { readonly perSecond: number }): RunSource => {
  const rules = makeRules(options)
  const gate = Latch.makeUnsafe(true)
  const injected = Effect.runSync(Queue.unbounded<RunEvent>())
  const say = (tag: "RunPaused" | "RunResumed") =>
    Queue.offer(injected, { _tag: tag, v: eventVersion, seq: 0, at: Date.now(), runId: simulatedRunId })
  const batch = Math.max(1, Math.round(options.perSecond / 50))
  const played = Stream.fromIterable(simulatedEvents(options), { chunkSize: batch }).pipe(
    Stream.chunks,
    Stream.mapEffect((events) =>
      Effect.as(Effect.andThen(gate.await, Effect.sleep((1000 * events.length) / options.perSecond)), events)
    ),
    Stream.flatMap((events) => Stream.fromIterable(events.map((event) => ({ ...event, at: Date.now() }))))
  )
  return {
    facts: {
      id: simulatedRunId,
      project: "support_triage",
      rules,
      startedAt: options.startedAt,
      kind: "live",
      budgetUsd: 5,
      drainMs: 30_000
    },
    outcomes: Stream.empty,
    events: Stream.merge(played, Stream.fromQueue(injected), { haltStrategy: "left" }),
    ending: Effect.succeed({ status: "completed", stopReason: "completed" }),
    rank: () => Effect.succeed(null),
    leaderboard: Effect.succeed(null),
    result: () => Effect.succeed(null),
    testCase: () => null,
    controls: {
      pause: Effect.asVoid(Effect.andThen(gate.close, say("RunPaused"))),
      resume: Effect.asVoid(Effect.andThen(gate.open, say("RunResumed"))),
      stop: () => Effect.void,
      stopNow: () => Effect.void,
      cancelCell: () => Effect.succeed(false)
    }
  }
}
