/** Carries out what the state machine asks for. Nothing here fails: what cannot be done is said on the screen. */
import type { CallResult } from "@agent-arena/core/domain/CallResult"
import { CaseId, ContestantKey } from "@agent-arena/core/domain/Ids"
import type { RunRecord, StopRequest } from "@agent-arena/core/domain/Run"
import * as Effect from "effect/Effect"
import type { ArenaSource } from "../run/ArenaSource.ts"
import { type OpenRun, remember } from "../run/OpenRun.ts"
import { cellAt, endMark } from "../run/RunModel.ts"
import { type Refusal, type RemoteControls, refusal } from "../run/RunSource.ts"
import type { Command, Intent } from "../state/Intent.ts"
import type { WantedCell } from "../state/Wanted.ts"
import { integer } from "../terminal/Format.ts"
import type { Library } from "./Library.ts"

export interface ExecuteContext {
  readonly arena: ArenaSource
  readonly library: Library
  readonly dispatch: (intent: Intent) => void
  readonly changed: () => void
  readonly readProject: Effect.Effect<void>
  readonly readHistory: Effect.Effect<void>
  readonly leave: Effect.Effect<void>
  /** Puts text on the clipboard; false when it is too long. */
  readonly copy: (text: string) => boolean
  /** Shows a file in the desktop's own way; false where there is none. */
  readonly openFile: (path: string) => Effect.Effect<boolean>
}

/** Coordinates of a cell as the engine names them. */
const cellOf = (run: OpenRun, index: number) => {
  const { caseIndex, contestant, trial } = cellAt(run.model, index)
  return {
    contestant: ContestantKey.make(run.model.contestants[contestant]?.key ?? ""),
    caseId: CaseId.make(run.model.caseIds[caseIndex] ?? ""),
    trial
  }
}

/** A stop that was asked for at the keyboard. */
const byHand: StopRequest = "cancelled"

/** A run of another process can only be asked to end. */
const steerRemote = (command: Command, remote: RemoteControls | undefined): Effect.Effect<void, Refusal> => {
  if (command._tag !== "Stop" && command._tag !== "StopNow") return Effect.void
  if (remote === undefined) return Effect.fail(refusal("This run cannot be stopped from here."))
  return remote.stop(command._tag === "Stop" ? "gracefully" : "now")
}

const steer = (command: Command & { readonly run: string }, context: ExecuteContext): Effect.Effect<void, Refusal> => {
  const source = context.library.get(command.run)?.source
  const controls = source?.controls ?? null
  if (controls === null) return steerRemote(command, source?.remote)
  switch (command._tag) {
    case "Pause":
      return controls.pause
    case "Resume":
      return controls.resume
    case "Stop":
      return controls.stop(byHand)
    case "StopNow":
      return controls.stopNow(byHand)
    default:
      return Effect.void
  }
}

const openLive = (source: ReturnType<ArenaSource["start"]>, context: ExecuteContext): Effect.Effect<void, Refusal> =>
  Effect.gen(function* () {
    const { dispatch } = context
    const run = yield* context.library.open(source, {
      onEnd: (ended) => dispatch({ _tag: "RunEnded", run: ended.model.id }),
      onTrouble: (text) => dispatch({ _tag: "Say", text, level: "error" })
    })
    dispatch({ _tag: "RunOpened", run: run.model.id, live: true })
  })

const openPast = (source: ReturnType<ArenaSource["open"]>, context: ExecuteContext): Effect.Effect<OpenRun, Refusal> =>
  context.library.open(source, {
    onEnd: (ended) => {
      context.dispatch({ _tag: "RunEnded", run: ended.model.id })
      context.changed()
    },
    onTrouble: (text) => context.dispatch({ _tag: "Say", text, level: "error" })
  })

/** Keys come in bursts: intervals are worth their time only when the weights stand still, ms. */
const settleMs = 250

const rank = (
  run: OpenRun,
  weights: Readonly<Record<string, number>> | null,
  changed: () => void
): Effect.Effect<void, Refusal> => {
  run.wantedWeights = weights
  if (weights === null) {
    run.whatIf = null
    return Effect.sync(changed)
  }
  const { rules } = run.source.facts
  const wanted = { ...rules, metrics: { ...rules.metrics, weights } }
  const under = (depth: "quick" | "full") =>
    Effect.suspend(() => {
      // A later key may have asked for other weights in the meantime.
      if (run.wantedWeights !== weights) return Effect.void
      return Effect.map(run.source.rank(wanted, depth), (board) => {
        if (run.wantedWeights !== weights) return
        run.whatIf = board
        run.whatIfFull = depth === "full"
        changed()
      })
    })
  if (run.model.phase !== "finished") return under("quick")
  return under("quick").pipe(Effect.andThen(Effect.sleep(settleMs)), Effect.andThen(under("full")))
}

const cancelCell = (
  command: Command & { readonly _tag: "CancelCell" },
  context: ExecuteContext
): Effect.Effect<void> => {
  const run = context.library.get(command.run)
  const controls = run?.source.controls ?? null
  if (run === undefined || controls === null) return Effect.void
  return Effect.map(controls.cancelCell(cellOf(run, command.cell)), (done) => {
    const text = done ? "The cell is cancelled." : "It had ended already."
    context.dispatch({ _tag: "Say", text, level: "info" })
  })
}

