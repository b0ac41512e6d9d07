import { ProjectError, type ProjectIssue } from "@agent-arena/core/domain/ProjectError"
import { sanitise } from "@agent-arena/core/report/Sanitise"
import * as Cause from "effect/Cause"
import * as CliError from "effect/cli/CliError"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { PlatformError } from "effect/PlatformError"
import { ExitStatus } from "./Failure.ts"
import type { Output } from "./Output.ts"
import { problemCount, problemLines } from "./ProjectProblems.ts"
import { type SignalName, signalExitCode } from "./Signals.ts"

/** What `--json` prints on stdout when a command fails: still exactly one document. */
export interface FailureDocument {
  readonly schema_version: 1
  readonly error: {
    readonly kind: string
    readonly message: string
    readonly suggestion: string | null
    readonly issues: ReadonlyArray<{
      readonly file: string
      readonly line: number | null
      readonly column: number | null
      readonly message: string
      readonly suggestion: string | null
    }>
  }
}

interface Told {
  readonly code: number
  /** Lines before the error itself: the places where it is. */
  readonly details?: string
  /** What stderr says; null = everything has been said. */
  readonly text: string | null
  readonly document: FailureDocument | null
}

const document = (
  kind: string,
  message: string,
  suggestion: string | null = null,
  issues: ReadonlyArray<ProjectIssue> = []
): FailureDocument => ({
  schema_version: 1,
  error: {
    kind,
    message,
    suggestion,
    issues: issues.map(({ position, message, suggestion }) => ({ ...position, message, suggestion }))
  }
})

const has = <K extends string>(value: object, key: K): value is object & Record<K, unknown> => key in value

const stringField = (value: object, key: string): string | null =>
  has(value, key) && typeof value[key] === "string" ? value[key] : null

/** `StoreError` is the kind `store`, and so on. */
const kindOf = (error: object): string => {
  const own = stringField(error, "kind")
  if (own !== null) return own
  return (stringField(error, "_tag") ?? "unknown")
    .replace(/Error$/, "")
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
}

/** `EACCES: permission denied, open '/x'`: the system's own words say what happened to which file. */
const fileMessage = ({ message, reason }: PlatformError): string =>
  "cause" in reason && reason.cause instanceof Error ? reason.cause.message : message

const tellFailure = (error: unknown): Told => {
  if (error instanceof ExitStatus) return { code: error.code, text: null, document: null }
  if (CliError.isCliError(error)) {
    const errors = error._tag === "ShowHelp" ? error.errors : [error]
    const message = errors.length === 0 ? "no command given" : errors.map((one) => one.message).join("\n")
    return { code: 1, text: null, document: document("usage", message) }
  }
  if (error instanceof ProjectError) {
    const message = `${problemCount(error)}; nothing was run`
    return {
      code: 1,
      details: problemLines(error),
      text: message,
      document: document("project", message, null, error.issues)
    }
  }
  if (error instanceof PlatformError) {
    const message = fileMessage(error)
    return { code: 1, text: message, document: document("file", message) }
  }
  if (error instanceof Error) {
    const suggestion = stringField(error, "suggestion")
    const message = error.message === "" ? error.name : error.message
    const advice = suggestion === null || message.includes(suggestion) ? "" : `\n${suggestion}`
    return { code: 1, text: `${message}${advice}`, document: document(kindOf(error), message, suggestion) }
  }
  return { code: 1, text: String(error), document: document("unknown", String(error)) }
}

const tellDefect = (cause: Cause.Cause<unknown>): Told => {
  const squashed = Cause.squash(cause)
  const stack = squashed instanceof Error ? (squashed.stack ?? squashed.message) : String(squashed)
  const text = `internal error; please report it with the lines below\n${stack.split("\n").slice(0, 12).join("\n")}`
  return { code: 1, text, document: document("internal", squashed instanceof Error ? squashed.message : stack) }
}

/** A failure that nobody handled, which has ended the program in order. */
const tellStray = (stray: string): Told => {
  const message = `a failure that nothing handles ended this: ${stray}`
  return { code: 1, text: message, document: document("stray", message, "catch it in the code that it comes from") }
}

const tell = (exit: Exit.Exit<unknown, unknown>, signal: SignalName | null, stray: string | null): Told => {
  const isInterrupted = Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
  if (stray !== null && (isInterrupted || Exit.isSuccess(exit))) return tellStray(stray)
  if (Exit.isSuccess(exit)) return { code: 0, text: null, document: null }
  if (Cause.hasInterruptsOnly(exit.cause)) {
    const name = signal ?? "SIGINT"
    const message = `interrupted by ${name} before anything was measured`
    return { code: signalExitCode[name], text: message, document: document("interrupted", message) }
  }
  const failure = exit.cause.reasons.find((reason) => reason._tag === "Fail")
  return failure === undefined ? tellDefect(exit.cause) : tellFailure(failure.error)
}

/** Tells how the program ended, on stderr and (with `--json`) as a document on stdout; returns the exit code. */
export const conclude = (
  exit: Exit.Exit<unknown, unknown>,
  options: {
    readonly output: Output["Service"]
    readonly json: boolean
    readonly signal: SignalName | null
    /** What failed where nobody handles it; null or absent = nothing did. */
    readonly stray?: string | null
  }
): Effect.Effect<number> => {
  const { code, details, document, text } = tell(exit, options.signal, options.stray ?? null)
  const { stderr, stdout } = options.output
  return Effect.gen(function* () {
    if (details !== undefined) yield* stderr.write(`${sanitise(details)}\n`)
    if (text !== null) yield* stderr.write(`${stderr.style.bad("error")} ${sanitise(text)}\n`)
    if (document !== null && options.json) yield* stdout.write(`${JSON.stringify(document, null, 2)}\n`)
    return code
  })
}
