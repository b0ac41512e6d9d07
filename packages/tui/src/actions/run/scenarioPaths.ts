import type { RunId } from "@agent-arena/core/domain/Ids"
import type { Project } from "@agent-arena/core/domain/Project"
import type { ResultStore } from "@agent-arena/core/store/ResultStore"
import * as Effect from "effect/Effect"
import type { OutputChannel } from "../../process/Output.ts"

/** Which ways the scenarios of a run took, after its table; nothing for a project without scenarios. */
export const tellPaths = Effect.fnUntraced(function* (
  project: Project,
  store: ResultStore["Service"],
  runId: RunId,
  channel: OutputChannel
) {
  if (!project.cases.some(({ scenario }) => scenario !== undefined)) return
  const [{ scenariosOf }, { pathsText }, { playsOf }] = yield* Effect.promise(() =>
    Promise.all([
      import("@agent-arena/core/scenario/ScenarioOfCase"),
      import("@agent-arena/core/scenario/view/PathText"),
      import("../scenario/results.ts")
    ])
  )
  const text = pathsText(scenariosOf(project.cases), yield* playsOf(store, runId))
  if (text !== "") yield* channel.write(`\n${text}`)
})
