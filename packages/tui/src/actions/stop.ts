import type { Project } from "@agent-arena/core/domain/Project"
import type { RunRecord } from "@agent-arena/core/domain/Run"
import type { StoreError } from "@agent-arena/core/domain/StoreError"
import { duration, plural } from "@agent-arena/core/report/Figures"
import { runToJson } from "@agent-arena/core/report/JsonReport"
import { stopClause } from "@agent-arena/core/report/ReportModel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type NamedProject, namedRun } from "../commands/flags.ts"
import type { StopInput } from "../commands/stop.ts"
import { CommandError } from "../process/Failure.ts"
import { Output } from "../process/Output.ts"
import { engine } from "./engine.ts"
import { nextStep } from "./nextStep.ts"
import { findRun, type ProjectStores, readStores, runsOf } from "./projectStores.ts"
import { loadProject } from "./projects.ts"
import { askToStop } from "./run/askToStop.ts"
import { forgetWish } from "./run/stopRequest.ts"
import { tell } from "./theRun.ts"

/** How often is looked whether the run has ended, ms. */
const pollMs = 200
/** What a run may take beyond its drain until its row is written, ms. */
const endingMs = 15_000

const conflict = (message: string, suggestion: string | null) =>
  new CommandError({ kind: "conflict", message, suggestion })

/** The one run of the project that goes on. */
const runningRun = Effect.fnUntraced(function* (stores: ProjectStores, project: Project) {
  const running = (yield* runsOf(stores, project)).filter(({ status }) => status === "running")
  const [only, ...others] = running
  if (only === undefined) {
    const suggestion = "arena runs lists those that have ended"
    return yield* new CommandError({ kind: "not_found", message: `no run of ${project.name} goes on`, suggestion })
  }
  if (others.length === 0) return only
  const ids = running.map(({ runId }) => runId).join(", ")
  return yield* conflict(`${plural(running.length, "run")} of ${project.name} go on: ${ids}`, "name one of them")
})

/** The run as it ended; null when it goes on longer than it should. */
const awaitEnd = (
  { store }: ProjectStores,
  run: RunRecord,
  limitMs: number
): Effect.Effect<RunRecord | null, StoreError> =>
  Effect.gen(function* () {
    const until = (yield* Clock.currentTimeMillis) + limitMs
    while ((yield* Clock.currentTimeMillis) < until) {
      const record = yield* store.run(run.runId)
      if (record !== null && record.status !== "running") return record
      yield* Effect.sleep(pollMs)
    }
    return null
  })

const ended = (run: RunRecord, named: NamedProject, already: string): string => {
  const { finished, planned } = run.counts
  const next = nextStep(run, named)
  const why = run.status === "completed" ? "" : ` because ${stopClause(run.stopReason)}`
  return [
    `${run.runId} ${already}: ${run.status}${why}; ${finished} of ${plural(planned, "cell")} have an outcome`,
    ...(next === null ? [] : [`go on with: ${next}`])
  ].join("\n")
}

/** `arena stop`. */
export const stopRun = (input: StopInput) =>
  Effect.gen(function* () {
    const { stderr } = yield* Output
    const named = namedRun(input)
    const project = yield* loadProject(named)
    const stores = yield* readStores(project)
    const run = yield* Option.isSome(named.run)
      ? findRun(stores, project, named.run.value)
      : runningRun(stores, project)
    if (run.status !== "running") {
      return yield* tell(input.json, ended(run, named, "has ended already"), { action: "none", run: runToJson(run) })
    }
    const pid = yield* askToStop(project.output.db, run, input.now)
    if (input.noWait) {
      return yield* tell(input.json, `asked ${run.runId} (process ${pid}) to stop`, {
        action: "asked",
        pid,
        run: runToJson(run)
      })
    }
    const limitMs = (input.now ? 0 : project.run.drainS * 1000) + endingMs
    const patience = input.now ? "" : `; calls in flight may take up to ${duration(project.run.drainS * 1000)}`
    yield* stderr.write(`asked ${run.runId} (process ${pid}) to stop${patience}\n`)
    const last = yield* Effect.ensuring(
      awaitEnd(stores, run, limitMs),
      Effect.sync(() => forgetWish(project.output.db, run.runId))
    )
    if (last === null) {
      return yield* conflict(`${run.runId} was asked to stop and still goes on`, "arena stop --now interrupts it")
    }
    yield* tell(input.json, ended(last, named, "has stopped"), { action: "stopped", run: runToJson(last) })
  }).pipe(Effect.scoped, Effect.provide(engine))
