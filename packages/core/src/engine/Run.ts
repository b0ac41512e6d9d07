import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import type { Cell } from "../domain/CallResult.ts"
import { InterruptionReason } from "../domain/InterruptionReason.ts"
import type { Leaderboard } from "../domain/Leaderboard.ts"
import type { RunEnding, StopRequest } from "../domain/Run.ts"
import * as Runs from "../domain/Run.ts"
import type { RunSnapshot } from "../domain/RunEvent.ts"
import type { StoreError } from "../domain/StoreError.ts"
import type { RunFooter } from "../store/ResultStore.ts"
import { firstLine } from "./CellWorker.ts"
import type { LiveState } from "./live/LiveState.ts"
import { pauseLeft } from "./Pacing.ts"
import { interruptCell, type Machine, make as makeMachine } from "./RunMachine.ts"
import type { LiveRun, RunOutcome, RunParts } from "./RunParts.ts"

/** Interrupted cells only have to write their records; one that does not let itself be interrupted must not hold up the end. */
const interruptGraceMs = 3_000

type Restore = <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** New cells of a provider start again when its pause is over. */
const resumeAfterPauses = ({ clock, parts, scheduler, timers }: Machine): void => {
  for (const pace of new Set(parts.runtimes.map(({ settings }) => settings.pace))) {
    pace.onPause(() => timers.after(Math.ceil(pauseLeft(pace, clock)), scheduler.pump))
  }
}

/**
 * Interrupts all cells and waits for their records: for the cells not for ever, for the store until it has taken or
 * refused what was measured. Cannot itself be interrupted.
 */
const interruptInFlight = (machine: Machine): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { drained, fork, open, parts, writes } = machine
    machine.interrupting = true
    parts.hurry()
    for (const cell of [...open.values()]) interruptCell(cell)
    const either = Effect.callback<void>((resume) => {
      const fibers = [fork(Effect.sleep(interruptGraceMs)), fork(drained)]
      const done = () => {
        resume(Effect.void)
        for (const fiber of fibers) fiber.interruptUnsafe()
      }
      for (const fiber of fibers) fiber.addObserver(done)
    })
    return Effect.andThen(either, writes.settled)
  })

/** Cells that only wait for leave to send their first request have nothing to lose, and would cost money now. */
const interruptIdle = ({ open }: Machine): void => {
  for (const cell of [...open.values()]) if (cell.lease.isIdle()) interruptCell(cell)
}

/** After a stop request: lets calls in flight finish for a while, then interrupts what is left. */
const windDown = (machine: Machine, reason: StopRequest, graceful: boolean, restore: Restore): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { drained, parts, scheduler, stop } = machine
    interruptIdle(machine)
    if (graceful) {
      const patience = Effect.raceFirst(stop.askedNow, Effect.sleep(parts.drainMs(reason)))
      yield* Effect.exit(restore(Effect.raceFirst(drained, patience)))
    }
    if (scheduler.inFlight() > 0) yield* interruptInFlight(machine)
  })

/** Runs the cells until the plan is done or something stops it. An interruption of this fiber is such a stop. */
const execute = (machine: Machine, restore: Restore): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { ledger, parts, scheduler, stop, timers } = machine
    resumeAfterPauses(machine)
    ledger.checkBudgets()
    if (parts.maxWallMs !== null) timers.after(parts.maxWallMs, () => stop.ask("time_limit"))
    scheduler.pump()
    const exit = yield* Effect.exit(restore(Effect.raceFirst(machine.drained, stop.asked)))
    if (Exit.isFailure(exit)) stop.ask((yield* InterruptionReason)())
    const reason = stop.reason()
    if (reason !== null) yield* windDown(machine, reason, Exit.isSuccess(exit), restore)
  })

/** Counts what earlier parts have answered, before anything new starts. */
const takeOver = ({ ledger, parts }: Machine): Effect.Effect<void, StoreError> =>
  Stream.runForEach(parts.earlier.results, (result) => Effect.sync(() => ledger.takeOver(result)))

/** Cells that were to be asked again and were not reached keep the outcome that they have. */
const leaveStanding = ({ ledger, parts }: Machine): Effect.Effect<void, StoreError> => {
  const { earlier, measurements } = parts
  if (earlier.repeated === 0 || ledger.state.counts().notStarted === 0) return Effect.void
  return Stream.runForEach(earlier.repeatable, (result) =>
    Effect.sync(() => {
      const isNew = measurements.outcome(result.contestant, result.caseId, result.trial) !== null
      if (!isNew && ledger.state.counts().notStarted > 0) ledger.takeOver(result)
    })
  )
}

const endingOf = ({ ledger, stop }: Machine): RunEnding => {
  const { finished, planned } = ledger.state.counts()
  if (finished === planned) return Runs.ending(null, finished)
  const unasked = ledger.closedByBudget() ? "budget" : "error: the run ended before its plan was done"
  return Runs.ending(stop.reason() ?? unasked, finished)
}

/** What the leaderboard says when it could not be made: nothing. */
const unranked = (sentence: string): Leaderboard => ({
  weights: {},
  entries: [],
  verdict: { _tag: "NoWinner", sentence },
  comparisons: [],
  notes: [sentence],
  complete: false
})

/** A ranking that fails is a bug of ours, but the results are the user's: the run still gets its row. */
const rankOf = ({ ledger, parts, problems }: Machine, ending: RunEnding): Effect.Effect<Leaderboard> =>
  Effect.catchCause(
    Effect.sync(() => parts.rank(ending, ledger.notes())),
    (cause) =>
      Effect.sync(() => {
        const sentence = `the results could not be ranked: ${parts.services.scrub(firstLine(cause))}`
        problems.push(sentence)
        return unranked(sentence)
      })
  )

