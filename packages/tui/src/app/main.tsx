/** The live terminal UI as one Effect: mounts the screen, runs the program, gives the terminal back. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { render } from "ink"
import { Screen } from "./component/Screen.tsx"
import type { RunSource } from "./run/RunSource.ts"
import { makePainter } from "./runtime/Painter.ts"
import { makeProgram } from "./runtime/Program.ts"
import { capabilities } from "./terminal/Capabilities.ts"
import { makeTheme } from "./terminal/Theme.ts"

export interface AppOptions {
  readonly source: RunSource
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly env: Readonly<Record<string, string | undefined>>
  readonly ascii?: boolean
  readonly background?: "dark" | "light"
}

export const runApp = (options: AppOptions): Effect.Effect<number, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { stdin, stdout } = options
    const can = capabilities(options.env, options)
    const program = yield* makeProgram(options.source, { width: stdout.columns, height: stdout.rows })
    const painter = makePainter(makeTheme(can.depth, can.background), can.ascii)
    const resized = () => program.resize({ width: stdout.columns, height: stdout.rows })
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        render(
          <Screen
            store={program.frames}
            painter={painter}
            onKey={program.key}
            onPaste={program.paste}
            onResize={resized}
            write={(bytes) => stdout.write(bytes)}
          />,
          {
            stdin,
            stdout,
            alternateScreen: !can.screenReader,
            exitOnCtrlC: false,
            patchConsole: false,
            interactive: true,
            isScreenReaderEnabled: can.screenReader
          }
        )
      ),
      (app) =>
        Effect.promise(async () => {
          app.unmount()
          await app.waitUntilExit().catch(() => undefined)
        })
    )
    yield* program.left
    return 0
  })
