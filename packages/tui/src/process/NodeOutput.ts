import { ansi, plain } from "@agent-arena/core/report/Style"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Output, OutputChannel } from "./Output.ts"

/** Whether colour may be used: `--no-color` and `NO_COLOR` forbid it, `FORCE_COLOR` asks for it, else terminals have it. */
export const wantsColour = (options: {
  readonly argv: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly isTerminal: boolean
}): boolean => {
  const { argv, env } = options
  const operands = argv.indexOf("--")
  if ((operands < 0 ? argv : argv.slice(0, operands)).includes("--no-color")) return false
  if ((env["NO_COLOR"] ?? "") !== "") return false
  const force = env["FORCE_COLOR"]
  if (force !== undefined) return force !== "0" && force !== "false"
  return options.isTerminal && env["TERM"] !== "dumb"
}

interface NodeChannel extends OutputChannel {
  readonly isClosed: () => boolean
}

const channel = (stream: NodeJS.WriteStream, argv: ReadonlyArray<string>): NodeChannel => {
  let closed = false
  // Without a listener a reader that went away would be an uncaught exception. Writes are lost, the work goes on.
  stream.on("error", () => {
    closed = true
  })
  const isTerminal = stream.isTTY === true
  return {
    isTerminal,
    get columns() {
      // Some terminals report a width of 0 for "not known".
      return isTerminal && stream.columns > 0 ? stream.columns : null
    },
    style: wantsColour({ argv, env: process.env, isTerminal }) ? ansi : plain,
    isClosed: () => closed,
    write: (text) =>
      Effect.callback<void>((resume) => {
        if (closed || text === "") return resume(Effect.void)
        stream.write(text, () => resume(Effect.void))
      })
  }
}

/** `Output` on the process's own streams, and `flush`, which completes when everything written has left the process. */
export const make = (
  argv: ReadonlyArray<string>
): { readonly output: Output["Service"]; readonly flush: (then: () => void) => void } => {
  const stdout = channel(process.stdout, argv)
  const stderr = channel(process.stderr, argv)
  return {
    output: {
      stdout,
      stderr,
      pipe: (chunks) =>
        Stream.runForEachWhile(chunks, (chunk) => Effect.map(stdout.write(chunk), () => !stdout.isClosed()))
    },
    flush: (then) => process.stdout.write("", () => process.stderr.write("", () => then()))
  }
}