/** Ranks, writes the run's row and tells of the end. Never fails: what goes wrong is among the problems. */
const conclude = (machine: Machine): Effect.Effect<RunOutcome> =>
  Effect.gen(function* () {
    const { clock, ledger, parts, problems, publish, timers } = machine
    timers.clear()
    const standing = yield* Effect.exit(leaveStanding(machine))
    if (Exit.isFailure(standing)) problems.push(parts.services.scrub(firstLine(standing.cause)))
    const ending = endingOf(machine)
    const leaderboard = yield* rankOf(machine, ending)
    const footer: RunFooter = {
      ending,
      counts: ledger.state.counts(),
      finishedAt: new Date(clock.currentTimeMillisUnsafe()).toISOString(),
      durationMs: machine.elapsedMs(),
      totalCostUsd: ledger.state.spentUsd(),
      winner: leaderboard.verdict._tag === "Winner" ? leaderboard.verdict.winner : null,
      leaderboard
    }
    machine.phase = "finished"
    const written = yield* Effect.exit(parts.finish(footer))
    if (Exit.isFailure(written)) problems.push(parts.services.scrub(firstLine(written.cause)))
    publish({ _tag: "RunFinished", ending, counts: footer.counts, totalCostUsd: footer.totalCostUsd })
    parts.hub.end()
    return { ending, footer, leaderboard, problems }
  })

/** What goes wrong in the machinery of the run itself ends it, as an interruption does. */
const endedBy = ({ parts, problems, stop }: Machine, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (Cause.hasInterruptsOnly(cause)) {
      stop.ask((yield* InterruptionReason)())
      return
    }
    const message = parts.services.scrub(firstLine(cause))
    problems.push(message)
    stop.ask(`error: ${message}`)
  })

const runMain = (machine: Machine): Effect.Effect<RunOutcome> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const taken = yield* Effect.exit(restore(takeOver(machine)))
      if (Exit.isFailure(taken)) yield* endedBy(machine, taken.cause)
      const executed = yield* Effect.exit(execute(machine, restore))
      if (Exit.isFailure(executed)) {
        yield* endedBy(machine, executed.cause)
        yield* interruptInFlight(machine)
      }
      return yield* conclude(machine)
    })
  )

const announce = ({ parts: { plan, skipped }, publish }: Machine): void =>
  publish({
    _tag: "RunStarted",
    project: plan.project.name,
    contestants: plan.contestants.map(({ key }) => key),
    skipped,
    cases: plan.cases.length,
    trials: plan.trials,
    planned: plan.planned
  })

const snapshotOf = (machine: Machine, startedAt: number): RunSnapshot => {
  const { ledger, parts, scheduler, stop } = machine
  return {
    runId: parts.runId,
    project: parts.plan.project.name,
    seq: parts.hub.lastSeq(),
    phase: machine.phase,
    stopReason: stop.reason(),
    counts: ledger.state.counts(),
    inFlight: scheduler.inFlight(),
    retries: ledger.state.retries(),
    passed: ledger.state.passed(),
    spentUsd: ledger.state.spentUsd(),
    startedAt,
    elapsedMs: machine.elapsedMs()
  }
}

/** Looks at the table of open cells; costs the run nothing while nobody does. */
const liveOf = (machine: Machine, startedAt: number): LiveState => {
  const { contestants, cases } = machine.parts.plan
  return {
    snapshot: snapshotOf(machine, startedAt),
    inFlight: machine.open.values().flatMap(({ failedAttempts, index, lease, retryAt, startedAt: since }) => {
      const contestant = contestants[index.contestant]?.key
      const caseId = cases[index.testCase]?.id
      if (contestant === undefined || caseId === undefined) return []
      return [
        {
          contestant,
          caseId,
          trial: index.trial + 1,
          startedAt: since,
          failedAttempts,
          retryAt,
          queued: lease.isIdle()
        }
      ]
    }),
    ...machine.parts.hub.notable()
  }
}

const cancelCell = ({ cancelled, locate, open }: Machine, cell: Cell): boolean => {
  const id = locate(cell)
  const fiber = id === null ? null : (open.get(id)?.fiber ?? null)
  if (id === null || fiber === null) return false
  cancelled.add(id)
  fiber.interruptUnsafe()
  return true
}

const pause = (machine: Machine): void => {
  if (machine.phase !== "running") return
  machine.phase = "paused"
  machine.scheduler.pause()
  machine.publish({ _tag: "RunPaused" })
}

const resume = (machine: Machine): void => {
  if (machine.phase !== "paused") return
  machine.phase = "running"
  machine.publish({ _tag: "RunResumed" })
  machine.scheduler.open()
}

/** Sets a run up; nothing is called until `main` runs. Its fibers use the clock and randomness of the caller. */
export const make = (parts: RunParts): Effect.Effect<LiveRun> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const machine = makeMachine(parts, clock, Effect.runForkWith(yield* Effect.context<never>()))
    const startedAt = clock.currentTimeMillisUnsafe()
    // At once, so that it is the first event even of a run that is stopped before it begins.
    announce(machine)
    const asked = (ask: (reason: StopRequest) => void) => (reason: StopRequest) =>
      Effect.sync(() => {
        if (machine.phase !== "finished") ask(reason)
        // Only the store is waited for.
        else parts.hurry()
      })
    return {
      main: runMain(machine),
      snapshot: Effect.sync(() => snapshotOf(machine, startedAt)),
      live: Effect.sync(() => liveOf(machine, startedAt)),
      stop: asked(machine.stop.ask),
      stopNow: asked(machine.stop.askNow),
      pause: Effect.sync(() => pause(machine)),
      resume: Effect.sync(() => resume(machine)),
      cancelCell: (cell) => Effect.sync(() => cancelCell(machine, cell))
    }
  })
