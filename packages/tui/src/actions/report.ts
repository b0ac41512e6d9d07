import { RunId } from "@agent-arena/core/domain/Ids"
import type { Project } from "@agent-arena/core/domain/Project"
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
import { storedReport } from "./storedReport.ts"
import { openStore } from "./stores.ts"

const find = Effect.fnUntraced(function* (store: ResultStore["Service"], project: Project, wanted: string) {
  const run = yield* store.run(wanted === "latest" ? "latest" : RunId.make(wanted))
  if (run !== null) return run
  const what = wanted === "latest" ? `${project.name} has no runs` : `there is no run ${wanted} in ${project.name}`
  return yield* new CommandError({ kind: "not_found", message: what, suggestion: "arena runs lists them" })
})

/** `arena report`. */
export const printReport = (input: ReportInput) =>
  Effect.gen(function* () {
    const output = yield* Output
    const project = yield* loadProject(input)
    const store = yield* openStore(project)
    const run = yield* find(
      store,
      project,
      Option.getOrElse(input.run, () => "latest")
    )
    const report = yield* storedReport(store, run)
    const format = input.json ? "json" : input.format
    if (format === "table") {
      const layout = { width: output.stdout.columns, style: output.stdout.style }
      return yield* output.stdout.write(ConsoleReport.render(ReportModel.make(report), layout))
    }
    const generatedAt = new Date(yield* Clock.currentTimeMillis).toISOString()
    yield* output.pipe(renderFormat(format, { report, store, generatedAt, reproduce: null }))
  }).pipe(Effect.scoped, Effect.provide(engine))
