import type * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { Cell } from "../domain/CallResult.ts"
import type { StopRequest } from "../domain/Run.ts"
import type { RunSnapshot } from "../domain/RunEvent.ts"
import * as CellLeases from "./CellLease.ts"
import { type WorkerContext, work } from "./CellWorker.ts"
import * as FixedTables from "./FixedTable.ts"
import * as Ledgers from "./Ledger.ts"
import { pauseLeft } from "./Pacing.ts"
import * as Plans from "./Plan.ts"
import type { RunEventBody } from "./RunEvents.ts"
import type { RunParts } from "./RunParts.ts"
import * as RunTimers from "./RunTimers.ts"
import * as Schedulers from "./Scheduler.ts"
import * as StopControls from "./StopControl.ts"

export type Fork = <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>

/** The moving parts of a run; synchronous state that its fibers share. */
export interface Machine {
  readonly parts: RunParts
  readonly clock: Clock.Clock
  readonly fork: Fork
  readonly publish: (body: RunEventBody) => void
  readonly elapsedMs: () => number
  readonly stop: StopControls.StopControl
  readonly scheduler: Schedulers.Scheduler
  readonly ledger: Ledgers.Ledger
  readonly timers: RunTimers.RunTimers
  readonly open: FixedTables.FixedTable<OpenCell>
  readonly cancelled: Set<number>
  readonly cellId: (index: Plans.CellIndex) => number
  /** Number of a cell as `open` knows it; null when the plan has no such cell. */
  readonly locate: (cell: Cell) => number | null
  /** All cells that will ever run are over. */
  readonly drained: Effect.Effect<void>
  readonly writes: PendingWrites
  readonly problems: Array<string>
  phase: RunSnapshot["phase"]
  /** What is in flight is being interrupted; nothing may start in a cell any more. */
  interrupting: boolean
}

/** A cell that was started and is not over: its slot, and the fiber that a stop interrupts. */
export interface OpenCell {
  readonly index: Plans.CellIndex
  readonly lease: CellLeases.CellLease
  /** Unix epoch ms. */
  readonly startedAt: number
  /** Tries that have failed, and when the next one begins, Unix epoch ms. */
  failedAttempts: number
  retryAt: number | null
  fiber: Fiber.Fiber<unknown, unknown> | null
  /** The run has interrupted it; whatever its exit looks like, it was stopped. */
  stopped: boolean
}

/** Results on their way to the store. */
interface PendingWrites {
  readonly begin: () => void
  readonly end: () => void
  /** Waits until there are none. */
  readonly settled: Effect.Effect<void>
}

const makeWrites = (): PendingWrites => {
  let pending = 0
  let waiting: Array<() => void> = []
  return {
    begin: () => {
      pending += 1
    },
    end: () => {
      pending -= 1
      if (pending > 0) return
      const resumed = waiting
      waiting = []
      for (const resume of resumed) resume()
    },
    settled: Effect.callback((resume) => {
      if (pending === 0) resume(Effect.void)
      else waiting.push(() => resume(Effect.void))
    })
  }
}

/** Interrupts one cell, if it is doing something that can be interrupted. */
export const interruptCell = (cell: OpenCell): void => {
  if (cell.fiber === null) return
  cell.stopped = true
  cell.fiber.interruptUnsafe()
}

const launch =
  (machine: Machine): WorkerContext["launch"] =>
  (index, effect, then) => {
    if (machine.interrupting) {
      then(Exit.interrupt())
      return
    }
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
  }

const workerContext = (machine: Machine): WorkerContext => ({
  parts: machine.parts,
  fork: machine.fork,
  launch: launch(machine),
  publish: machine.publish,
  retried: machine.ledger.state.retried,
  waited: machine.ledger.waited,
  wasCancelled: (index) => machine.cancelled.has(machine.cellId(index)),
  wasStopped: (index) => machine.interrupting || machine.open.get(machine.cellId(index))?.stopped === true,
  isOver: () => machine.phase === "finished",
  writing: machine.writes.begin,
  saved: (index, result, usd) => {
    if (machine.phase !== "finished") machine.ledger.account(index.contestant, result, usd)
    machine.writes.end()
  },
  lost: (message, usd) => {
    if (machine.problems.length === 0) machine.problems.push(message)
    machine.ledger.state.lost(usd)
    // A store that has failed once is not given that much time again.
    machine.parts.hurry()
    if (machine.phase !== "finished") machine.stop.ask(`error: ${message}`)
    machine.writes.end()
  },
  done: (index) => {
    const id = machine.cellId(index)
    const open = machine.open.get(id)
    if (open === undefined) return
    machine.open.delete(id)
    machine.scheduler.finished(index, open.lease.close())
  }
})

