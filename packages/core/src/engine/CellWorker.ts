import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { CallResult, Cell, CellError } from "../domain/CallResult.ts"
import { toCellError } from "./Call.ts"
import * as Cells from "./Cell.ts"
import type { CellLease } from "./CellLease.ts"
import { rescored, toResult } from "./CellRecord.ts"
import type { ContestantRuntime } from "./ContestantRuntime.ts"
import { withDeadline } from "./Deadline.ts"
import * as EarlierResults from "./EarlierResults.ts"
import * as Hooks from "./Hooks.ts"
import type { CellIndex } from "./Plan.ts"
import type { RunEventBody } from "./RunEvents.ts"
import type { RunParts } from "./RunParts.ts"

/** What a worker needs of its run. */
export interface WorkerContext {
  readonly parts: RunParts
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  /** Runs a part of a cell that a stop may interrupt. */
  readonly launch: <A, E>(index: CellIndex, effect: Effect.Effect<A, E>, then: (exit: Exit.Exit<A, E>) => void) => void
  readonly publish: (body: RunEventBody) => void
  readonly retried: () => void
  readonly waited: (account: string, ms: number) => void
  /** Whether somebody cancelled this one cell. */
  readonly wasCancelled: (index: CellIndex) => boolean
  /** The result is durable. */
  readonly saved: (index: CellIndex, result: CallResult) => void
  /** The result could not be made durable. */
  readonly lost: (message: string) => void
  /** The cell is over; called exactly once. */
  readonly done: (index: CellIndex) => void
}

const fault = (kind: CellError["kind"], source: string | null, message: string): CellError => ({
  kind,
  reason: null,
  status: null,
  source,
  message
})

/** The first line of what went wrong, without a stack trace. */
export const firstLine = (cause: Cause.Cause<unknown>): string =>
  Cause.pretty(cause).split("\n", 1)[0] ?? "unknown defect"

const endOf = (context: WorkerContext, exit: Exit.Exit<Cells.CellEnd>, index: CellIndex): Cells.CellEnd => {
  if (Exit.isSuccess(exit)) return exit.value
  if (!Cause.hasInterrupts(exit.cause)) {
    const message = context.parts.services.scrub(firstLine(exit.cause))
    return { _tag: "Failed", error: fault("internal", null, message), timedOut: false }
  }
  return context.wasCancelled(index)
    ? { _tag: "Failed", error: fault("cancelled", null, "cancelled while in flight"), timedOut: false }
    : { _tag: "Stopped" }
}

/** A result whose `on_result` failed; the answer and its cost stay. */
const hookFailed = (result: CallResult, message: string): CallResult => ({
  ...result,
  status: "error",
  stopReason: "error",
  error: fault("hook", "on_result", message)
})

/**
 * `on_result` runs before the result is durable, so that its failure can be part of the record. An interruption skips
 * it: the answer is paid for and must be kept.
 */
const callHook = (context: WorkerContext, index: CellIndex, run: Hooks.HookFunction, result: CallResult): void => {
  const { services } = context.parts
  const limited = withDeadline(Hooks.onResult(run, result), services.cellTimeoutMs, () =>
    Effect.fail(new Hooks.HookError({ hook: "on_result", detail: "did not return within run.cell_timeout_s" }))
  )
  context.launch(index, limited, (exit) => {
    const failed = Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
    save(context, index, failed ? hookFailed(result, services.scrub(firstLine(exit.cause))) : result)
  })
}

/** Makes a result durable, then counts and tells it. Nothing interrupts this. */
const save = (context: WorkerContext, index: CellIndex, result: CallResult): void => {
  context.fork(context.parts.write(result)).addObserver((saved) => {
    if (Exit.isSuccess(saved)) context.saved(index, result)
    else context.lost(context.parts.services.scrub(firstLine(saved.cause)))
    context.done(index)
  })
}

/**
 * Does one cell and sees it through. What is measured runs in a fiber that can be interrupted; what follows is driven by
 * its exit and cannot. However the cell ends, its record is written, counted and told, in this order.
 */
export const work = (context: WorkerContext, index: CellIndex, runtime: ContestantRuntime, lease: CellLease): void => {
  const { parts, publish } = context
  const { services } = parts
  const prepared = parts.prepare(index.testCase)
  const cell: Cell = { contestant: runtime.contestant.key, caseId: prepared.testCase.id, trial: index.trial + 1 }
  const job: Cells.CellJob = {
    runtime,
    prepared,
    trial: cell.trial,
    environment: {
      lend: lease.lend,
      attemptFailed: (attempt, error, retryInMs) => {
        if (retryInMs !== null) context.retried()
        publish({ _tag: "AttemptFailed", ...cell, attempt, error: toCellError(error), retryInMs })
      },
      rateLimited: (pace, waitMs) => {
        context.waited(pace.name, waitMs)
        publish({ _tag: "RateLimited", provider: pace.name, waitMs })
      }
    }
  }
  publish({ _tag: "CellStarted", ...cell })
  const draft = Cells.draft(services.clock)
  const use = parts.earlier.use(index)
  if (prepared.play !== null && parts.earlier !== EarlierResults.none) {
    goOn(context, index, job, draft, use === "rescore")
    return
  }
  if (use === "rescore") {
    scoreAgain(context, index, job, draft)
    return
  }
  measure(context, index, job, draft)
}

const launchCell = (
  context: WorkerContext,
  index: CellIndex,
  cell: Cells.CellEnd | Effect.Effect<Cells.CellEnd>,
  then: (end: Cells.CellEnd) => void
): void => {
  if (Effect.isEffect(cell)) context.launch(index, cell, (exit) => then(endOf(context, exit, index)))
  else then(cell)
}

/** The answer is paid for already; only when it cannot be found is it asked for again. */
const scoreAgain = (context: WorkerContext, index: CellIndex, job: Cells.CellJob, draft: Cells.CellDraft): void => {
  const { earlier, services } = context.parts
  context.launch(index, earlier.answer(index), (found) => {
    const stored = Exit.isSuccess(found) ? found.value : null
    if (stored === null) {
      measure(context, index, job, draft)
      return
    }
    launchCell(context, index, Cells.rescore(services, job, draft, stored), (end) => {
      // A stop leaves the stored record as it was.
      if (end._tag === "Stopped") context.done(index)
      else save(context, index, rescored(services, draft, stored, end))
    })
  })
}

/** A scenario goes on where it was interrupted or failed; turns that were answered are not asked again. */
const goOn = (
  context: WorkerContext,
  index: CellIndex,
  job: Cells.CellJob,
  draft: Cells.CellDraft,
  rescore: boolean
): void => {
  context.launch(index, context.parts.earlier.answer(index), (found) => {
    const stored = Exit.isSuccess(found) ? found.value : null
    const good = stored !== null && (rescore || stored.status === "error")
    measure(context, index, job, draft, good ? stored.trace : null)
  })
}

const measure = (
  context: WorkerContext,
  index: CellIndex,
  job: Cells.CellJob,
  draft: Cells.CellDraft,
  earlier: unknown = null
): void => {
  const { services } = context.parts
  const finish = (end: Cells.CellEnd): void => {
    const result = toResult(services, job, draft, end)
    const hook = services.hooks.onResult
    if (hook === null || result.status !== "ok") save(context, index, result)
    else callHook(context, index, hook, result)
  }
  launchCell(context, index, Cells.run(services, job, draft, earlier), finish)
}
