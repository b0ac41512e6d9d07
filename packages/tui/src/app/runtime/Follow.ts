/** Keeps the model of an open run up to date from its source: what was before, what happens, how it ranks. */
import type { RunEvent, RunSnapshot } from "@agent-arena/core/domain/RunEvent"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { baseState, Queued, Running } from "../run/CellState.ts"
import { catchUp, finishedCells, fold, recordOutcome, setState, stopListening } from "../run/Fold.ts"
import type { OpenRun } from "../run/OpenRun.ts"
import { cellIndex, countOf, type RunModel, stateOf } from "../run/RunModel.ts"
import type { Refusal } from "../run/RunSource.ts"
import { sample } from "../run/Throughput.ts"

/** Who else wants to know. */
export interface Ears {
  /** Called with each event that is heard. */
  readonly heard?: (event: RunEvent) => void
  /** Called with the run as a whole while nobody listens. */
  readonly seen?: (snapshot: RunSnapshot) => void
}

/** Reads the outcomes that there are. Reading them twice changes nothing. */
export const readOutcomes = ({ model, source }: OpenRun): Effect.Effect<void, Refusal> =>
  source.readOutcomes((contestant, caseIndex, trial, state, score, latency, cost, prompt, completion) => {
    const cell = cellIndex(model, caseIndex, contestant, trial)
    recordOutcome(model, cell, state, score, latency, cost, prompt, completion)
  })

/** Takes over how the run as a whole stands, where that is known. */
const lookAtWhole = ({ model, source }: OpenRun): Effect.Effect<RunSnapshot | null> =>
  Effect.map(source.snapshot ?? Effect.succeed(null), (whole) => {
    if (whole !== null) catchUp(model, whole)
    return whole
  })

/** Ranks what is known and makes up for lost events, for at most a hundredth of the time. */
const keepUp = (run: OpenRun, changed: () => void): Effect.Effect<void, Refusal> =>
  Effect.gen(function* () {
    let ranked = -1
    let { gaps } = run.model
    while (run.model.phase !== "finished") {
      const start = yield* Clock.currentTimeMillis
      if (ranked !== run.model.version) {
        ranked = run.model.version
        if (gaps !== run.model.gaps) {
          gaps = run.model.gaps
          yield* readOutcomes(run)
        }
        // What started while nobody listened is never marked as running.
        if (gaps > 0) yield* lookAtWhole(run)
        run.leaderboard = yield* Effect.orElseSucceed(
          run.source.rank(run.source.facts.rules, "quick"),
          () => run.leaderboard
        )
        changed()
      }
      const cost = (yield* Clock.currentTimeMillis) - start
      yield* Effect.sleep(Math.max(1000, cost * 100))
    }
  })

/** What is still marked as running after the end has no record: it was never kept, so it counts as not started. */
const settleRunning = (model: RunModel): void => {
  if (countOf(model.total, Running) === 0) return
  for (let cell = 0; cell < model.states.length; cell++) {
    if (baseState(stateOf(model, cell)) === Running) setState(model, cell, Queued)
  }
}

const finish = (run: OpenRun, changed: () => void): Effect.Effect<void, Refusal> =>
  Effect.gen(function* () {
    const ending = yield* run.source.ending
    run.model.ending ??= ending
    run.endMark = ending?.mark ?? null
    run.model.finishedAt ??= ending?.finishedAt ?? (yield* Clock.currentTimeMillis)
    run.model.phase = "finished"
    run.model.inFlight = null
    yield* readOutcomes(run)
    settleRunning(run.model)
    const stored = yield* run.source.leaderboard
    run.leaderboard = stored ?? (yield* run.source.rank(run.source.facts.rules, "full"))
    run.final = stored !== null
    changed()
  })

/**
 * Events gather in their buffer for this long before they are taken, ms: waking a reader for each of them would cost the
 * engine more than the events themselves.
 */
const gatherMs = 33

/** More events than this in several gatherings in a row are not followed one by one: 9,000 a second. */
const manyEvents = 300
const fullGatherings = 3

/** How long nobody listens then, ms, and how often the outcomes are read meanwhile. */
const deafMs = 1000
const readsWhileDeaf = 4

/** Listening ended because there is too much to listen to. */
class TooMany extends Data.TaggedError("TooMany")<Record<never, never>> {}

/**
 * Takes events in until the run ends; fails when they come too fast. The first time that takes several gatherings to say;
 * then the first one with events of its own (what comes at once is the beginning of the run, told again) is enough.
 */
const listen = (
  run: OpenRun,
  changed: () => void,
  { heard }: Ears,
  again: boolean
): Effect.Effect<void, Refusal | TooMany> => {
  let full = again ? fullGatherings + 1 : 0
  return Stream.runForEachArray(run.source.events, (batch) =>
    Effect.suspend(() => {
      for (const event of batch) {
        // A reader that comes back is told the beginning again.
        if (event.seq > run.model.lastSeq) heard?.(event)
        fold(run.model, event)
      }
      changed()
      full = batch.length > manyEvents ? full + 1 : Math.max(0, full - 1)
      if (run.model.phase === "finished") return Effect.void
      return full > fullGatherings ? Effect.fail(new TooMany()) : Effect.sleep(gatherMs)
    })
  )
}

/** What is known without events: outcomes, and how the run as a whole stands. */
const lookAround = (run: OpenRun, changed: () => void, { seen }: Ears): Effect.Effect<void, Refusal> =>
  Effect.gen(function* () {
    yield* Effect.sleep(deafMs / readsWhileDeaf)
    yield* readOutcomes(run)
    const whole = yield* lookAtWhole(run)
    if (whole !== null) seen?.(whole)
    sample(run.model.throughput, yield* Clock.currentTimeMillis, finishedCells(run.model.total))
    changed()
  })

/**
 * Listens, and while events come faster than anybody could read them, listens for a tenth of the time only: an engine
 * that nobody listens to does not even make its events. What was missed is read from the outcomes.
 */
const attend = (run: OpenRun, changed: () => void, ears: Ears): Effect.Effect<void, Refusal> =>
  Effect.gen(function* () {
    const toTheEnd = (again: boolean) =>
      Effect.as(listen(run, changed, ears, again), true).pipe(Effect.catchTag("TooMany", () => Effect.succeed(false)))
    let ended = yield* toTheEnd(false)
    while (!ended) {
      stopListening(run.model, yield* Clock.currentTimeMillis)
      // Once every cell has its outcome there is little left to hear, and the end should not be heard late.
      for (let read = 0; read < readsWhileDeaf && finishedCells(run.model.total) < run.model.planned; read++)
        yield* lookAround(run, changed, ears)
      ended = yield* toTheEnd(true)
    }
  })

/** Runs until the run is over and everything about it is known. */
export const follow = (run: OpenRun, changed: () => void, ears: Ears = {}): Effect.Effect<void, Refusal> =>
  Effect.gen(function* () {
    // Listening starts before the past is read, so that nothing falls between the two.
    const listening = yield* Effect.forkChild(attend(run, changed, ears), { startImmediately: true })
    yield* readOutcomes(run)
    changed()
    yield* Effect.raceFirst(Fiber.join(listening), Effect.andThen(keepUp(run, changed), Effect.never))
    yield* finish(run, changed)
  })
