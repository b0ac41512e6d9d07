import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Score from "../domain/Score.ts"
import { ScorerError } from "../domain/ScorerError.ts"
import { define } from "./BuiltinScorer.ts"
import { type ProgramLanguage, type ProgramOutcome, runProgram } from "./CodeExecution.ts"
import { extractCode } from "./Fences.ts"
import { textAlternatives } from "./References.ts"
import { choice, type Param, quantity, scalarText, text } from "./ScorerParams.ts"

const name = "code_exec"

const tagsOf: Readonly<Record<ProgramLanguage, ReadonlyArray<string>>> = {
  python: ["python", "py", "python3"],
  javascript: ["javascript", "js", "mjs", "node"],
  typescript: ["typescript", "ts", "mts"]
}

/** Text, or lines as a list; null when absent. */
const code = (description: string): Param<string | null> => ({
  type: "text, or a list of lines",
  description,
  fallback: null,
  read: (value) => {
    const lines = Array.isArray(value) ? value.map(scalarText) : [scalarText(value)]
    return lines.every((line) => line !== null)
      ? Result.succeed(lines.join("\n"))
      : Result.fail("expected text or lines")
  }
})

let pythonIsThere: boolean | null = null

const hasPython = (): boolean => {
  pythonIsThere ??= spawnSync("python3", ["--version"], { stdio: "ignore", timeout: 5_000 }).status === 0
  return pythonIsThere
}

const lastLine = (text: string): string => (text.trim().split("\n").at(-1) ?? "").trim().slice(0, 300)

const explain = (outcome: ProgramOutcome, limitS: number): string => {
  if (outcome.timedOut) return `it did not finish within ${limitS} s`
  if (outcome.signal !== null) return `it was ended by ${outcome.signal}`
  if (outcome.exitCode === 0) return "it left before its checks had run"
  return lastLine(outcome.stderr) || `it ended with exit code ${outcome.exitCode}`
}

const judged = (outcome: ProgramOutcome, limitS: number): Score.Score => {
  const { exitCode, signal, stderr, stdout, timedOut } = outcome
  const detail = { exit_code: exitCode, signal, timed_out: timedOut, stdout, stderr }
  const passed = !timedOut && exitCode === 0 && outcome.finished
  return passed ? Score.make(1, { detail }) : Score.make(0, { detail, reason: explain(outcome, limitS) })
}

/** Unguessable for the program, and the same for the same program. */
const markerOf = (source: string): string => `done-${createHash("sha256").update(source).digest("hex").slice(0, 24)}`

/** `code_exec`: the code in the answer passes the checks of the case. Runs it; not a sandbox. */
export const codeExec = define({
  name,
  description: "The code in the answer is run with the checks of the case. Runs it on this machine; not a sandbox.",
  requiresReference: false,
  params: {
    language: choice(["python", "javascript", "typescript"], "python", "Language of the answer and the checks."),
    tests: code("The checks, run after the answer; default: the reference."),
    setup: code("Code that is run before the answer."),
    fence_language: text("Tag of the fenced blocks that count; default: the usual tags of the language."),
    timeout_s: quantity(15, { minimum: 0.1, maximum: 600 }, "Seconds after which the program is killed.")
  },
  prepare: ({ options, reference, problem }) => {
    const { fence_language, language, setup, tests, timeout_s } = options
    if (tests === null && reference === undefined) problem('the case has no reference and no param "tests"')
    const checks = tests ?? (reference === undefined ? "" : textAlternatives(reference, problem).join("\n"))
    if (checks.trim() === "") problem("there are no checks to run")
    if (language === "python" && !hasPython()) problem("python3 is not installed on this machine")
    const tags = fence_language === null ? tagsOf[language] : [fence_language.toLowerCase()]

    return (output) => {
      const source = [setup ?? "", extractCode(output, tags), checks].filter((part) => part !== "").join("\n\n")
      const program = { language, source, marker: markerOf(source), limitMs: timeout_s * 1_000 }
      return Effect.mapBoth(runProgram(program), {
        onSuccess: (outcome) => judged(outcome, timeout_s),
        onFailure: (detail) => new ScorerError({ scorer: name, detail })
      })
    }
  }
})
