import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"

/** A program of `programs/` in a process of its own. */
export interface Child {
  readonly pid: number
  /** The next line of its output; fails when it ends without one. */
  readonly line: Effect.Effect<string, string>
  readonly closeInput: Effect.Effect<void>
  /** Types a line into its input. */
  readonly say: (line: string) => Effect.Effect<void>
  readonly signal: (name: NodeJS.Signals) => Effect.Effect<void>
  /** Waits for its end; its exit code, or the signal that ended it. */
  readonly exit: Effect.Effect<number | NodeJS.Signals | null>
}

const exitOf = (child: ChildProcess): Effect.Effect<number | NodeJS.Signals | null> =>
  Effect.callback((resume) => {
    const done = () => resume(Effect.succeed(child.exitCode ?? child.signalCode))
    if (child.exitCode !== null || child.signalCode !== null) done()
    else child.once("exit", done)
  })

/** Starts it, or a program elsewhere; it is killed when the test ends. */
export const start = (program: string | URL, ...args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const file = fileURLToPath(program instanceof URL ? program : new URL(`programs/${program}`, import.meta.url))
      const child = spawn(process.execPath, ["--conditions=agent-arena-source", "--no-warnings", file, ...args], {
        stdio: ["pipe", "pipe", "inherit"]
      })
      const lines = yield* Queue.unbounded<string, string>()
      createInterface({ input: child.stdout })
        .on("line", (line) => Queue.offerUnsafe(lines, line))
        .on("close", () => Queue.failCauseUnsafe(lines, Cause.fail("it has ended")))
      return {
        pid: child.pid ?? 0,
        line: Queue.take(lines),
        closeInput: Effect.sync(() => child.stdin.end()),
        say: (line: string) => Effect.sync(() => child.stdin.write(`${line}\n`)).pipe(Effect.asVoid),
        signal: (name: NodeJS.Signals) => Effect.sync(() => child.kill(name)).pipe(Effect.asVoid),
        exit: exitOf(child)
      } satisfies Child
    }),
    (child) => Effect.andThen(child.signal("SIGKILL"), child.exit)
  )
