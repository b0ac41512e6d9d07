import type { CallResult } from "@agent-arena/core/domain/CallResult"
import { runFileName } from "@agent-arena/core/domain/RunFileName"
import type { OutputSettings } from "@agent-arena/core/domain/Settings"
import type { StoreError } from "@agent-arena/core/domain/StoreError"
import * as CsvReport from "@agent-arena/core/report/CsvReport"
import * as HtmlReport from "@agent-arena/core/report/HtmlReport"
import * as JsonReport from "@agent-arena/core/report/JsonReport"
import * as JunitReport from "@agent-arena/core/report/JunitReport"
import * as MarkdownReport from "@agent-arena/core/report/MarkdownReport"
import * as ReportDetail from "@agent-arena/core/report/ReportDetail"
import * as ReportModel from "@agent-arena/core/report/ReportModel"
import type { PlayCollector } from "@agent-arena/core/scenario/view/PlayStatistics"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import type { ReportSource } from "./reportSource.ts"

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

const renderStreamed = (
  format: "json" | "csv" | "junit",
  source: ReportSource,
  results: Results,
  scenarios: PlayCollector["statistics"]
) => {
  const { generatedAt, parts, report } = source
  switch (format) {
    case "json":
      return JsonReport.render(report, results, { generatedAt, parts, scenarios })
    case "csv":
      return CsvReport.render(report.rules, results)
    case "junit":
      return JunitReport.render(report, results)
  }
}

/** What is gathered on the way while results are read for something else. */
interface Gathered {
  readonly add: (result: CallResult) => void
  readonly detail: ReportDetail.ReportDetail
  readonly scenarios: PlayCollector["statistics"]
}

const gather = ({ collectPlays, report }: ReportSource): Gathered => {
  const { add, detail } = ReportDetail.make(report.rules)
  const plays = collectPlays?.() ?? null
  return {
    add: (result) => {
      add(result)
      plays?.add(result)
    },
    detail,
    scenarios: () => plays?.statistics() ?? []
  }
}

const gathering = ({ add }: Gathered, results: Results): Results =>
  Stream.mapArray(results, (chunk) => {
    chunk.forEach(add)
    return chunk
  })

const renderPage = (format: "markdown" | "html", source: ReportSource, gathered: Gathered): string => {
  const { generatedAt, report, reproduce } = source
  const model = ReportModel.make(report)
  const { detail } = gathered
  const options = { detail, scenarios: gathered.scenarios(), generatedAt }
  return format === "markdown"
    ? MarkdownReport.render(model, { ...options, reproduce })
    : HtmlReport.render(model, options)
}

/** The report in one format, in pieces. */
export const renderFormat = (format: ReportFormat, source: ReportSource): Stream.Stream<string, StoreError> =>
  Stream.suspend(() => {
    const gathered = gather(source)
    const results = gathering(gathered, source.store.results(source.report.run.runId))
    if (isStreamed(format)) return renderStreamed(format, source, results, gathered.scenarios)
    return Stream.fromEffect(Effect.map(Stream.runDrain(results), () => renderPage(format, source, gathered)))
  })

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
    const folder = path.join(dir, runFileName(report.run.runId))
    if (formats.length === 0) return []
    yield* fs.makeDirectory(folder, { recursive: true })
    const fileOf = (format: ReportFormat) => path.join(folder, fileNames[format])
    const gathered = gather(source)
    const results = store.results(report.run.runId)
    // Reading is the larger part of the work: the first file that reads all results gathers for the pages, too.
    const first = formats.find((format) => format === "json") ?? formats.find((format) => format === "csv")
    const others = formats.filter((format) => isStreamed(format) && format !== first)
    const read = gathering(gathered, results)
    if (first === undefined && formats.some((format) => !isStreamed(format))) yield* Stream.runDrain(read)
    if (first !== undefined && isStreamed(first)) {
      yield* writeAtomically(fileOf(first), renderStreamed(first, source, read, gathered.scenarios))
    }
    for (const format of others) {
      if (!isStreamed(format)) continue
      yield* writeAtomically(fileOf(format), renderStreamed(format, source, results, gathered.scenarios))
    }
    for (const format of formats) {
      if (isStreamed(format)) continue
      yield* writeAtomically(fileOf(format), Stream.succeed(renderPage(format, source, gathered)))
    }
    return formats.map(fileOf)
  })
