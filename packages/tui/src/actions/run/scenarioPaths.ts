import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { OutputChannel } from "../../process/Output.ts"
import type { ReportSource } from "./reportSource.ts"

/** Which ways the scenarios of a run took, after its table; nothing for a project without scenarios. */
export const tellPaths = Effect.fnUntraced(function* (
  { collectPlays, report, store }: Pick<ReportSource, "collectPlays" | "report" | "store">,
  channel: OutputChannel
) {
  if (collectPlays === null) return
  const plays = collectPlays()
  yield* Stream.runForEachArray(store.results(report.run.runId), (results) =>
    Effect.sync(() => results.forEach(plays.add))
  )
  const { pathsText } = yield* Effect.promise(() => import("@agent-arena/core/scenario/view/PathText"))
  const text = pathsText(plays.statistics())
  if (text !== "") yield* channel.write(`\n${text}`)
})
