import { RunId } from "@agent-arena/core/domain/Ids"
import type { Project } from "@agent-arena/core/domain/Project"
import type { ScenarioResult } from "@agent-arena/core/scenario/model/Turn"
import { playOf } from "@agent-arena/core/scenario/view/ScenarioOfResult"
import type { ResultStore } from "@agent-arena/core/store/ResultStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { CommandError } from "../../process/Failure.ts"
import { openStore } from "../stores.ts"

/** The plays of scenarios that a run holds. */
export const playsOf = (store: ResultStore["Service"], runId: RunId) =>
  Stream.runFold(
    store.results(runId),
    (): Array<ScenarioResult> => [],
    (plays, result) => {
      const play = playOf(result)
      if (play !== null) plays.push(play)
      return plays
    }
  )

/** The plays of the run that is asked for; the latest by default. */
export const namedResults = Effect.fnUntraced(function* (
  project: Project,
  { run }: { readonly run: Option.Option<string> }
) {
  const store = yield* openStore(project)
  const wanted = Option.getOrElse(run, () => "latest")
  const record = yield* store.run(wanted === "latest" ? "latest" : RunId.make(wanted))
  if (record === null) {
    const message = wanted === "latest" ? `${project.name} has no runs` : `there is no run ${wanted} in ${project.name}`
    return yield* new CommandError({ kind: "not_found", message, suggestion: "arena runs lists them" })
  }
  return { runId: record.runId, plays: yield* playsOf(store, record.runId) }
})
