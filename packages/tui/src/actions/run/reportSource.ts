/** Everything that the reports of a run are made from. */
import type { RunId } from "@agent-arena/core/domain/Ids"
import type { Project } from "@agent-arena/core/domain/Project"
import type { RunReport } from "@agent-arena/core/domain/RunReport"
import type { PlayCollector } from "@agent-arena/core/scenario/view/PlayStatistics"
import type { ResultStore } from "@agent-arena/core/store/ResultStore"
import type { RunSegment } from "@agent-arena/core/store/RunSegments"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { readStores } from "../projectStores.ts"

/** What the renderers need to know about a run. */
export interface ReportSource {
  readonly report: RunReport
  readonly store: ResultStore["Service"]
  /** Null = they could not be read. */
  readonly parts: ReadonlyArray<RunSegment> | null
  /** Makes an empty collector of what the scenarios of the run came to; null = the project has none. */
  readonly collectPlays: (() => PlayCollector) | null
  /** ISO 8601 UTC. */
  readonly generatedAt: string
  /** Command that repeats the run; null when it is not known. */
  readonly reproduce: string | null
}

/** Projects without scenarios do not load what reads them. */
export const playCollectors = (project: Project): Effect.Effect<(() => PlayCollector) | null> => {
  if (!project.cases.some(({ scenario }) => scenario !== undefined)) return Effect.succeed(null)
  const modules = Effect.promise(() =>
    Promise.all([
      import("@agent-arena/core/scenario/ScenarioOfCase"),
      import("@agent-arena/core/scenario/view/PlayStatistics")
    ])
  )
  return Effect.map(modules, ([{ scenariosOf }, { collectPlays }]) => {
    const scenarios = scenariosOf(project.cases)
    return () => collectPlays(scenarios)
  })
}

/** A report without its parts is better than none. */
const partsOf = (project: Project, id: RunId) =>
  Effect.flatMap(readStores(project), ({ reuse }) => reuse.segments(id)).pipe(
    Effect.scoped,
    Effect.orElseSucceed(() => null)
  )

export const reportSource = Effect.fnUntraced(function* (
  project: Project,
  report: RunReport,
  store: ResultStore["Service"],
  reproduce: string | null = null
) {
  const source: ReportSource = {
    report,
    store,
    parts: yield* partsOf(project, report.run.runId),
    collectPlays: yield* playCollectors(project),
    generatedAt: new Date(yield* Clock.currentTimeMillis).toISOString(),
    reproduce
  }
  return source
})
