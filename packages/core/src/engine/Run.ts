import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { CallResult, Cell } from "../domain/CallResult.ts"
import type { RunEnding, StopRequest } from "../domain/Run.ts"
import * as Runs from "../domain/Run.ts"
import type { RunSnapshot } from "../domain/RunEvent.ts"
import type { RunFooter } from "../store/ResultStore.ts"
import * as Budget from "./Budget.ts"
import { toCellError } from "./Call.ts"
import * as Cells from "./Cell.ts"
import { toResult } from "./CellRecord.ts"
import type { ContestantRuntime } from "./ContestantRuntime.ts"
import { withDeadline } from "./Deadline.ts"
import * as Hooks from "./Hooks.ts"
import * as Plans from "./Plan.ts"
import type { RunEventBody } from "./RunEvents.ts"
import type { LiveRun, RunOutcome, RunParts } from "./RunParts.ts"
import * as RunStates from "./RunState.ts"
import * as Schedulers from "./Scheduler.ts"

/** Interrupted cells only have to write their records; a store that hangs must not hold up the end. */
const interruptGraceMs = 3_000

type Restore = <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const cancelledByUser = {
  kind: "cancelled",
  reason: null,
  status: null,
  source: null,
  message: "cancelled while in flight"
} as const

const firstLine = (cause: Cause.Cause<unknown>): string => Cause.pretty(cause).split("\n", 1)[0] ?? "unknown defect"

