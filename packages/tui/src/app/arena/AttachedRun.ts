/**
 * A run that another process executes right now. What is finished comes from its store, which is read from where it was
 * read last; what is in flight, its retries, waits and pauses come from its live file, where there is one that can be
 * believed.
 */
import type { CallResult, Cell } from "@agent-arena/core/domain/CallResult"
import type { RankingRules } from "@agent-arena/core/domain/Project"
import type { RunRecord } from "@agent-arena/core/domain/Run"
import type { RunEvent } from "@agent-arena/core/domain/RunEvent"
import { makeLiveReader } from "@agent-arena/core/engine/live/LiveReader"
import type { LiveDocument } from "@agent-arena/core/engine/live/LiveState"
import * as Measurements from "@agent-arena/core/ranking/Measurements"
import type { NewResults, ResultCursor, ResultStore, RunPulse } from "@agent-arena/core/store/ResultStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import type { Refusal } from "../run/RunSource.ts"
import { refuse } from "./LiveSource.ts"
import { makeRetelling } from "./Retelling.ts"

type Store = ResultStore["Service"]
type NewResult = NewResults["results"][number]

/**
 * How often the run is looked at, ms, and how much of the time that may take; at the latest after `mostMs`, because what
 * is new only grows meanwhile.
 */
const lookMs = 250
const lookShare = 20
const mostMs = 1_000

/** A reader that takes in at most this many events at once is not told that they come too fast. */
const gathering = 300
const mostPerLook = 2_000

/** A run writes its live file within this time after its start, ms, and is looked at this often until then. */
const youngMs = 1_500
const youngLookMs = 50

export interface AttachedRun {
  readonly measured: Measurements.Measurements
  /** Takes in what is new in the store. */
  readonly read: Effect.Effect<void, Refusal>
  /** What happens from now on; ends with the run. */
  readonly events: Stream.Stream<RunEvent, Refusal>
  /** The live file as it was read last; null = there is none, or none to be believed. */
  readonly live: () => LiveDocument | null
}

const keyOf = ({ caseId, contestant, trial }: Cell): string => `${contestant}\n${caseId}\n${trial}`

/** Whether an outcome of an earlier part is asked again by the present one, and so does not stand for now. */
const askedAgain = (repeat: LiveDocument["repeat"]): ((result: CallResult) => boolean) => {
  if (repeat === null) return () => false
  const cases = new Set<string>(repeat.cases)
  const cells = new Set(repeat.cells.map(keyOf))
  return (result) =>
    result.stopReason === "run_stopped" ||
    (repeat.errors && result.status === "error") ||
    (repeat.failed && result.passed === false) ||
    cases.has(result.caseId) ||
    cells.has(keyOf(result))
}

/** What the store holds, read into the table that ranking reads. */
const makeResults = (store: Store, record: RunRecord, rules: RankingRules) => {
  const measured = Measurements.make(rules)
  /** Outcomes of before that are asked again; they stand where nothing comes of that. */
  const held = new Map<string, CallResult>()
  let cursor: ResultCursor | null = null
  const takeIn = ({ result, segment }: NewResult, present: number, again: (result: CallResult) => boolean): boolean => {
    const key = keyOf(result)
    if (segment < present && again(result)) {
      held.set(key, result)
      return false
    }
    held.delete(key)
    measured.add(result)
    return true
  }
  return {
    measured,
    /** Reads on, and hands out what is new but for what was there when it was read first. */
    read: (pulse: RunPulse | null, live: LiveDocument | null, fresh: (found: NewResult) => void) =>
      Effect.gen(function* () {
        const again = askedAgain(live?.repeat ?? null)
        const isFirst = cursor === null
        let more = true
        while (more) {
          const page: NewResults | null = yield* Effect.mapError(store.resultsAfter(record.runId, cursor), refuse)
          if (page === null) return
          for (const found of page.results) {
            if (takeIn(found, pulse?.segment ?? 0, again) && !isFirst) fresh(found)
          }
          cursor = page.cursor
          more = page.more
        }
      }),
    /** The run is over: what was not asked again after all stands. */
    release: (): void => {
      for (const result of held.values()) measured.add(result)
      held.clear()
    }
  }
}

/** Small enough pieces for a reader that is to follow one by one; all at once where that would be in vain. */
const inPieces = (events: ReadonlyArray<RunEvent>): Stream.Stream<RunEvent> =>
  events.length > mostPerLook ? Stream.fromArray(events) : Stream.fromIterable(events, { chunkSize: gathering })

export const attachedRun = (store: Store, record: RunRecord, rules: RankingRules): Effect.Effect<AttachedRun> =>
  Effect.gen(function* () {
    const results = makeResults(store, record, rules)
    const readLive = makeLiveReader(store.path, record.runId)
    const retelling = makeRetelling(record.runId)
    // The screen reads outcomes while the events are watched; both read on from the same place.
    const alone = yield* Semaphore.make(1)
    let live: LiveDocument | null = null

    const look = Effect.gen(function* () {
      const pulse = yield* Effect.mapError(store.pulse(record.runId), refuse)
      live = pulse === null ? null : readLive(pulse)
      return pulse
    })

    /** What is asked again is known from the live file only: it is worth a moment before outcomes of before are shown. */
    const lookFirst = Effect.gen(function* () {
      let pulse = yield* look
      const young = (now: number) => now - Date.parse(pulse?.partStartedAt ?? "") < youngMs
      while (pulse?.liveness === "alive" && pulse.continues && live === null && young(yield* Clock.currentTimeMillis)) {
        yield* Effect.sleep(youngLookMs)
        pulse = yield* look
      }
      return pulse
    })
    let isFirst = true

    /** The live file first: what ends while it is read is in the store by then. Tells whether the run is over, and what reading cost. */
    const readOn = Effect.gen(function* () {
      const pulse = yield* isFirst ? lookFirst : look
      isFirst = false
      const start = yield* Clock.currentTimeMillis
      yield* results.read(pulse, live, ({ result, segment }) =>
        retelling.finished(result, segment < (pulse?.segment ?? segment))
      )
      const over = pulse?.liveness !== "alive"
      if (over) results.release()
      return { over, cost: (yield* Clock.currentTimeMillis) - start }
    })
    const read = alone.withPermits(1)(readOn)

    const lookOn = Effect.gen(function* () {
      const { cost, over } = yield* read
      return { events: retelling.take(live, yield* Clock.currentTimeMillis), over, cost }
    })
    const pause = (cost: number) => Effect.sleep(Math.min(mostMs, Math.max(lookMs, cost * lookShare)))
    return {
      measured: results.measured,
      read: Effect.asVoid(read),
      events: Stream.fromEffectRepeat(lookOn).pipe(
        Stream.takeUntil(({ over }) => over),
        Stream.flatMap(({ cost, events, over }) =>
          over ? inPieces(events) : Stream.concat(inPieces(events), Stream.fromEffectDrain(pause(cost)))
        )
      ),
      live: () => live
    }
  })
