/** The built command as a process of its own. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { globSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../../../", import.meta.url))
export const bin = join(root, "packages/tui/bin/arena.js")

/** Builds the bundle when a source is younger than it. Call it once before the tests of a file. */
export const build = (): void => {
  const built = statSync(join(root, "packages/tui/dist/arena/main.js"), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const sources = globSync("packages/*/src/**/*.{ts,tsx,json}", { cwd: root })
  if (sources.every((path) => statSync(join(root, path)).mtimeMs < built)) return
  execFileSync(process.execPath, [join(root, "scripts/build.ts"), "--bundle"], { stdio: "inherit" })
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  /** From the start of the process to its end, ms. */
  readonly ms: number
}

export interface RunningArena {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** Resolves as soon as stdout (or stderr) contains the text. */
  readonly saw: (text: string, stream?: "stdout" | "stderr") => Promise<void>
}

export interface ArenaOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Arguments of Node itself. */
  readonly node?: ReadonlyArray<string>
}

const neutral = (): NodeJS.ProcessEnv => {
  const { CI: _ci, FORCE_COLOR: _force, NO_COLOR: _no, NODE_OPTIONS: _options, ...env } = process.env
  return env
}

/** Starts `arena` with arguments. */
export const start = (args: ReadonlyArray<string>, options: ArenaOptions = {}): RunningArena => {
  const started = performance.now()
  const child = spawn(process.execPath, [...(options.node ?? []), bin, ...args], {
    cwd: options.cwd ?? root,
    env: { ...neutral(), ...options.env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const text = { stdout: "", stderr: "" }
  const watchers = new Set<() => void>()
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (chunk: string) => {
      text[name] += chunk
      for (const watch of watchers) watch()
    })
  }
  const ended = new Promise<Ended>((resolve) => {
    child.once("close", (code, signal) => resolve({ code, signal, ...text, ms: performance.now() - started }))
  })
  return {
    child,
    ended,
    saw: (wanted, stream = "stdout") =>
      new Promise((resolve, reject) => {
        const watch = () => {
          if (!text[stream].includes(wanted)) return
          watchers.delete(watch)
          resolve()
        }
        watchers.add(watch)
        watch()
        void ended.then(() => reject(new Error(`ended without "${wanted}": ${text.stdout}${text.stderr}`)))
      })
  }
}

/** Runs `arena` to its end. */
export const arena = (args: ReadonlyArray<string>, options: ArenaOptions = {}): Promise<Ended> =>
  start(args, options).ended

/** A folder of its own for each test; `clean` removes all of them. */
export const folders = () => {
  const made: Array<string> = []
  return {
    make: (files: Readonly<Record<string, string>> = {}): string => {
      const folder = mkdtempSync(join(tmpdir(), "arena-cli-"))
      made.push(folder)
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
      return folder
    },
    clean: () => {
      for (const folder of made) rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Two contestants on three cases: one always right, one always wrong. */
export const quick: Readonly<Record<string, string>> = {
  "config.yaml": `project: quick
models:
  - { key: right, model: "mock:right", params: { mode: oracle, latency_ms: 10 } }
  - { key: wrong, model: "mock:wrong", params: { mode: fixed, text: "no | idea", latency_ms: 20 } }
output: { formats: [markdown, json, csv, html, junit] }
`,
  "tests.yaml": `tests:
  - { id: a, input: one, expected: yes, tags: [easy] }
  - { id: b, input: two, expected: yes }
  - { id: c, input: three, expected: yes }
`
}

/** One contestant that answers at once, and one that never does. */
export const hanging: Readonly<Record<string, string>> = {
  "config.yaml": `project: hanging
models:
  - { key: quick, model: "mock:quick", params: { mode: oracle } }
  - { key: slow, model: "mock:slow", params: { mode: oracle, latency_ms: 700, sleep: true } }
  - { key: hung, model: "mock:hung", params: { mode: script, script: [ { hang: true } ] } }
run: { concurrency: 6, drain_s: 2, term_drain_s: 1 }
`,
  "tests.yaml": `tests:
${Array.from({ length: 60 }, (_, index) => `  - { id: c${index}, input: q, expected: a }`).join("\n")}
`
}
