/** A run of a project with targets of the test's own, and what it has left behind. */
import type { CallResult } from "@agent-arena/core/domain/CallResult"
import type { Contestant } from "@agent-arena/core/domain/Contestant"
import type { Project } from "@agent-arena/core/domain/Project"
import type { RunEvent } from "@agent-arena/core/domain/RunEvent"
import { Arena, type StartOptions } from "@agent-arena/core/engine/Arena"
import type { RunHandle } from "@agent-arena/core/engine/RunHandle"
import * as Projects from "@agent-arena/core/project/Project"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { loadProject } from "../projects.ts"
import { readStore } from "./Play.ts"

/** A project whose contestants are these targets; `cases` cases t1, t2, … want the answer "yes". */
export const projectWith = (
  targets: ReadonlyArray<Contestant>,
  cases: number | ReadonlyArray<unknown>,
  config: Readonly<Record<string, unknown>> = {}
) =>
  Effect.map(loadProject({ models: [{ model: "mock:unused" }], ...config }, cases), (project) =>
    Projects.withContestants({ ...project, contestants: [] }, targets)
  )

export interface Started {
  readonly run: RunHandle
  readonly events: ReadonlyArray<RunEvent>
  /** The row and the results as the database has them. */
  readonly stored: ReturnType<typeof readStore>
}

/** Starts a run and follows its events. */
export const start = Effect.fnUntraced(function* (project: Project, options: StartOptions = {}) {
  const run = yield* Arena.start(project, options)
  const events: Array<RunEvent> = []
  yield* Effect.forkScoped(
    Stream.runForEach(run.events, (event) => Effect.sync(() => events.push(event))),
    { startImmediately: true }
  )
  const started: Started = { run, events, stored: readStore(project, run) }
  return started
})

/** How many cells ended which way. */
export const tally = (results: ReadonlyArray<CallResult>) => {
  const counts: Record<string, number> = {}
  for (const { stopReason } of results) counts[stopReason] = (counts[stopReason] ?? 0) + 1
  return counts
}
