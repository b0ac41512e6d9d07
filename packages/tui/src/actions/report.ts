import { RunId } from "@agent-arena/core/domain/Ids"
import type { Project } from "@agent-arena/core/domain/Project"
import type { RunReport } from "@agent-arena/core/domain/RunReport"
import * as ConsoleReport from "@agent-arena/core/report/ConsoleReport"
import * as ReportModel from "@agent-arena/core/report/ReportModel"
import type { ResultStore } from "@agent-arena/core/store/ResultStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ReportInput } from "../commands/report.ts"
import { CommandError } from "../process/Failure.ts"
import { Output } from "../process/Output.ts"
import { engine } from "./engine.ts"
import { loadProject } from "./projects.ts"
import { renderFormat } from "./run/reportFiles.ts"
import { openStore } from "./stores.ts"

const notFound = (message: string, suggestion: string) => new CommandError({ kind: "not_found", message, suggestion })

/** A run as it was reported when it ended, from the store alone. */
const readReport = Effect.fnUntraced(function* (store: ResultStore["Service"], project: Project, wanted: string) {
  const run = yield* store.run(wanted === "latest" ? "latest" : RunId.make(wanted))
  if (run === null) {
    const what = wanted === "latest" ? `${project.name} has no runs` : `there is no run ${wanted} in ${project.name}`
    return yield* notFound(what, "arena runs lists them")
  }
  const header = yield* store.header(run.runId)
  const leaderboard = yield* store.leaderboard(run.runId)
  if (header === null || leaderboard === null) {
    return yield* notFound(`${run.runId} has no leaderboard: it is ${run.status}`, "arena runs shows how far it came")
  }
  const report: RunReport = { run, leaderboard, ...header, problems: [] }
  return report
})

/** `arena report`. */
export const printReport = (input: ReportInput) =>
  Effect.gen(function* () {
    const output = yield* Output
    const project = yield* loadProject(input)
    const store = yield* openStore(project)
    const report = yield* readReport(
      store,
      project,
      Option.getOrElse(input.run, () => "latest")
    )
    const format = input.json ? "json" : input.format
    if (format === "table") {
      const layout = { width: output.stdout.columns, style: output.stdout.style }
      return yield* output.stdout.write(ConsoleReport.render(ReportModel.make(report), layout))
    }
    const generatedAt = new Date(yield* Clock.currentTimeMillis).toISOString()
    yield* output.pipe(renderFormat(format, { report, store, generatedAt, reproduce: null }))
  }).pipe(Effect.scoped, Effect.provide(engine))
