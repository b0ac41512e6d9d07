/**
 * Runs a program in a process of its own, in a temporary folder, with a time limit.
 *
 * Not a sandbox: the program runs as the user who runs the arena, and may use the network. It gets a bare environment
 * (no credentials), a folder of its own, and for JavaScript no access to other files; that stops accidents, not attacks.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"

/** Languages whose programs can be run. */
export type ProgramLanguage = "python" | "javascript" | "typescript"

export interface Program {
  readonly language: ProgramLanguage
  readonly source: string
  /** Name of a file that the program creates as its last act. */
  readonly marker: string
  /** Wall clock, ms. */
  readonly limitMs: number
}

/** How a program ended. Outputs are the last characters, at most `maxOutput`. */
export interface ProgramOutcome {
  readonly timedOut: boolean
  readonly exitCode: number | null
  readonly signal: string | null
  /** Whether the program came to its end, instead of leaving early. */
  readonly finished: boolean
  readonly stdout: string
  readonly stderr: string
}

const maxOutput = 2_000
const memoryMegabytes = 512

/** Gives the program what scripts expect of CommonJS, and `assert` for its checks. */
const prelude = `import assert from "node:assert/strict"
import { createRequire } from "node:module"
globalThis.assert = assert
globalThis.require = createRequire(import.meta.url)
globalThis.module = { exports: {} }
globalThis.exports = globalThis.module.exports
`

const fileName: Readonly<Record<ProgramLanguage, string>> = {
  python: "program.py",
  javascript: "program.mjs",
  typescript: "program.mts"
}

/** The last statement of a program. */
const ending = (language: ProgramLanguage, marker: string): string =>
  language === "python"
    ? `__import__("pathlib").Path(${JSON.stringify(marker)}).touch()`
    : `;(await import("node:fs")).writeFileSync(${JSON.stringify(marker)}, "")`

interface Launch {
  readonly command: string
  readonly args: ReadonlyArray<string>
}

const launch = (language: ProgramLanguage, folder: string): Launch => {
  const file = join(folder, fileName[language])
  if (language === "python") return { command: "python3", args: ["-s", "-B", "-X", "utf8", file] }
  const args = [
    "--permission",
    `--allow-fs-read=${folder}`,
    `--allow-fs-write=${folder}`,
    `--max-old-space-size=${memoryMegabytes}`,
    "--disable-warning=ExperimentalWarning",
    `--import=${join(folder, "prelude.mjs")}`,
    file
  ]
  return { command: process.execPath, args }
}

const environment = (folder: string): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  HOME: folder,
  TMPDIR: folder,
  LANG: "C.UTF-8",
  NO_COLOR: "1",
  PYTHONHASHSEED: "0"
})

/** Keeps the end of a stream, whatever its length. */
const tailOf = (stream: NodeJS.ReadableStream | null): (() => string) => {
  let tail = ""
  stream?.setEncoding("utf8")
  stream?.on("data", (chunk: string) => {
    tail = (tail + chunk).slice(-maxOutput)
  })
  return () => tail
}

/** Kills a process and everything it has started. */
const killTree = (child: ChildProcess): void => {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, "SIGKILL")
  } catch {
    child.kill("SIGKILL")
  }
}

type Ended = Omit<ProgramOutcome, "timedOut" | "finished">

const runProcess = ({ command, args }: Launch, folder: string): Effect.Effect<Ended, string> =>
  Effect.callback<Ended, string>((resume) => {
    const child = spawn(command, args, {
      cwd: folder,
      env: environment(folder),
      stdio: ["ignore", "pipe", "pipe"],
      detached: true
    })
    const stdout = tailOf(child.stdout)
    const stderr = tailOf(child.stderr)
    child.on("error", (error) => resume(Effect.fail(`${command} cannot be started: ${error.message}`)))
    // What it has started must neither outlive it nor hold its pipes open.
    child.on("exit", () => killTree(child))
    child.on("close", (exitCode, signal) => {
      resume(Effect.succeed({ exitCode, signal, stdout: stdout(), stderr: stderr() }))
    })
    return Effect.sync(() => killTree(child))
  })

const prepare = async (folder: string, program: Program): Promise<void> => {
  const source = `${program.source}\n\n${ending(program.language, join(folder, program.marker))}\n`
  await writeFile(join(folder, fileName[program.language]), source)
  if (program.language === "python") return
  await writeFile(join(folder, "prelude.mjs"), prelude)
  await writeFile(join(folder, "package.json"), '{"type":"module"}')
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Runs a program to its end or its limit; fails only when it cannot be started. */
export const runProgram = (program: Program): Effect.Effect<ProgramOutcome, string> =>
  Effect.acquireUseRelease(
    Effect.tryPromise({
      try: async () => realpath(await mkdtemp(join(tmpdir(), "arena-code-"))),
      catch: messageOf
    }),
    Effect.fnUntraced(function* (folder) {
      yield* Effect.tryPromise({ try: () => prepare(folder, program), catch: messageOf })
      const ended = yield* Effect.timeoutOrElse(runProcess(launch(program.language, folder), folder), {
        duration: program.limitMs,
        orElse: () => Effect.succeed(null)
      })
      const finished = existsSync(join(folder, program.marker))
      return ended === null
        ? { timedOut: true, exitCode: null, signal: null, finished: false, stdout: "", stderr: "" }
        : { ...ended, timedOut: false, finished }
    }),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }).catch(() => {}))
  )
