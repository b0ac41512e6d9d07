import type { RunHandle } from "@agent-arena/core/engine/RunHandle"
import { stringify } from "@agent-arena/core/report/JsonText"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Output } from "../../process/Output.ts"

/** Opens where events go, before anything is spent: a path, or `-` for stdout. */
export const openSink = (
  target: string
): Effect.Effect<
  (text: string) => Effect.Effect<void, PlatformError>,
  PlatformError,
  Output | FileSystem.FileSystem | Scope.Scope
> =>
  Effect.gen(function* () {
    if (target === "-") {
      const { stdout } = yield* Output
      return stdout.write
    }
    const fs = yield* FileSystem.FileSystem
    const file = yield* fs.open(target, { flag: "w" })
    const encoder = new TextEncoder()
    return (text) => file.writeAll(encoder.encode(text))
  })

/**
 * Writes the events of a run as NDJSON, in pieces. A slow disk or reader makes it lose the oldest events (a gap in
 * `seq`) and never slows the run. The returned effect waits until the last event is written.
 */
export const writeEvents = <E>(
  handle: RunHandle,
  write: (text: string) => Effect.Effect<void, E>
): Effect.Effect<Effect.Effect<void, E>, never, Scope.Scope> =>
  handle.events.pipe(
    Stream.runForEachArray((events) => write(events.map((event) => `${stringify(event)}\n`).join(""))),
    Effect.forkScoped({ startImmediately: true }),
    Effect.map(Fiber.join)
  )
