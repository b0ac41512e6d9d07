/** The whole command in this process: from its arguments to what it writes and its exit code. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { plain } from "@agent-arena/core/report/Style"
import { makeCli } from "@agent-arena/tui/src/commands/root.ts"
import { conclude } from "@agent-arena/tui/src/process/Ending.ts"
import { Installation } from "@agent-arena/tui/src/process/Installation.ts"
import { Output, type OutputChannel } from "@agent-arena/tui/src/process/Output.ts"
import * as Presenter from "@agent-arena/tui/src/process/Presenter.ts"
import { Shutdown, type Stoppable } from "@agent-arena/tui/src/process/Shutdown.ts"
import type { SignalName } from "@agent-arena/tui/src/process/Signals.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"
import type * as Cause from "effect/Cause"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"

const home = fileURLToPath(new URL("../../../../packages/tui/", import.meta.url))

export interface Told {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const recorder = (isTerminal: boolean) => {
  let text = ""
  const channel: OutputChannel = {
    isTerminal,
    rows: isTerminal ? 24 : null,
    columns: null,
    style: plain,
    write: (more) =>
      Effect.sync(() => {
        text += more
      })
  }
  return { channel, text: () => text }
}

interface Surroundings {
  /** Somebody sits at a terminal and presses this key when asked. */
  readonly key?: string
  /** Sent when the command says for the second time that a signal must end something in order. */
  readonly signal?: SignalName
}

/** A terminal at which a key is pressed whenever input is read. */
const terminalWith = (key: string, display: (text: string) => Effect.Effect<void>) =>
  Terminal.make({
    columns: Effect.succeed(80),
    rows: Effect.succeed(24),
    size: Effect.map(Queue.unbounded<Terminal.Size, Cause.Done>(), Queue.asDequeue),
    readInput: Effect.gen(function* () {
      const queue = yield* Queue.unbounded<Terminal.UserInput, Cause.Done>()
      yield* Queue.offer(queue, {
        input: Option.some(key),
        key: { name: key, ctrl: false, meta: false, shift: false }
      })
      return queue
    }),
    readLine: Effect.succeed(key),
    display
  })

const execute = (argv: ReadonlyArray<string>, { key, signal }: Surroundings): Promise<Told> => {
  const stdout = recorder(key !== undefined)
  const stderr = recorder(false)
  const output: Output["Service"] = {
    stdout: stdout.channel,
    stderr: stderr.channel,
    pipe: Stream.runForEach(stdout.channel.write)
  }
  let registered = 0
  const register = ({ stop }: Stoppable) => {
    registered += 1
    return signal !== undefined && registered === 2 ? stop(signal) : Effect.void
  }
  const installation = Installation.at(home)
  const services = Layer.mergeAll(
    NodeServices.layer,
    CliOutput.layerPresenter(Presenter.make(output)),
    Layer.succeed(Output, output),
    Layer.succeed(Shutdown, { register }),
    Layer.succeed(Installation, installation)
  )
  const terminal =
    key === undefined ? Layer.empty : Layer.succeed(Terminal.Terminal, terminalWith(key, stdout.channel.write))
  const command = Command.runWith(makeCli(), { version: installation.version })(argv).pipe(
    Effect.provide(Layer.provideMerge(terminal, services)),
    Effect.exit,
    Effect.flatMap((exit) => conclude(exit, { output, json: argv.includes("--json"), signal: null, stray: null }))
  )
  return Effect.runPromise(command).then((code) => ({ code, stdout: stdout.text(), stderr: stderr.text() }))
}

/** Runs `arena` with these arguments. Nobody sends signals, and nobody sits at a terminal. */
export const arena = (...argv: ReadonlyArray<string>): Promise<Told> => execute(argv, {})

/** As `arena`, at a terminal where somebody answers questions with a key. */
export const answering = async (key: string, ...argv: ReadonlyArray<string>): Promise<Told> => {
  const { isTTY } = process.stdin
  process.stdin.isTTY = true
  try {
    return await execute(argv, { key })
  } finally {
    process.stdin.isTTY = isTTY
  }
}

/** As `arena`, with a signal that comes in the pause after the first run. */
export const signalled = (signal: SignalName, ...argv: ReadonlyArray<string>): Promise<Told> =>
  execute(argv, { signal })

/** As `arena`, for commands that must work; returns the document that they print. */
export const document = async (...argv: ReadonlyArray<string>) => {
  const told = await arena(...argv, "--json")
  if (told.code !== 0) throw new Error(`arena ${argv.join(" ")} exits with ${told.code}: ${told.stderr}`)
  return JSON.parse(told.stdout)
}

/** Folders that are made for tests and removed after them. */
export const folders = () => {
  const made: Array<string> = []
  return {
    make: (files: Readonly<Record<string, string>> = {}): string => {
      const folder = mkdtempSync(join(tmpdir(), "arena-endings-"))
      made.push(folder)
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
      return folder
    },
    clean: () => {
      for (const folder of made) rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Cases `c0`, `c1`, …, all expecting the answer `a`. */
export const cases = (count: number): string =>
  `tests:\n${Array.from({ length: count }, (_, index) => `  - { id: c${index}, input: "q ${index}", expected: a }`).join("\n")}\n`

/** A target that answers with what is written in a file beside it, and notes each call in another. */
export const noted = `import { appendFileSync, readFileSync } from "node:fs"
const here = (name) => new URL(name, import.meta.url)
export const answer = (prompt) => {
  appendFileSync(here("calls.txt"), prompt + "\\n")
  const says = readFileSync(here("says.txt"), "utf8").trim()
  if (says === "throw") throw new Error("out of order")
  return says
}
`
