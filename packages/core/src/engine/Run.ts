import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import type { Cell } from "../domain/CallResult.ts"
import type { RunEnding, StopRequest } from "../domain/Run.ts"
import * as Runs from "../domain/Run.ts"
import type { RunSnapshot } from "../domain/RunEvent.ts"
import type { StoreError } from "../domain/StoreError.ts"
import type { RunFooter } from "../store/ResultStore.ts"
import * as CellLeases from "./CellLease.ts"
import { firstLine, type WorkerContext, work } from "./CellWorker.ts"
import * as Ledgers from "./Ledger.ts"
import * as Plans from "./Plan.ts"
import type { RunEventBody } from "./RunEvents.ts"
import type { LiveRun, RunOutcome, RunParts } from "./RunParts.ts"
import * as Schedulers from "./Scheduler.ts"
import * as StopControls from "./StopControl.ts"

/** Interrupted cells only have to write their records; a store that hangs must not hold up the end. */
const interruptGraceMs = 3_000

type Restore = <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
type Fork = <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>

/** The moving parts of a run; synchronous state that its fibers share. */
interface Machine {
  readonly parts: RunParts
  readonly clock: Clock.Clock
  readonly fork: Fork
  readonly publish: (body: RunEventBody) => void
  readonly elapsedMs: () => number
  readonly stop: StopControls.StopControl
  readonly scheduler: Schedulers.Scheduler
  readonly ledger: Ledgers.Ledger
  readonly open: Map<number, OpenCell>
  readonly cancelled: Set<number>
  readonly cellId: (index: Plans.CellIndex) => number
  /** All cells that will ever run are over. */
  readonly drained: Effect.Effect<void>
  readonly problems: Array<string>
  phase: RunSnapshot["phase"]
}

/** A cell that was started and is not over: its slot, and the fiber that a stop interrupts. */
interface OpenCell {
  readonly lease: CellLeases.CellLease
  fiber: Fiber.Fiber<unknown, unknown> | null
}

const workerContext = (machine: Machine): WorkerContext => ({
  parts: machine.parts,
  fork: machine.fork,
  launch: (index, effect, then) => {
    const fiber = machine.fork(effect)
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) {
      then(exit)
      return
    }
    const open = machine.open.get(machine.cellId(index))
    if (open !== undefined) open.fiber = fiber
    fiber.addObserver((late) => {
      if (open !== undefined) open.fiber = null
      then(late)
    })
  },
  publish: machine.publish,
  retried: machine.ledger.state.retried,
  waited: machine.ledger.waited,
  wasCancelled: (index) => machine.cancelled.has(machine.cellId(index)),
  saved: (index, result) => {
    if (machine.phase !== "finished") machine.ledger.account(index.contestant, result)
  },
  lost: (message) => {
    if (machine.problems.length === 0) machine.problems.push(message)
    machine.ledger.state.lost()
    machine.stop.ask(`error: ${message}`)
  },
  done: (index) => {
    const id = machine.cellId(index)
    const holdsSlot = machine.open.get(id)?.lease.holdsSlot() ?? true
    machine.open.delete(id)
    machine.scheduler.finished(index, holdsSlot)
  }
})

const makeMachine = (parts: RunParts, clock: Clock.Clock, fork: Fork): Machine => {
  const { plan, runtimes } = parts
  const monotonicStart = clock.monotonicTimeNanosUnsafe()
  const drained = Deferred.makeUnsafe<void>()
  const publish = (body: RunEventBody): void => parts.hub.publish(body, clock.currentTimeMillisUnsafe())
  const stop = StopControls.make((reason) => {
    machine.phase = "stopping"
    publish({ _tag: "RunStopping", reason, inFlight: scheduler.inFlight(), drainMs: parts.drainMs(reason) })
    scheduler.close()
  })
  const scheduler = Schedulers.make({
    concurrency: plan.project.run.concurrency,
    lanes: plan.contestants.map((_, contestant) =>
      Plans.lane(plan, contestant, (cell) => parts.earlier.use(cell) !== "keep")
    ),
    blocked: (contestant) => {
      const pace = runtimes[contestant]?.settings.pace
      return pace !== undefined && pace.pausedUntil() > clock.currentTimeMillisUnsafe()
    },
    start: (index) => {
      const runtime = runtimes[index.contestant]
      if (runtime === undefined) return
      const lease = CellLeases.make(scheduler.lease)
      machine.open.set(machine.cellId(index), { lease, fiber: null })
      work(context, index, runtime, lease)
    },
    drained: () => Deferred.doneUnsafe(drained, Exit.void)
  })
  const machine: Machine = {
    parts,
    clock,
    fork,
    publish,
    elapsedMs: () => Number(clock.monotonicTimeNanosUnsafe() - monotonicStart) / 1e6,
    stop,
    scheduler,
    ledger: Ledgers.make({ parts, publish, stop, close: scheduler.close }),
    open: new Map(),
    cancelled: new Set(),
    cellId: ({ contestant, testCase, trial }) => (contestant * plan.cases.length + testCase) * plan.trials + trial,
    drained: Deferred.await(drained),
    problems: [],
    phase: "running"
  }
  const context = workerContext(machine)
  return machine
}

/** New cells of a provider start again when its pause is over. */
const resumeAfterPauses = ({ clock, fork, parts, scheduler }: Machine): void => {
  for (const pace of new Set(parts.runtimes.map(({ settings }) => settings.pace))) {
    pace.onPause((until) => {
      const wait = Math.max(0, until - clock.currentTimeMillisUnsafe())
      fork(Effect.andThen(Effect.sleep(wait), Effect.sync(scheduler.pump)))
    })
  }
}

