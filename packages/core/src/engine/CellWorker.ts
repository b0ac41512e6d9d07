import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { CallResult, Cell, CellError } from "../domain/CallResult.ts"
import { knownSpend, scoringSpend } from "../domain/Spend.ts"
import type { EarlierPlay } from "../scenario/PlayCell.ts"
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
  /** Whether the run has interrupted the cell. */
  readonly wasStopped: (index: CellIndex) => boolean
  /** Whether the run is over; what comes now comes too late. */
  readonly isOver: () => boolean
  /** A result is on its way to the store; `saved` or `lost` follows. */
  readonly writing: () => void
  /** The result is durable. `usd` is what it has cost now (null = unknown). */
  readonly saved: (index: CellIndex, result: CallResult, usd: number | null) => void
  /** The result could not be made durable. */
  readonly lost: (message: string, usd: number | null) => void
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

/** The end of a cell in which something went wrong that no error describes. */
const broken = (context: WorkerContext, message: string): Cells.CellEnd => ({
  _tag: "Failed",
  error: fault("internal", null, context.parts.services.scrub(message)),
  timedOut: false
})

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const endOf = (context: WorkerContext, exit: Exit.Exit<Cells.CellEnd>, index: CellIndex): Cells.CellEnd => {
  if (Exit.isSuccess(exit)) return exit.value
  if (!Cause.hasInterrupts(exit.cause)) return broken(context, firstLine(exit.cause))
  if (context.wasCancelled(index)) {
    return { _tag: "Failed", error: fault("cancelled", null, "cancelled while in flight"), timedOut: false }
  }
  return context.wasStopped(index) ? { _tag: "Stopped" } : broken(context, "a scorer or hook interrupted itself")
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
    const kept = failed ? hookFailed(result, services.scrub(firstLine(exit.cause))) : result
    save(context, index, kept, knownSpend(kept))
  })
}

/** Makes a result durable, then counts and tells it. Nothing interrupts this. `usd` is what it has cost now. */
const save = (context: WorkerContext, index: CellIndex, result: CallResult, usd: number | null): void => {
  if (context.isOver()) {
    context.done(index)
    return
  }
  context.writing()
  context.fork(context.parts.write(result, usd)).addObserver((saved) => {
    if (Exit.isSuccess(saved)) context.saved(index, result, usd)
    else context.lost(context.parts.services.scrub(firstLine(saved.cause)), usd)
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
    runId: parts.runId,
    prepared,
    trial: cell.trial,
    environment: {
      lend: lease.lend,
      lendInner: lease.lendInner,
      sent: lease.sent,
      isOver: lease.isOver,
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
  const open: OpenWork = { context, index, job, lease, draft: Cells.draft(services.clock) }
  const rescore = parts.earlier.use(index) === "rescore"
  if (prepared.play !== null && parts.earlier !== EarlierResults.none) goOn(open, rescore)
  else if (rescore) scoreAgain(open)
  else measure(open)
}

/** A cell that is being done. */
interface OpenWork {
  readonly context: WorkerContext
  readonly index: CellIndex
  readonly job: Cells.CellJob
  readonly lease: CellLease
  readonly draft: Cells.CellDraft
}

/** Begins a cell. A connector or scorer that throws where it must not makes its cell an error, not the run. */
const attempt = <A>(context: WorkerContext, body: () => A): A | Cells.CellEnd => {
  try {
    return body()
  } catch (cause) {
    return broken(context, messageOf(cause))
  }
}

const launchCell = (
  { context, index }: OpenWork,
  body: () => Cells.CellEnd | Effect.Effect<Cells.CellEnd>,
  then: (end: Cells.CellEnd) => void
): void => {
  const cell: Cells.CellEnd | Effect.Effect<Cells.CellEnd> = context.wasStopped(index)
    ? { _tag: "Stopped" }
    : attempt(context, body)
  if (Effect.isEffect(cell)) context.launch(index, cell, (exit) => then(endOf(context, exit, index)))
  else then(cell)
}

/**
 * Looks up what an earlier part has of a cell. A stop does not interrupt that, because nothing else than asking again
 * could follow; a store that cannot be read must not cost a call either.
 */
const lookUp = ({ context, index }: OpenWork, then: (stored: CallResult | null) => void): void => {
  context.fork(context.parts.earlier.answer(index)).addObserver((found) => {
    if (Exit.isSuccess(found)) return then(found.value)
    context.writing()
    context.lost(context.parts.services.scrub(firstLine(found.cause)), null)
    context.done(index)
  })
}

/** The answer is paid for already; only when it cannot be found is it asked for again. */
const scoreAgain = (open: OpenWork): void => {
  const { context, draft, index, job } = open
  const { services } = context.parts
  lookUp(open, (stored) => {
    if (stored === null) return measure(open)
    // An error that is to be kept has no score that could be made anew, unless the scorer itself had failed.
    if (stored.status === "error" && stored.error?.kind !== "scorer") return save(context, index, stored, null)
    const body = () => Cells.rescore(services, job, draft, stored)
    launchCell(open, body, (end) => {
      // A stop leaves the stored record as it was.
      if (end._tag === "Stopped") return context.done(index)
      const result = rescored(services, draft, stored, end)
      save(context, index, result, scoringSpend(result))
    })
  })
}

/** A scenario goes on where it was interrupted or failed; turns that were answered are not asked again. */
const goOn = (open: OpenWork, rescore: boolean): void =>
  lookUp(open, (stored) => {
    const good = stored !== null && (rescore || stored.status === "error")
    measure(open, good ? { trace: stored.trace, steps: stored.steps, judged: !rescore } : null)
  })

/** The record of a cell; also of one whose contestant returned what cannot be recorded. */
const recordOf = ({ context, draft, job }: OpenWork, end: Cells.CellEnd): CallResult => {
  const { services } = context.parts
  try {
    return toResult(services, job, draft, end)
  } catch (cause) {
    return toResult(services, job, Cells.draft(services.clock), broken(context, messageOf(cause)))
  }
}

const measure = (open: OpenWork, earlier: EarlierPlay | null = null): void => {
  const { context, draft, index, job, lease } = open
  const { earlier: before, services } = context.parts
  const finish = (end: Cells.CellEnd): void => {
    // A cell that was stopped before it asked anything leaves what an earlier part has of it.
    if (end._tag === "Stopped" && before !== EarlierResults.none && !lease.hasSent()) {
      context.done(index)
      return
    }
    const result = recordOf(open, end)
    const hook = services.hooks.onResult
    if (hook === null || result.status !== "ok") save(context, index, result, knownSpend(result))
    else callHook(context, index, hook, result)
  }
  launchCell(open, () => Cells.run(services, job, draft, earlier), finish)
}
