import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { CallResult, Cell, CellError } from "../domain/CallResult.ts"
import { toCellError } from "./Call.ts"
import * as Cells from "./Cell.ts"
import * as CellLeases from "./CellLease.ts"
import { toResult } from "./CellRecord.ts"
import type { ContestantRuntime } from "./ContestantRuntime.ts"
import { withDeadline } from "./Deadline.ts"
import * as Hooks from "./Hooks.ts"
import type { CellIndex } from "./Plan.ts"
import type { RunEventBody } from "./RunEvents.ts"
import type { RunParts } from "./RunParts.ts"
import type { SlotLease } from "./Scheduler.ts"

/** What a worker needs of its run. */
export interface WorkerContext {
  readonly parts: RunParts
  readonly slots: SlotLease
  readonly publish: (body: RunEventBody) => void
  readonly retried: () => void
  /** Whether somebody cancelled this one cell. */
  readonly wasCancelled: (index: CellIndex) => boolean
  /** The result is durable. */
  readonly saved: (index: CellIndex, result: CallResult) => void
  /** The result could not be made durable. */
  readonly lost: (message: string) => void
  /** The cell is over; called exactly once. */
  readonly done: (index: CellIndex, holdsSlot: boolean) => void
}

type Restore = <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

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
    error: fault("hook", "on_result", services.scrub(message))
  })
  return Effect.map(Effect.exit(restore(limited)), (exit) =>
    Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? result : failed(firstLine(exit.cause))
  )
}

/**
 * Does one cell and sees it through: what is measured can be interrupted, what follows cannot. However the cell ends,
 * its record is written, counted and told, in this order.
 */
export const work = (context: WorkerContext, index: CellIndex, runtime: ContestantRuntime): Effect.Effect<void> => {
  const { parts, publish } = context
  const { services } = parts
  const lease = CellLeases.make(context.slots)
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
      rateLimited: (pace, waitMs) => publish({ _tag: "RateLimited", provider: pace.name, waitMs })
    }
  }
  return Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      publish({ _tag: "CellStarted", ...cell })
      const draft = Cells.draft(services.clock)
      const end = endOf(context, yield* Effect.exit(restore(Cells.run(services, job, draft))), index)
      const result = yield* afterHook(services, restore, toResult(services, job, draft, end))
      const saved = yield* Effect.exit(parts.write(result))
      if (Exit.isSuccess(saved)) context.saved(index, result)
      else context.lost(services.scrub(firstLine(saved.cause)))
      context.done(index, lease.holdsSlot())
    })
  )
}
