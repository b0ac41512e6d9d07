/** What is told and kept around a run, besides its report. */
import type { Project } from "@agent-arena/core/domain/Project"
import type { RunRecord } from "@agent-arena/core/domain/Run"
import type { RunReport } from "@agent-arena/core/domain/RunReport"
import { countWaiting } from "@agent-arena/core/engine/GradeRun"
import { plural } from "@agent-arena/core/report/Figures"
import { sanitiseLine } from "@agent-arena/core/report/Sanitise"
import type { ResultStore } from "@agent-arena/core/store/ResultStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { RunInput } from "../../commands/run.ts"
import { Output } from "../../process/Output.ts"
import { commandOn, nextStep } from "../nextStep.ts"
import { readStores, writeStores } from "../projectStores.ts"
import { warningLine } from "../warningLine.ts"
import type { Earlier } from "./earlier.ts"
import { renderParts } from "./parts.ts"

/** Says what was strange about the files of the project when they were read. */
export const tellWarnings = Effect.fnUntraced(function* ({ warnings }: Project, quiet: boolean) {
  if (quiet) return
  const { stderr } = yield* Output
  for (const warning of warnings) yield* stderr.write(`${warningLine(warning, stderr.style)}\n`)
})

/** Says what a run begins with. */
export const announce = Effect.fnUntraced(function* ({ isResumed, remaining, remarks, run }: Earlier, quiet: boolean) {
  if (quiet) return
  const { stderr } = yield* Output
  const what = isResumed ? `going on with ${run.runId}` : `taking over results of ${run.runId}`
  yield* stderr.write(`${what}: ${plural(remaining.held, "result")} there\n`)
  for (const remark of remarks) yield* stderr.write(`${stderr.style.warn("!")} ${sanitiseLine(remark)}\n`)
})

/** Says which part of the run came from when. */
export const tellParts = (project: Project, run: RunRecord, known: number, quiet: boolean) =>
  Effect.gen(function* () {
    if (quiet) return
    const { stderr } = yield* Output
    const { reuse } = yield* readStores(project)
    const parts = yield* reuse.segments(run.runId)
    yield* stderr.write(renderParts(run, parts, known, { width: stderr.columns, style: stderr.style }))
  }).pipe(Effect.scoped)

/** Says how many answers wait for a person, and what to type. */
export const tellWaiting = Effect.fnUntraced(function* (
  store: ResultStore["Service"],
  input: RunInput,
  { leaderboard, run }: RunReport
) {
  if (input.quiet || leaderboard.entries.every(({ stats }) => stats.graded >= stats.completed)) return
  const waiting = yield* countWaiting(store, run.runId)
  if (waiting === 0) return
  const { stderr } = yield* Output
  const verb = waiting === 1 ? "waits" : "wait"
  yield* stderr.write(`${plural(waiting, "answer")} ${verb} for a grade: ${commandOn("grade", run.runId, input)}
`)
})

/** Gives a resumed run its new label, and says what to type next when something is left to do. */
export const closeRun = Effect.fnUntraced(function* (project: Project, input: RunInput, run: RunRecord) {
  const { stderr } = yield* Output
  if (Option.isSome(input.resume) && Option.isSome(input.label)) {
    const { value: label } = input.label
    yield* Effect.scoped(Effect.flatMap(writeStores(project), ({ shelf }) => shelf.note(run.runId, { label })))
  }
  const next = nextStep(run, input)
  if (next !== null && !input.quiet) yield* stderr.write(`go on with: ${next}\n`)
})
