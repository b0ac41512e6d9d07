import type { RunReport } from "@agent-arena/core/domain/RunReport"
import * as ConsoleReport from "@agent-arena/core/report/ConsoleReport"
import * as ReportModel from "@agent-arena/core/report/ReportModel"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ReportInput } from "../commands/report.ts"
import { Output } from "../process/Output.ts"
import { engine } from "./engine.ts"
import { nextStep } from "./nextStep.ts"
import { findRun, type ProjectStores, readStores } from "./projectStores.ts"
import { loadProject } from "./projects.ts"
import { renderParts } from "./run/parts.ts"
import { renderFormat } from "./run/reportFiles.ts"
import { reportSource } from "./run/reportSource.ts"
import { storedReport } from "./storedReport.ts"

/** The report as a table, and beside it which part came from when and what to type next. */
const printTable = Effect.fnUntraced(function* (stores: ProjectStores, report: RunReport, input: ReportInput) {
  const { stderr, stdout } = yield* Output
  yield* stdout.write(ConsoleReport.render(ReportModel.make(report), { width: stdout.columns, style: stdout.style }))
  const parts = yield* stores.reuse.segments(report.run.runId)
  yield* stderr.write(renderParts(report.run, parts, null, { width: stderr.columns, style: stderr.style }))
  const next = nextStep(report.run, input)
  if (next !== null) yield* stderr.write(`go on with: ${next}\n`)
})

/** `arena report`. */
export const printReport = (input: ReportInput) =>
  Effect.gen(function* () {
    const output = yield* Output
    const project = yield* loadProject(input)
    const stores = yield* readStores(project)
    const wanted = Option.getOrElse(input.run, () => "latest")
    const run = yield* findRun(stores, project, wanted)
    const { store } = stores
    const report = yield* storedReport(store, run)
    const format = input.json ? "json" : input.format
    if (format === "table") return yield* printTable(stores, report, input)
    yield* output.pipe(renderFormat(format, yield* reportSource(project, report, store)))
  }).pipe(Effect.scoped, Effect.provide(engine))
