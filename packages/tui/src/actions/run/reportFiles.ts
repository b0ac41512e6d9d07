import type { RunReport } from "@agent-arena/core/domain/RunReport"
import type { OutputSettings } from "@agent-arena/core/domain/Settings"
import type { StoreError } from "@agent-arena/core/domain/StoreError"
import * as CsvReport from "@agent-arena/core/report/CsvReport"
import * as HtmlReport from "@agent-arena/core/report/HtmlReport"
import * as JsonReport from "@agent-arena/core/report/JsonReport"
import * as JunitReport from "@agent-arena/core/report/JunitReport"
import * as MarkdownReport from "@agent-arena/core/report/MarkdownReport"
import * as ReportDetail from "@agent-arena/core/report/ReportDetail"
import * as ReportModel from "@agent-arena/core/report/ReportModel"
import type { ResultStore } from "@agent-arena/core/store/ResultStore"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Stream from "effect/Stream"

/** What the renderers need to know about a run. */
export interface ReportSource {
  readonly report: RunReport
  readonly store: ResultStore["Service"]
  /** ISO 8601 UTC. */
  readonly generatedAt: string
  /** Command that repeats the run; null when it is not known. */
  readonly reproduce: string | null
}

/** As in `output.formats`. */
export type ReportFormat = OutputSettings["formats"][number]

export const fileNames: Readonly<Record<ReportFormat, string>> = {
  markdown: "report.md",
  json: "results.json",
  csv: "results.csv",
  html: "report.html",
  junit: "junit.xml"
}

/** A page that needs every result, but none of them twice. */
const withDetail = (
  { report, store }: ReportSource,
  render: (model: ReportModel.ReportModel, detail: ReportDetail.ReportDetail) => string
): Stream.Stream<string, StoreError> =>
  Stream.fromEffect(
    Effect.map(ReportDetail.collect(report.rules, store.results(report.run.runId)), (detail) =>
      render(ReportModel.make(report), detail)
    )
  )

/** The report in one format, in pieces. */
export const renderFormat = (format: ReportFormat, source: ReportSource): Stream.Stream<string, StoreError> => {
  const { generatedAt, report, reproduce, store } = source
  switch (format) {
    case "json":
      return JsonReport.render(report, store.results(report.run.runId), generatedAt)
    case "csv":
      return CsvReport.render(report.rules, store.results(report.run.runId))
    case "junit":
      return JunitReport.render(report, store.results(report.run.runId))
    case "markdown":
      return withDetail(source, (model, detail) => MarkdownReport.render(model, { detail, generatedAt, reproduce }))
    case "html":
      return withDetail(source, (model, detail) => HtmlReport.render(model, detail, generatedAt))
  }
}

/** Writes one file beside its final name and renames it: a reader sees the old file or the new one, whole. */
const writeAtomically = <E>(file: string, chunks: Stream.Stream<string, E>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const partial = `${file}.partial`
    const encoded = Stream.encodeText(chunks)
    yield* Stream.run(encoded, fs.sink(partial)).pipe(
      Effect.tapError(() => Effect.ignore(fs.remove(partial, { force: true })))
    )
    yield* fs.rename(partial, file)
  })

/** Writes the files of a run into `<dir>/<run id>/` and returns their paths. */
export const writeReportFiles = (dir: string, formats: ReadonlyArray<ReportFormat>, source: ReportSource) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const folder = path.join(dir, source.report.run.runId)
    if (formats.length > 0) yield* fs.makeDirectory(folder, { recursive: true })
    return yield* Effect.forEach(formats, (format) => {
      const file = path.join(folder, fileNames[format])
      return Effect.as(writeAtomically(file, renderFormat(format, source)), file)
    })
  })
