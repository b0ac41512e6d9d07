/**
 * Shows a run on stderr while it goes on. What it takes is loaded when the run turns out to last; the run never waits for
 * it.
 */
import type { Project } from "@agent-arena/core/domain/Project"
import type { RunHandle } from "@agent-arena/core/engine/RunHandle"
import { sanitiseLine } from "@agent-arena/core/report/Sanitise"
import { wrap } from "@agent-arena/core/report/TextTable"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { OutputChannel } from "../process/Output.ts"

/** `bar` redraws a few lines in place, `log` says how far the run is every few seconds. */
export type ProgressMode = "bar" | "log" | "none"

/** A run that is over by then needs no progress, and should not wait for the code that shows it. */
const patience: Duration.Input = "100 millis"

/** Who cannot run, said before anything else. */
const tellSkipped = ({ measurements }: RunHandle, channel: OutputChannel): Effect.Effect<void> =>
  Effect.forEach(
    measurements.rules.contestants.flatMap(({ key, skipped }) => (skipped === null ? [] : [{ key, skipped }])),
    ({ key, skipped }) =>
      channel.write(`${wrap(sanitiseLine(`skipping ${key}: ${skipped}`), channel.columns, "  ").join("\n")}\n`),
    { discard: true }
  )

const showNow = (
  handle: RunHandle,
  project: Project,
  channel: OutputChannel,
  mode: "bar" | "log"
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
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

/** Shows progress until the scope closes. */
export const show = (
  handle: RunHandle,
  project: Project,
  channel: OutputChannel,
  mode: ProgressMode
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    if (mode === "none") return
    yield* tellSkipped(handle, channel)
    yield* Effect.forkScoped(Effect.delay(showNow(handle, project, channel, mode), patience))
  })
