import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { RunId } from "../domain/Ids.ts"
import { eventVersion, type RunEvent } from "../domain/RunEvent.ts"

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

/** An event as the engine writes it; the hub adds version, sequence number, time and run id. */
export type RunEventBody = DistributiveOmit<RunEvent, "v" | "seq" | "at" | "runId">

/** Events that one slow subscriber may fall behind before it loses the oldest. */
const subscriberCapacity = 65_536

/**
 * Events kept for a subscriber that comes just after the start; who comes later gets the first event and the latest
 * notable ones, with gaps.
 */
const replayCapacity = 1_024

/** Notable events kept for who looks on now and then. */
const notableCapacity = 200

/** The latest events that are not merely a cell's beginning or end. */
export interface NotableEvents {
  /** The last ones, oldest first. */
  readonly events: ReadonlyArray<RunEvent>
  /** How many there were in all. */
  readonly told: number
}

/**
 * Fans events out to any number of readers, each behind its own bounded sliding buffer, so that none can slow the run.
 * Publishing is synchronous and does not allocate for cells that begin and end when nobody listens and the replay is over.
 */
export interface RunEventHub {
  readonly publish: (body: RunEventBody, at: number) => void
  /** `seq` of the last event. */
  readonly lastSeq: () => number
  readonly stream: Stream.Stream<RunEvent>
  readonly notable: () => NotableEvents
  /** Ends all streams after what they have buffered. */
  readonly end: () => void
}

/** The hub of one run. */
export const make = (runId: RunId): RunEventHub => {
  const subscribers = new Set<Queue.Queue<RunEvent, Cause.Done>>()
  const replay: Array<RunEvent> = []
  const recent: Array<RunEvent> = []
  let told = 0
  let seq = 0
  let ended = false

  const note = (event: RunEvent): void => {
    told += 1
    recent.push(event)
    // Dropping in blocks keeps the cost of an event constant.
    if (recent.length >= 2 * notableCapacity) recent.splice(0, notableCapacity)
  }

  const publish = (body: RunEventBody, at: number): void => {
    seq += 1
    const keep = seq <= replayCapacity
    if (!keep) replay.length = Math.min(replay.length, 1)
    const isNotable = body._tag !== "CellStarted" && body._tag !== "CellFinished"
    if (!keep && !isNotable && subscribers.size === 0) return
    const event: RunEvent = { v: eventVersion, seq, at, runId, ...body }
    if (isNotable) note(event)
    if (keep) replay.push(event)
    for (const queue of subscribers) Queue.offerUnsafe(queue, event)
  }

  /** What a new subscriber is told of what was before it. */
  const past = (): ReadonlyArray<RunEvent> =>
    seq <= replayCapacity
      ? replay
      : [...replay.slice(0, 1), ...recent.slice(-notableCapacity).filter((one) => one.seq > 1)]

  const subscribe = Effect.gen(function* () {
    const queue = yield* Queue.sliding<RunEvent, Cause.Done>(subscriberCapacity)
    for (const event of past()) Queue.offerUnsafe(queue, event)
    if (ended) Queue.endUnsafe(queue)
    else subscribers.add(queue)
    yield* Effect.addFinalizer(() => Effect.sync(() => subscribers.delete(queue)))
    return Stream.fromQueue(queue)
  })

  return {
    publish,
    lastSeq: () => seq,
    stream: Stream.unwrap(subscribe),
    notable: () => ({ events: recent.slice(-notableCapacity), told }),
    end: () => {
      ended = true
      for (const queue of subscribers) Queue.endUnsafe(queue)
      subscribers.clear()
    }
  }
}
