import type { CallResult } from "@agent-arena/core/domain/CallResult"
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

type Results = Stream.Stream<CallResult, StoreError>

/** Formats that are written result by result; the others look at all of them first. */
const isStreamed = (format: ReportFormat): format is "json" | "csv" | "junit" =>
  format === "json" || format === "csv" || format === "junit"

const renderStreamed = (format: "json" | "csv" | "junit", { generatedAt, report }: ReportSource, results: Results) => {
  switch (format) {
    case "json":
      return JsonReport.render(report, results, generatedAt)
    case "csv":
      return CsvReport.render(report.rules, results)
    case "junit":
      return JunitReport.render(report, results)
  }
}

const renderPage = (format: "markdown" | "html", source: ReportSource, detail: ReportDetail.ReportDetail): string => {
  const { generatedAt, report, reproduce } = source
  const model = ReportModel.make(report)
  return format === "markdown"
    ? MarkdownReport.render(model, { detail, generatedAt, reproduce })
    : HtmlReport.render(model, detail, generatedAt)
}

/** The report in one format, in pieces. */
export const renderFormat = (format: ReportFormat, source: ReportSource): Stream.Stream<string, StoreError> => {
  const { report, store } = source
  const results = store.results(report.run.runId)
  if (isStreamed(format)) return renderStreamed(format, source, results)
  const page = Effect.map(ReportDetail.collect(report.rules, results), (detail) => renderPage(format, source, detail))
  return Stream.fromEffect(page)
}

/** Writes one file beside its final name and renames it: a reader sees the old file or the new one, whole. */
export const writeAtomically = <E>(file: string, chunks: Stream.Stream<string, E>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const partial = `${file}.partial`
    const encoded = Stream.encodeText(chunks)
    yield* Stream.run(encoded, fs.sink(partial)).pipe(
      Effect.onError(() => Effect.ignore(fs.remove(partial, { force: true })))
    )
    yield* fs.rename(partial, file)
  })

/** Writes the files of a run into `<dir>/<run id>/` and returns their paths. */
export const writeReportFiles = (dir: string, formats: ReadonlyArray<ReportFormat>, source: ReportSource) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { report, store } = source
    const folder = path.join(dir, report.run.runId)
    if (formats.length === 0) return []
    yield* fs.makeDirectory(folder, { recursive: true })
    const fileOf = (format: ReportFormat) => path.join(folder, fileNames[format])
    const { add, detail } = ReportDetail.make(report.rules)
    const results = store.results(report.run.runId)
    // Reading is the larger part of the work: the first file that reads all results gathers for the pages, too.
    const gathering = Stream.mapArray(results, (chunk) => {
      chunk.forEach(add)
      return chunk
    })
    const [first, ...others] = formats.filter((format) => format === "json" || format === "csv")
    if (first === undefined && formats.some((format) => !isStreamed(format))) yield* Stream.runDrain(gathering)
    if (first !== undefined) yield* writeAtomically(fileOf(first), renderStreamed(first, source, gathering))
    for (const format of [...others, ...formats.filter((one) => one === "junit")]) {
      yield* writeAtomically(fileOf(format), renderStreamed(format, source, results))
    }
    for (const format of formats) {
      if (isStreamed(format)) continue
      yield* writeAtomically(fileOf(format), Stream.succeed(renderPage(format, source, detail)))
    }
    return formats.map(fileOf)
  })
