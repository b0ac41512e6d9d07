/** A line every few seconds, for logs and CI. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { OutputChannel } from "../process/Output.ts"
import { logLine } from "./ProgressLine.ts"
import type { Watched } from "./Watch.ts"

/** How often remarks are looked for, ms, and every how many looks the run gets a line: every five seconds. */
const lookMs = 100
const lineEvery = 50

/** Writes until the scope closes. */
export const showLog = ({ remarks, run }: Watched, channel: OutputChannel): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const say = (lines: ReadonlyArray<string>) => channel.write(lines.map((text) => `${text}\n`).join(""))
    const look = Effect.suspend(() => say(remarks.take()))
    let looks = 0
    const tick = Effect.gen(function* () {
      yield* look
      looks += 1
      if (looks % lineEvery === 0) yield* say([logLine(run.model, yield* Clock.currentTimeMillis)])
      yield* Effect.sleep(lookMs)
    })
    yield* Effect.addFinalizer(() => look)
    yield* Effect.forkScoped(Effect.forever(tick))
  })
