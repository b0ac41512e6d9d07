/** Keeps the model of an open run up to date from its source: what was before, what happens, how it ranks. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { outcomeState } from "../run/CellState.ts"
import { fold, recordOutcome } from "../run/Fold.ts"
import type { OpenRun } from "../run/OpenRun.ts"
import { cellIndex } from "../run/RunModel.ts"
import type { MeasuredOutcome, Refusal } from "../run/RunSource.ts"

const record = (run: OpenRun, outcome: MeasuredOutcome): void => {
  const { model } = run
  const caseIndex = model.caseIndex.get(outcome.caseId)
  const contestant = model.contestantIndex.get(outcome.contestant)
  if (caseIndex === undefined || contestant === undefined || outcome.trial > model.trials) return
  recordOutcome(model, cellIndex(model, caseIndex, contestant, outcome.trial), outcomeState(outcome), {
    score: outcome.score,
    latencyMs: outcome.latencyMs,
    costUsd: outcome.costUsd,
    promptTokens: outcome.usage.prompt,
    completionTokens: outcome.usage.completion
  })
}

/** Reads all outcomes there are. Reading them twice changes nothing. */
export const readOutcomes = (run: OpenRun): Effect.Effect<void, Refusal> =>
  Stream.runForEachArray(run.source.outcomes, (outcomes) =>
    Effect.sync(() => {
      for (const outcome of outcomes) record(run, outcome)
      run.model.version += 1
    })
  )

/** Ranks what is known, at most as often as leaves it a twentieth of the time. */
const rankRepeatedly = (run: OpenRun, changed: () => void): Effect.Effect<void> =>
  Effect.gen(function* () {
    let ranked = -1
    while (run.model.phase !== "finished") {
      const start = yield* Clock.currentTimeMillis
      if (ranked !== run.model.version) {
        ranked = run.model.version
        run.leaderboard = yield* Effect.orElseSucceed(run.source.rank(run.source.facts.rules), () => run.leaderboard)
        changed()
      }
      const cost = (yield* Clock.currentTimeMillis) - start
      yield* Effect.sleep(Math.max(1000, cost * 20))
    }
  })

const finish = (run: OpenRun, changed: () => void): Effect.Effect<void, Refusal> =>
  Effect.gen(function* () {
    run.model.ending ??= yield* run.source.ending
    run.model.phase = "finished"
    yield* readOutcomes(run)
    const stored = yield* run.source.leaderboard
    run.leaderboard = stored ?? (yield* run.source.rank(run.source.facts.rules))
    run.final = stored !== null
    changed()
  })

/** Runs until the run is over and everything about it is known. */
export const follow = (run: OpenRun, changed: () => void): Effect.Effect<void, Refusal> =>
  Effect.gen(function* () {
    const events = Stream.runForEachArray(run.source.events, (batch) =>
      Effect.suspend(() => {
        const { gaps } = run.model
        for (const event of batch) fold(run.model, event)
        changed()
        return run.model.gaps > gaps ? readOutcomes(run) : Effect.void
      })
    )
    // Listening starts before the past is read, so that nothing falls between the two.
    const listening = yield* Effect.forkChild(events, { startImmediately: true })
    yield* readOutcomes(run)
    changed()
    yield* Effect.raceFirst(Fiber.join(listening), Effect.andThen(rankRepeatedly(run, changed), Effect.never))
    yield* finish(run, changed)
  })
