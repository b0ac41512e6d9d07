/** What is told and kept around a run, besides its report. */
import { dirname, join } from "node:path"
import type { Project } from "@agent-arena/core/domain/Project"
import type { RunRecord } from "@agent-arena/core/domain/Run"
import type { RunReport } from "@agent-arena/core/domain/RunReport"
import { plural } from "@agent-arena/core/report/Figures"
import { sanitise, sanitiseLine } from "@agent-arena/core/report/Sanitise"
import { appendRows, leaderboardRows } from "@agent-arena/core/store/LeaderboardLog"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { RunInput } from "../../commands/run.ts"
import { Output } from "../../process/Output.ts"
import { nextStep } from "../nextStep.ts"
import { readStores, writeStores } from "../projectStores.ts"
import type { Earlier } from "./earlier.ts"
import { renderParts } from "./parts.ts"

/** Says what a run begins with. */
export const announce = Effect.fnUntraced(function* ({ isResumed, remaining, remarks, run }: Earlier, quiet: boolean) {
  if (quiet) return
  const { stderr } = yield* Output
  const what = isResumed ? `going on with ${run.runId}` : `taking over results of ${run.runId}`
  yield* stderr.write(`${what}: ${plural(remaining.held, "result")} there\n`)
  for (const remark of remarks) yield* stderr.write(`${stderr.style.warn("!")} ${sanitiseLine(remark)}\n`)
})

/** Says which part of the run came from when. */
export const tellParts = (project: Project, run: RunRecord, quiet: boolean) =>
  Effect.gen(function* () {
    if (quiet) return
    const { stderr } = yield* Output
    const { reuse } = yield* readStores(project)
    const parts = yield* reuse.segments(run.runId)
    yield* stderr.write(renderParts(run, parts, { width: stderr.columns, style: stderr.style }))
  }).pipe(Effect.scoped)

/** Keeps what other programs read of a run: its rows in `leaderboard.jsonl` beside the database, and a new label. */
export const keepRecord = Effect.fnUntraced(function* (project: Project, input: RunInput, report: RunReport) {
  const { stderr } = yield* Output
  const { run } = report
  const file = join(dirname(project.output.db), "leaderboard.jsonl")
  yield* Effect.catch(appendRows(file, leaderboardRows(run, report.leaderboard)), (error) =>
    stderr.write(`${stderr.style.warn("!")} ${sanitise(error.message)}\n`)
  )
  if (Option.isSome(input.resume) && Option.isSome(input.label)) {
    const { value: label } = input.label
    yield* Effect.scoped(Effect.flatMap(writeStores(project), ({ shelf }) => shelf.note(run.runId, { label })))
  }
  const next = nextStep(run, input)
  if (next !== null && !input.quiet) yield* stderr.write(`go on with: ${next}\n`)
})