/** A cell that cannot even be begun is a bug of ours; the run ends, and says so. */
const begin = (machine: Machine, context: WorkerContext, index: Plans.CellIndex): void => {
  const runtime = machine.parts.runtimes[index.contestant]
  if (runtime === undefined) return
  const lease = CellLeases.make(machine.scheduler.lease)
  const startedAt = machine.clock.currentTimeMillisUnsafe()
  machine.open.set(machine.cellId(index), {
    index,
    lease,
    startedAt,
    failedAttempts: 0,
    retryAt: null,
    fiber: null,
    stopped: false
  })
  try {
    work(context, index, runtime, lease)
  } catch (cause) {
    context.writing()
    context.lost(machine.parts.services.scrub(cause instanceof Error ? cause.message : String(cause)), null)
    context.done(index)
  }
}

/** Finds cells by their names; what that takes is made when it is first needed. */
const makeLocate = ({ cases, contestants, trials }: RunParts["plan"], cellId: Machine["cellId"]): Machine["locate"] => {
  let places: { readonly contestants: Map<string, number>; readonly cases: Map<string, number> } | null = null
  return (cell) => {
    places ??= {
      contestants: new Map(contestants.map(({ key }, index) => [key, index])),
      cases: new Map(cases.map(({ id }, index) => [id, index]))
    }
    const contestant = places.contestants.get(cell.contestant)
    const testCase = places.cases.get(cell.caseId)
    const exists = contestant !== undefined && testCase !== undefined && cell.trial >= 1 && cell.trial <= trials
    return exists ? cellId({ contestant, testCase, trial: cell.trial - 1 }) : null
  }
}

/** Keeps with an open cell that one of its tries has failed. */
const noteFailure = (machine: Machine, event: RunEventBody & { readonly _tag: "AttemptFailed" }, at: number): void => {
  const id = machine.locate(event)
  const open = id === null ? undefined : machine.open.get(id)
  if (open === undefined) return
  open.failedAttempts += 1
  open.retryAt = event.retryInMs === null ? null : at + event.retryInMs
}

const makeScheduler = (
  parts: RunParts,
  clock: Clock.Clock,
  hooks: Pick<Schedulers.SchedulerOptions, "start" | "drained">
) =>
  Schedulers.make({
    concurrency: parts.plan.project.run.concurrency,
    lanes: parts.plan.contestants.map((_, contestant) =>
      Plans.lane(parts.plan, contestant, (cell) => parts.earlier.use(cell) !== "keep")
    ),
    blocked: (contestant) => {
      const pace = parts.runtimes[contestant]?.settings.pace
      return pace !== undefined && pauseLeft(pace, clock) > 0
    },
    ...hooks
  })

/** Sets the parts of a run in motion; nothing is started yet. */
export const make = (parts: RunParts, clock: Clock.Clock, fork: Fork): Machine => {
  const { plan } = parts
  const monotonicStart = clock.monotonicTimeNanosUnsafe()
  const drained = Deferred.makeUnsafe<void>()
  const publish = (body: RunEventBody): void => {
    const at = clock.currentTimeMillisUnsafe()
    if (body._tag === "AttemptFailed") noteFailure(machine, body, at)
    parts.hub.publish(body, at)
  }
  const cellId: Machine["cellId"] = ({ contestant, testCase, trial }) =>
    (contestant * plan.cases.length + testCase) * plan.trials + trial
  const timers = RunTimers.make(fork)
  const stop = StopControls.make({
    first: (reason) => {
      machine.phase = "stopping"
      publish({ _tag: "RunStopping", reason, inFlight: scheduler.inFlight(), drainMs: parts.drainMs(reason) })
      scheduler.close()
    },
    // A TERM in the middle of a long drain has less patience than the drain.
    again: (reason: StopRequest) => timers.after(parts.drainMs(reason), () => stop.askNow(reason))
  })
  const scheduler = makeScheduler(parts, clock, {
    start: (index) => begin(machine, context, index),
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
    timers,
    // A lane has at most `concurrency` cells open.
    open: FixedTables.make(Math.min(plan.planned, plan.contestants.length * plan.project.run.concurrency)),
    cancelled: new Set(),
    cellId,
    locate: makeLocate(plan, cellId),
    drained: Deferred.await(drained),
    writes: makeWrites(),
    problems: [],
    phase: "running",
    interrupting: false
  }
  const context = workerContext(machine)
  return machine
}
