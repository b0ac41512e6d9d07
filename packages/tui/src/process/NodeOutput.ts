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
  /** Why text was lost that somebody was waiting for; null = none was. */
  readonly failure: () => string | null
}

/** A reader that went away wanted no more: not a failure. */
const readerGone = new Set(["EPIPE", "EIO", "ERR_STREAM_DESTROYED"])

const channel = (stream: NodeJS.WriteStream, argv: ReadonlyArray<string>): NodeChannel => {
  let closed = false
  let failure: string | null = null
  // Without a listener this would be an uncaught exception. What is written is lost, the work goes on.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    closed = true
    if (!readerGone.has(error.code ?? "")) failure ??= error.message
  })
  const isTerminal = stream.isTTY === true
  return {
    isTerminal,
    get columns() {
      // Some terminals report a width of 0 for "not known".
      return isTerminal && stream.columns > 0 ? stream.columns : null
    },
    get rows() {
      return isTerminal && stream.rows > 0 ? stream.rows : null
    },
    style: wantsColour({ argv, env: process.env, isTerminal }) ? ansi : plain,
    isClosed: () => closed,
    failure: () => failure,
    write: (text) =>
      Effect.callback<void>((resume) => {
        if (closed || text === "") return resume(Effect.void)
        stream.write(text, () => resume(Effect.void))
      })
  }
}

export interface ProcessOutput {
  readonly output: Output["Service"]
  /** Calls back when everything written has left the process, with why stdout could not take it (a full disk). */
  readonly flush: (then: (failure: string | null) => void) => void
}

/** `Output` on the process's own streams. */
export const make = (argv: ReadonlyArray<string>): ProcessOutput => {
  const stdout = channel(process.stdout, argv)
  const stderr = channel(process.stderr, argv)
  return {
    output: {
      stdout,
      stderr,
      pipe: (chunks) =>
        Stream.runForEachWhile(chunks, (chunk) => Effect.map(stdout.write(chunk), () => !stdout.isClosed()))
    },
    flush: (then) => process.stdout.write("", () => process.stderr.write("", () => then(stdout.failure())))
  }
}