/** Sets a run up; nothing happens until `main` runs. */
export const make = Effect.fnUntraced(function* (parts: RunParts) {
  const { budgets, hub, plan, runId, services } = parts
  const clock = yield* Clock.Clock
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  const startedAt = clock.currentTimeMillisUnsafe()
  const monotonicStart = clock.monotonicTimeNanosUnsafe()
  const state = RunStates.make(plan.planned)
  const budget = Budget.make(budgets)
  const drained = Deferred.makeUnsafe<void>()
  const stopping = Deferred.makeUnsafe<void>()
  const hard = Deferred.makeUnsafe<void>()
  const fibers = new Map<number, Fiber.Fiber<void>>()
  const cancelled = new Set<number>()
  const notes: Array<string> = []
  const problems: Array<string> = []
  let request: StopRequest | null = null
  let phase: RunSnapshot["phase"] = "running"
  let budgetClosed = false

  const publish = (body: RunEventBody): void => hub.publish(body, clock.currentTimeMillisUnsafe())
  const elapsedMs = () => Number(clock.monotonicTimeNanosUnsafe() - monotonicStart) / 1e6
  const cellId = ({ contestant, testCase, trial }: Plans.CellIndex): number =>
    (contestant * plan.cases.length + testCase) * plan.trials + trial

  const requestStop = (reason: StopRequest): void => {
    if (request !== null || phase === "finished") return
    request = reason
    phase = "stopping"
    scheduler.close()
    publish({
      _tag: "RunStopping",
      reason,
      inFlight: scheduler.inFlight(),
      drainMs: parts.drainMs(reason)
    })
    Deferred.doneUnsafe(stopping, Exit.void)
  }

  const overran = ({ contestant, limitUsd, spentUsd }: Budget.Overrun): void => {
    const key = contestant === null ? null : (parts.runtimes[contestant]?.contestant.key ?? null)
    const who = key === null ? "the run" : key
    publish({ _tag: "BudgetWarning", contestant: key, spentUsd, limitUsd })
    if (budgets.onExceed === "warn") {
      notes.push(`${who} spent $${spentUsd.toFixed(4)}, more than its budget of $${limitUsd}`)
      return
    }
    if (contestant === null) {
      requestStop("budget")
      return
    }
    budgetClosed = true
    notes.push(`${who} was stopped after $${spentUsd.toFixed(4)}, over its budget of $${limitUsd}`)
    scheduler.close(contestant)
  }

  const account = (index: Plans.CellIndex, result: CallResult): void => {
    state.add(result)
    parts.measurements.add(result)
    publish({
      _tag: "CellFinished",
      contestant: result.contestant,
      caseId: result.caseId,
      trial: result.trial,
      status: result.status,
      stopReason: result.stopReason,
      score: result.score,
      passed: result.passed,
      latencyMs: result.latencyMs,
      costUsd: result.costUsd,
      promptTokens: result.usage.prompt,
      completionTokens: result.usage.completion,
      attempts: result.attempts.length,
      error: result.error,
      reused: false
    })
    if (result.costUsd !== null) {
      for (const overrun of budget.charge(index.contestant, result.costUsd)) overran(overrun)
    }
    if (parts.failFast && result.status === "error" && result.stopReason !== "run_stopped") requestStop("fail_fast")
  }

  /** A cell's slot, given to other cells while all of its calls wait. */
  const makeLease = () => {
    let waiting = 0
    let holds = true
    const lend = <A>(wait: Effect.Effect<A>): Effect.Effect<A> =>
      Effect.suspend(() => {
        waiting += 1
        if (waiting === 1 && holds) {
          holds = false
          scheduler.lease.yieldSlot()
        }
        return Effect.flatMap(wait, (value) => {
          waiting -= 1
          if (waiting > 0 || holds) return Effect.succeed(value)
          return Effect.callback<A>((resume) => {
            const cancel = scheduler.lease.reclaim(() => {
              holds = true
              resume(Effect.succeed(value))
            })
            return Effect.sync(cancel)
          })
        })
      })
    return { lend, holdsSlot: () => holds }
  }

  const endOf = (exit: Exit.Exit<Cells.CellEnd>, id: number): Cells.CellEnd => {
    if (Exit.isSuccess(exit)) return exit.value
    if (cancelled.has(id)) return { _tag: "Failed", error: cancelledByUser, timedOut: false }
    if (Cause.hasInterrupts(exit.cause)) return { _tag: "Stopped" }
    const message = services.scrub(firstLine(exit.cause))
    return {
      _tag: "Failed",
      error: { kind: "internal", reason: null, status: null, source: null, message },
      timedOut: false
    }
  }

  const work = (index: Plans.CellIndex, runtime: ContestantRuntime): Effect.Effect<void> => {
    const id = cellId(index)
    const lease = makeLease()
    const prepared = parts.prepare(index.testCase)
    const cell: Cell = { contestant: runtime.contestant.key, caseId: prepared.testCase.id, trial: index.trial + 1 }
    const job: Cells.CellJob = {
      runtime,
      prepared,
      trial: cell.trial,
      environment: {
        lend: lease.lend,
        attemptFailed: (attempt, error, retryInMs) => {
          if (retryInMs !== null) state.retried()
          publish({ _tag: "AttemptFailed", ...cell, attempt, error: toCellError(error), retryInMs })
        },
        rateLimited: (pace, waitMs) => publish({ _tag: "RateLimited", provider: pace.name, waitMs })
      }
    }
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        publish({ _tag: "CellStarted", ...cell })
        const draft = Cells.draft(clock)
        const end = endOf(yield* Effect.exit(restore(Cells.run(services, job, draft))), id)
        const result = yield* afterHook(services, restore, toResult(services, job, draft, end))
        const saved = yield* Effect.exit(parts.write(result))
        if (Exit.isSuccess(saved)) {
          if (phase !== "finished") account(index, result)
        } else {
          const message = services.scrub(firstLine(saved.cause))
          if (problems.length === 0) problems.push(message)
          state.lost()
          requestStop(`error: ${message}`)
        }
        fibers.delete(id)
        scheduler.finished(index, lease.holdsSlot())
      })
    )
  }

  const scheduler = Schedulers.make({
    concurrency: plan.project.run.concurrency,
    lanes: plan.contestants.map((_, contestant) => Plans.lane(plan, contestant, parts.wanted)),
    blocked: (contestant) => {
      const pace = parts.runtimes[contestant]?.settings.pace
      return pace !== undefined && pace.pausedUntil() > clock.currentTimeMillisUnsafe()
    },
    start: (index) => {
      const runtime = parts.runtimes[index.contestant]
      if (runtime === undefined) return
      const fiber = runFork(work(index, runtime))
      if (fiber.pollUnsafe() === undefined) fibers.set(cellId(index), fiber)
    },
    drained: () => Deferred.doneUnsafe(drained, Exit.void)
  })

  /** Waits for `drained`, at most `ms`, and less when `hard` is done or this fiber is interrupted. */
  const drain = (ms: number, restore: Restore) =>
    Effect.exit(
      restore(Effect.raceFirst(Deferred.await(drained), Effect.raceFirst(Deferred.await(hard), Effect.sleep(ms))))
    )

  const interruptInFlight = Effect.suspend(() => {
    for (const fiber of fibers.values()) fiber.interruptUnsafe()
    return Effect.callback<void>((resume) => {
      const timer = runFork(Effect.sleep(interruptGraceMs))
      const ended = runFork(Deferred.await(drained))
      const done = () => {
        timer.interruptUnsafe()
        ended.interruptUnsafe()
        resume(Effect.void)
      }
      timer.addObserver(done)
      ended.addObserver(done)
    })
  })

  const execute = Effect.fnUntraced(function* (restore: Restore) {
    for (const pace of new Set(parts.runtimes.map(({ settings }) => settings.pace))) {
      pace.onPause((until) => {
        runFork(
          Effect.andThen(
            Effect.sleep(Math.max(0, until - clock.currentTimeMillisUnsafe())),
            Effect.sync(scheduler.pump)
          )
        )
      })
    }
    scheduler.pump()
    const wall =
      parts.maxWallMs === null
        ? null
        : runFork(
            Effect.andThen(
              Effect.sleep(parts.maxWallMs),
              Effect.sync(() => requestStop("time_limit"))
            )
          )
    const exit = yield* Effect.exit(restore(Effect.raceFirst(Deferred.await(drained), Deferred.await(stopping))))
    wall?.interruptUnsafe()
    if (Exit.isFailure(exit)) requestStop("interrupted")
    if (request === null) return
    const graceful = Exit.isSuccess(exit) && (yield* drain(parts.drainMs(request), restore))
    if (graceful === false || scheduler.inFlight() > 0) yield* interruptInFlight
  })

  const endingNow = (): RunEnding => {
    const { finished, planned } = state.counts()
    if (finished === planned) return Runs.ending(null, finished)
    return Runs.ending(request ?? (budgetClosed ? "budget" : "error: the run ended before its plan was done"), finished)
  }

  const rankSafely = (ending: RunEnding) =>
    Effect.try({ try: () => parts.rank(ending, notes), catch: (cause) => new Error(String(cause), { cause }) })

  const main: Effect.Effect<RunOutcome> = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      publish({
        _tag: "RunStarted",
        project: plan.project.name,
        contestants: plan.contestants.map(({ key }) => key),
        skipped: parts.skipped,
        cases: plan.cases.length,
        trials: plan.trials,
        planned: plan.planned
      })
      const executed = yield* Effect.exit(execute(restore))
      if (Exit.isFailure(executed)) {
        const message = services.scrub(firstLine(executed.cause))
        problems.push(message)
        request ??= `error: ${message}`
      }
      const ending = endingNow()
      const leaderboard = yield* Effect.orDie(rankSafely(ending))
      const footer: RunFooter = {
        ending,
        counts: state.counts(),
        finishedAt: new Date(clock.currentTimeMillisUnsafe()).toISOString(),
        durationMs: elapsedMs(),
        totalCostUsd: state.spentUsd(),
        winner: leaderboard.verdict._tag === "Winner" ? leaderboard.verdict.winner : null,
        leaderboard
      }
      const finished = yield* Effect.exit(parts.finish(footer))
      if (Exit.isFailure(finished)) problems.push(services.scrub(firstLine(finished.cause)))
      phase = "finished"
      publish({ _tag: "RunFinished", ending, counts: footer.counts, totalCostUsd: footer.totalCostUsd })
      hub.end()
      return { ending, footer, leaderboard, problems }
    })
  )

  const live: LiveRun = {
    main,
    snapshot: Effect.sync(() => ({
      runId,
      project: plan.project.name,
      seq: hub.lastSeq(),
      phase,
      stopReason: request,
      counts: state.counts(),
      inFlight: scheduler.inFlight(),
      retries: state.retries(),
      passed: state.passed(),
      spentUsd: state.spentUsd(),
      startedAt,
      elapsedMs: elapsedMs()
    })),
    stop: (reason) => Effect.sync(() => requestStop(reason)),
    stopNow: (reason) =>
      Effect.sync(() => {
        requestStop(reason)
        Deferred.doneUnsafe(hard, Exit.void)
      }),
    pause: Effect.sync(() => {
      if (phase !== "running") return
      phase = "paused"
      scheduler.pause()
      publish({ _tag: "RunPaused" })
    }),
    resume: Effect.sync(() => {
      if (phase !== "paused") return
      phase = "running"
      publish({ _tag: "RunResumed" })
      scheduler.open()
    }),
    cancelCell: (cell) =>
      Effect.sync(() => {
        const contestant = plan.contestants.findIndex(({ key }) => key === cell.contestant)
        const testCase = plan.cases.findIndex(({ id }) => id === cell.caseId)
        const id = cellId({ contestant, testCase, trial: cell.trial - 1 })
        const fiber = contestant < 0 || testCase < 0 ? undefined : fibers.get(id)
        if (fiber === undefined) return false
        cancelled.add(id)
        fiber.interruptUnsafe()
        return true
      })
  }
  return live
})

/**
 * `on_result` runs before the result is durable, so that its failure can be part of the record. An interruption skips
 * it: the answer is paid for and must be kept.
 */
const afterHook = (services: Cells.CellServices, restore: Restore, result: CallResult): Effect.Effect<CallResult> => {
  const { hooks } = services
  if (hooks.onResult === null || result.status !== "ok") return Effect.succeed(result)
  const limited = withDeadline(Hooks.onResult(hooks.onResult, result), services.cellTimeoutMs, () =>
    Effect.fail(new Hooks.HookError({ hook: "on_result", detail: "did not return within run.cell_timeout_s" }))
  )
  const failed = (message: string): CallResult => ({
    ...result,
    status: "error",
    stopReason: "error",
    error: { kind: "hook", reason: null, status: null, source: "on_result", message: services.scrub(message) }
  })
  return Effect.map(Effect.exit(restore(limited)), (exit) =>
    Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? result : failed(firstLine(exit.cause))
  )
}
