/**
 * Time to read, rank and report a stored run: `node bench/ranking.ts CELLS`. Prints one JSON line. The run is made first
 * by simulated models of different accuracy and is not part of the times.
 */
import { Arena } from "@agent-arena/core/engine/Arena"
import * as Project from "@agent-arena/core/project/Project"
import * as Leaderboard from "@agent-arena/core/ranking/Leaderboard"
import * as Measurements from "@agent-arena/core/ranking/Measurements"
import * as JsonReport from "@agent-arena/core/report/JsonReport"
import * as MarkdownReport from "@agent-arena/core/report/MarkdownReport"
import * as ReportDetail from "@agent-arena/core/report/ReportDetail"
import * as ReportModel from "@agent-arena/core/report/ReportModel"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { benchFolder, peakMb } from "./project.ts"

const contestants = 4

const [cells = 100_000] = process.argv.slice(2).map(Number)

const seconds = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const before = performance.now()
    return Effect.map(effect, (value) => ({ value, seconds: (performance.now() - before) / 1_000 }))
  })

const measure = Effect.gen(function* () {
  const params = { mode: "flaky", accuracy: 80 }
  const cases = Math.round(cells / contestants)
  const folder = yield* benchFolder({ contestants, cases, trials: 1, concurrency: 64, params })
  const project = yield* Project.load(folder)
  const arena = yield* Arena
  const store = yield* arena.store(project)
  const run = yield* Arena.start(project)
  const report = yield* run.result
  const { rules } = report

  const measured = yield* seconds(
    Effect.suspend(() => {
      const measurements = Measurements.make(rules)
      const add = Stream.runForEach(store.results(run.id), (result) => Effect.sync(() => measurements.add(result)))
      return Effect.as(add, measurements)
    })
  )
  const ranked = yield* seconds(Effect.sync(() => Leaderboard.rank(rules, measured.value, { complete: true })))
  const reported = yield* seconds(
    Effect.gen(function* () {
      const detail = yield* ReportDetail.collect(rules, store.results(run.id))
      const generatedAt = report.run.startedAt
      const page = MarkdownReport.render(ReportModel.make(report), {
        detail,
        scenarios: [],
        generatedAt,
        reproduce: null
      })
      const json = yield* Stream.runFold(
        JsonReport.render(report, store.results(run.id), { generatedAt, parts: [], scenarios: () => [] }),
        () => 0,
        (length, piece) => length + piece.length
      )
      return page.length + json
    })
  )
  return {
    cells: report.run.counts.finished,
    measureSeconds: measured.seconds,
    rankSeconds: ranked.seconds,
    reportSeconds: reported.seconds,
    reportBytes: reported.value,
    peakMb: peakMb()
  }
})

const result = await Effect.runPromise(measure.pipe(Effect.scoped, Effect.provide(Arena.layer)))
process.stdout.write(`${JSON.stringify(result)}\n`)
