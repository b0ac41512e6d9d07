/** Shows a run on stderr while it goes on. What it takes is loaded when it is needed; the run never waits for it. */
import type { Project } from "@agent-arena/core/domain/Project"
import type { RunHandle } from "@agent-arena/core/engine/RunHandle"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { OutputChannel } from "../process/Output.ts"

/** `bar` redraws a few lines in place, `log` says how far the run is every few seconds. */
export type ProgressMode = "bar" | "log" | "none"

/** Shows progress until the scope closes. */
export const show = (
  handle: RunHandle,
  project: Project,
  channel: OutputChannel,
  mode: ProgressMode
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    if (mode === "none") return
    const { env } = process
    const { watch } = yield* Effect.promise(() => import("./Watch.ts"))
    const watched = yield* watch(handle, project)
    // Nothing can be redrawn on a terminal that knows no sequences, nor read aloud while it changes.
    if (mode === "log" || env["TERM"] === "dumb" || env["INK_SCREEN_READER"] === "true") {
      const { showLog } = yield* Effect.promise(() => import("./LogProgress.ts"))
      return yield* showLog(watched, channel)
    }
    const { showInline } = yield* Effect.promise(() => import("./InlineProgress.ts"))
    yield* showInline(watched, channel, env)
  })
