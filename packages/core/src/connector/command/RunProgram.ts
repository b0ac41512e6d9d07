import { type ChildProcess, spawn } from "node:child_process"
import { statSync } from "node:fs"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { GenerationError } from "../../domain/GenerationError.ts"
import * as GenerationErrors from "../../domain/GenerationError.ts"
import { boundedDetail } from "../HttpErrors.ts"
import type { ProcessGroups } from "./ProcessGroups.ts"

/** Largest answer that is read, bytes. */
const maxOutputBytes = 10 * 1024 * 1024
/** How much of what a program says on stderr is kept for its error, characters. */
const maxErrorText = 4096
/** How long output may still arrive after the program itself has ended, ms. */
const flushMs = 100

export interface Program {
  readonly argv: readonly [string, ...ReadonlyArray<string>]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Written to stdin; null = stdin is empty. */
  readonly input: string | null
  /** Removes secrets from what an error quotes of stderr: once cut to length, a piece of one is no longer recognised. */
  readonly scrub: (text: string) => string
}

const failure = (reason: GenerationErrors.GenerationReason, detail: string): GenerationError =>
  GenerationErrors.make({ reason, detail })

const codeOf = (thrown: unknown): string =>
  typeof thrown === "object" && thrown !== null && "code" in thrown ? String(thrown.code) : ""

/** Why a program did not start; what is wrong with the entry itself is not tried again. */
const startError = (program: Program, thrown: unknown): GenerationError => {
  const name = `"${program.argv[0]}"`
  switch (codeOf(thrown)) {
    case "ENOENT":
      return statSync(program.cwd, { throwIfNoEntry: false }) === undefined
        ? failure("not_found", `the folder ${program.cwd} does not exist`)
        : failure("not_found", `the program ${name} is not found`)
    case "EACCES":
      return failure("permission", `the program ${name} is not executable`)
    case "E2BIG":
      return failure("invalid_request", `the arguments of ${name} are too long; leave {prompt} out to use stdin`)
    case "ERR_INVALID_ARG_VALUE":
      return failure("invalid_request", `an argument of ${name} contains a null character`)
    default:
      return failure("target", `the program ${name} did not start: ${boundedDetail(String(thrown))}`)
  }
}

const lastWords = (stderr: string): string => boundedDetail(stderr.trim().slice(-400))

const exitError = (code: number | null, signal: NodeJS.Signals | null, stderr: string): GenerationError | null => {
  if (code === 0) return null
  const how = signal === null ? `exit code ${code}` : `killed by ${signal}`
  const words = lastWords(stderr)
  return failure("target", words === "" ? `${how}, nothing on stderr` : `${how}: ${words}`)
}

const launch = (program: Program): ChildProcess => {
  const [command, ...args] = program.argv
  return spawn(command, args, {
    cwd: program.cwd,
    env: { ...program.env },
    // A group of its own, so that its children can be ended with it.
    detached: process.platform !== "win32",
    windowsHide: true,
    stdio: [program.input === null ? "ignore" : "pipe", "pipe", "pipe"]
  })
}

const feed = (child: ChildProcess, input: string | null): void => {
  // A program that does not read its prompt closes stdin; that is its own affair.
  child.stdin?.on("error", () => {})
  if (input !== null) child.stdin?.end(input)
}

/** What a program has written so far; `isTooLarge` once it has written more than is read. */
const collect = (child: ChildProcess, onTooLarge: () => void) => {
  const chunks: Array<Buffer> = []
  let size = 0
  let stderr = ""
  child.stdout?.on("data", (chunk: Buffer) => {
    size += chunk.length
    if (size > maxOutputBytes) onTooLarge()
    else chunks.push(chunk)
  })
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    stderr = (stderr + chunk).slice(-maxErrorText)
  })
  return { stdout: () => Buffer.concat(chunks).toString("utf8"), stderr: () => stderr }
}

/**
 * Runs a program to its end and returns what it wrote to stdout. Fails when it does not start, ends with another exit
 * code than 0, or writes more than 10 MB. Interruption ends it and its children without waiting for them.
 */
export const runProgram = (
  program: Program,
  groups: ProcessGroups,
  context: Context.Context<never>
): Effect.Effect<string, GenerationError> =>
  Effect.callback((resume) => {
    let child: ChildProcess
    try {
      child = launch(program)
    } catch (thrown) {
      return resume(Effect.fail(startError(program, thrown)))
    }
    const fork = Effect.runForkWith(context)
    const leader = child.pid
    child.on("error", (thrown) => resume(Effect.fail(startError(program, thrown))))
    if (leader === undefined) return
    groups.add(leader)
    const output = collect(child, () => {
      fork(groups.end(leader))
      resume(Effect.fail(failure("target", `the program wrote more than ${maxOutputBytes / 1024 / 1024} MB to stdout`)))
    })
    const finish = (code: number | null, signal: NodeJS.Signals | null) => {
      const error = exitError(code, signal, program.scrub(output.stderr()))
      resume(error === null ? Effect.succeed(output.stdout()) : Effect.fail(error))
    }
    child.on("exit", (code, signal) => {
      // Children that it left behind may hold its output open for ever.
      const cleanup = fork(groups.end(leader, flushMs))
      cleanup.addObserver(() => finish(code, signal))
      child.on("close", () => finish(code, signal))
    })
    feed(child, program.input)
    return groups.abandon(leader)
  })