const retryCell = (
  command: Command & { readonly _tag: "RetryCell" },
  context: ExecuteContext
): Effect.Effect<void, Refusal> => {
  const run = context.library.get(command.run)
  const { retryCell: retry } = context.arena
  if (run === undefined || retry === null) return Effect.fail(refusal("Cells cannot be asked again here."))
  return openLive(retry(run.model.id, cellOf(run, command.cell)), context)
}

const withResult = (run: OpenRun, cell: number, result: CallResult | null, changed: () => void): void => {
  remember(run, cell, { _tag: "Ready", result })
  changed()
}

/** Reads records that the screen shows. */
export const load = ({ run, cell }: WantedCell, changed: () => void): Effect.Effect<void> => {
  remember(run, cell, { _tag: "Loading" })
  return run.source.result(cellOf(run, cell)).pipe(
    Effect.map((result) => withResult(run, cell, result, changed)),
    Effect.catch((refused) =>
      Effect.sync(() => {
        remember(run, cell, { _tag: "Refused", message: refused.message })
        changed()
      })
    )
  )
}

/**
 * Whether an open run still shows what there is: it goes on here or is followed, or it ended as its record says. Opening
 * one again that goes on here would end it; one that another process has gone on with since must be opened again.
 */
const isCurrent = (run: OpenRun, record: RunRecord): boolean => {
  if (run.lost) return false
  if (run.endMark === undefined) return run.source.facts.kind !== "past" || record.status !== "running"
  return record.status !== "running" && run.endMark === endMark(record)
}

const showRecord = (record: RunRecord, context: ExecuteContext): Effect.Effect<void, Refusal> => {
  const show = (run: OpenRun) => context.dispatch({ _tag: "RunOpened", run: run.model.id, live: false })
  return Effect.map(opened(record, context), show)
}

const opened = (record: RunRecord, context: ExecuteContext): Effect.Effect<OpenRun, Refusal> => {
  const known = context.library.get(record.runId)
  return known !== undefined && isCurrent(known, record)
    ? Effect.succeed(known)
    : openPast(context.arena.open(record), context)
}

const compare = (
  [before, after]: readonly [RunRecord, RunRecord],
  context: ExecuteContext
): Effect.Effect<void, Refusal> =>
  Effect.gen(function* () {
    const first = yield* opened(before, context)
    const second = yield* opened(after, context)
    context.dispatch({ _tag: "Compared", runs: [first.model.id, second.model.id] })
  })

const resume = (record: RunRecord, context: ExecuteContext): Effect.Effect<void, Refusal> =>
  context.arena.resume === null
    ? Effect.fail(refusal("Runs cannot be resumed here."))
    : openLive(context.arena.resume(record), context)

const exported = (run: string, context: ExecuteContext): Effect.Effect<void, Refusal> =>
  Effect.map(context.arena.exportReports(run), (folder) =>
    context.dispatch({ _tag: "Say", text: `Reports written to ${folder}`, level: "info" })
  )

const openReport = (run: string, context: ExecuteContext): Effect.Effect<void, Refusal> =>
  Effect.gen(function* () {
    const folder = yield* context.arena.exportReports(run)
    const page = `${folder}/report.html`
    const done = yield* context.openFile(page)
    const text = done ? `Opened ${page}` : `No page could be opened here; the reports are in ${folder}`
    context.dispatch({ _tag: "Say", text, level: "info" })
  })

const copy = ({ text, what }: { readonly text: string; readonly what: string }, context: ExecuteContext) =>
  Effect.sync(() => {
    const done = context.copy(text)
    const message = done
      ? `The ${what} is on the clipboard (${integer(text.length)} characters).`
      : `The ${what} is too long for the terminal's clipboard; export the run instead.`
    context.dispatch({ _tag: "Say", text: message, level: done ? "info" : "warning" })
  })

const perform = (command: Command, context: ExecuteContext): Effect.Effect<void, Refusal> => {
  switch (command._tag) {
    case "Start":
      return openLive(context.arena.start(command.choice), context)
    case "ResumeRun":
      return resume(command.record, context)
    case "Open":
      return showRecord(command.record, context)
    case "Compare":
      return compare(command.records, context)
    case "CancelCell":
      return cancelCell(command, context)
    case "RetryCell":
      return retryCell(command, context)
    case "Rank": {
      const run = context.library.get(command.run)
      return run === undefined ? Effect.void : rank(run, command.weights, context.changed)
    }
    case "Export":
      return exported(command.run, context)
    case "OpenReport":
      return openReport(command.run, context)
    case "Copy":
      return copy(command, context)
    case "ReadProject":
      return context.readProject
    case "ReadHistory":
      return context.readHistory
    case "Leave":
      return context.leave
    default:
      return steer(command, context)
  }
}

export const execute = (command: Command, context: ExecuteContext): Effect.Effect<void> =>
  Effect.catch(perform(command, context), (refused) =>
    Effect.sync(() => context.dispatch({ _tag: "Say", text: refused.message, level: "error" }))
  )
