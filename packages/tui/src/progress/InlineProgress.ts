/** Draws the inline view in a terminal for as long as a run goes on, and takes it away again. */
import { plain } from "@agent-arena/core/report/Style"
import { wrap } from "@agent-arena/core/report/TextTable"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { asciiLine } from "../app/terminal/Ascii.ts"
import { type Capabilities, capabilities } from "../app/terminal/Capabilities.ts"
import { line, lineText } from "../app/terminal/Line.ts"
import { followSuspension } from "../app/terminal/Suspension.ts"
import { makeTheme } from "../app/terminal/Theme.ts"
import type { OutputChannel } from "../process/Output.ts"
import { clearInline, type InlinePainter, makeInlinePainter } from "./InlinePainter.ts"
import { inlineView } from "./InlineView.ts"
import type { Watched } from "./Watch.ts"

/** Ten frames a second: numbers that change faster cannot be read. */
const frameMs = 100
/** After a frame that took t, the next one waits at least 30 t: drawing takes a thirtieth of a core. */
const restFactor = 30

type Environment = Readonly<Record<string, string | undefined>>

const painterFor = (channel: OutputChannel, { ascii, background, depth }: Capabilities): InlinePainter => {
  // The flags of the command line are known to the channel only.
  return makeInlinePainter(makeTheme(channel.style === plain ? "none" : depth, background), ascii)
}

/** Shows the run until the scope closes. Remarks scroll away above and stay. */
export const showInline = (
  { remarks, run }: Watched,
  channel: OutputChannel,
  env: Environment
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const precise = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
    const can = capabilities(env, {})
    const painter = painterFor(channel, can)
    const spell = (text: string) => (can.ascii ? lineText(asciiLine(line(text))) : text)
    const taken = () => remarks.take().flatMap((text) => wrap(spell(text), channel.columns, "  "))
    const frame = (): string => {
      const size = { width: channel.columns ?? 80, height: channel.rows ?? 24 }
      return painter.paint(taken(), inlineView(run, clock.currentTimeMillisUnsafe(), size))
    }
    const draw = Effect.gen(function* () {
      const start = precise()
      const bytes = frame()
      const took = precise() - start
      yield* channel.write(bytes)
      yield* Effect.sleep(Math.max(frameMs, took * restFactor))
    })
    const clear = Effect.suspend(() =>
      channel.write(
        clearInline +
          taken()
            .map((text) => `${text}\n`)
            .join("")
      )
    )
    // Whoever ends the process at once (Ctrl-C for the third time) or stops it (Ctrl-Z) gets the prompt on an empty line.
    const clearAtExit = () => {
      Effect.runFork(channel.write(clearInline))
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => process.once("exit", clearAtExit)),
      () => Effect.sync(() => process.off("exit", clearAtExit))
    )
    yield* followSuspension({ leave: clearAtExit, enter: painter.forget })
    yield* Effect.addFinalizer(() => clear)
    yield* Effect.forkScoped(Effect.forever(draw))
  })