/** Interrupts all cells and waits for their records, but not for ever. Cannot itself be interrupted. */
const interruptInFlight = ({ drained, fork, open }: Machine): Effect.Effect<void> =>
  Effect.suspend(() => {
    for (const { fiber } of [...open.values()]) fiber?.interruptUnsafe()
    return Effect.callback<void>((resume) => {
      const either = [fork(Effect.sleep(interruptGraceMs)), fork(drained)]
      const done = () => {
        resume(Effect.void)
        for (const fiber of either) fiber.interruptUnsafe()
      }
      for (const fiber of either) fiber.addObserver(done)
    })
  })

/** After a stop request: lets calls in flight finish for a while, then interrupts what is left. */
const windDown = (machine: Machine, reason: StopRequest, graceful: boolean, restore: Restore): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { drained, parts, scheduler, stop } = machine
    if (graceful) {
      const patience = Effect.raceFirst(stop.askedNow, Effect.sleep(parts.drainMs(reason)))
      yield* Effect.exit(restore(Effect.raceFirst(drained, patience)))
    }
    if (scheduler.inFlight() > 0) yield* interruptInFlight(machine)
  })

/** Runs the cells until the plan is done or something stops it. An interruption of this fiber is such a stop. */
const execute = (machine: Machine, restore: Restore): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { fork, parts, scheduler, stop } = machine
    resumeAfterPauses(machine)
    scheduler.pump()
    const wall =
      parts.maxWallMs === null
        ? null
        : fork(
            Effect.andThen(
              Effect.sleep(parts.maxWallMs),
              Effect.sync(() => stop.ask("time_limit"))
            )
          )
    const exit = yield* Effect.exit(restore(Effect.raceFirst(machine.drained, stop.asked)))
    wall?.interruptUnsafe()
    if (Exit.isFailure(exit)) stop.ask("interrupted")
    const reason = stop.reason()
    if (reason !== null) yield* windDown(machine, reason, Exit.isSuccess(exit), restore)
  })

/** Counts what earlier parts have answered, before anything new starts. */
const takeOver = ({ ledger, parts }: Machine): Effect.Effect<void, StoreError> =>
  Stream.runForEach(parts.earlier.results, (result) => Effect.sync(() => ledger.takeOver(result)))

const endingOf = ({ ledger, stop }: Machine): RunEnding => {
  const { finished, planned } = ledger.state.counts()
  if (finished === planned) return Runs.ending(null, finished)
  const unasked = ledger.closedByBudget() ? "budget" : "error: the run ended before its plan was done"
  return Runs.ending(stop.reason() ?? unasked, finished)
}

/** Ranks, writes the run's row and tells of the end. Never fails: what goes wrong is among the problems. */
const conclude = (machine: Machine): Effect.Effect<RunOutcome> =>
  Effect.gen(function* () {
    const { clock, ledger, parts, problems, publish } = machine
    const ending = endingOf(machine)
    const leaderboard = yield* Effect.sync(() => parts.rank(ending, ledger.notes()))
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

const runMain = (machine: Machine): Effect.Effect<RunOutcome> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { parts, problems, publish, stop } = machine
      const { plan } = parts
      publish({
        _tag: "RunStarted",
        project: plan.project.name,
        contestants: plan.contestants.map(({ key }) => key),
        skipped: parts.skipped,
        cases: plan.cases.length,
        trials: plan.trials,
        planned: plan.planned
      })
      yield* Effect.exit(restore(takeOver(machine)))
      const executed = yield* Effect.exit(execute(machine, restore))
      if (Exit.isFailure(executed)) {
        const message = parts.services.scrub(firstLine(executed.cause))
        problems.push(message)
        stop.ask(`error: ${message}`)
      }
      return yield* conclude(machine)
    })
  )

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

const cancelCell = ({ cancelled, cellId, open, parts }: Machine, cell: Cell): boolean => {
  const contestant = parts.plan.contestants.findIndex(({ key }) => key === cell.contestant)
  const testCase = parts.plan.cases.findIndex(({ id }) => id === cell.caseId)
  const id = cellId({ contestant, testCase, trial: cell.trial - 1 })
  const fiber = contestant < 0 || testCase < 0 ? null : (open.get(id)?.fiber ?? null)
  if (fiber === null) return false
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

/** Sets a run up; nothing happens until `main` runs. Its fibers use the clock and randomness of the caller. */
export const make = (parts: RunParts): Effect.Effect<LiveRun> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const machine = makeMachine(parts, clock, Effect.runForkWith(yield* Effect.context<never>()))
    const startedAt = clock.currentTimeMillisUnsafe()
    const asked = (ask: (reason: StopRequest) => void) => (reason: StopRequest) =>
      Effect.sync(() => {
        if (machine.phase !== "finished") ask(reason)
      })
    return {
      main: runMain(machine),
      snapshot: Effect.sync(() => snapshotOf(machine, startedAt)),
      stop: asked(machine.stop.ask),
      stopNow: asked(machine.stop.askNow),
      pause: Effect.sync(() => pause(machine)),
      resume: Effect.sync(() => resume(machine)),
      cancelCell: (cell) => Effect.sync(() => cancelCell(machine, cell))
    }
  })
