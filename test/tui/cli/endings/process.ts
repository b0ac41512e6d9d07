import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

/** A run in a process of its own, its events on stdout. */
export interface RunningRun {
  readonly child: ChildProcess
  /** Resolves when the events contain this text, as often as said. */
  readonly saw: (text: string, times?: number) => Promise<void>
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>
}

const program = fileURLToPath(new URL("program.ts", import.meta.url))

/** Starts `arena run` on a project. It is killed when `signal` aborts. */
export const startRun = (folder: string, signal: AbortSignal): RunningRun => {
  const args = ["run", folder, "--events", "-", "--no-report", "--quiet"]
  const child = spawn(process.execPath, ["--conditions=agent-arena-source", "--no-warnings", program, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    signal,
    killSignal: "SIGKILL"
  })
  let text = ""
  const watchers = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk
      for (const watch of watchers) watch()
    })
  }
  // An abort is how a test gets rid of it.
  child.once("error", () => undefined)
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once("close", (code, by) => resolve(code ?? by))
  })
  return {
    child,
    ended,
    saw: (wanted, times = 1) =>
      new Promise((resolve, reject) => {
        const watch = () => {
          if (text.split(wanted).length <= times) return
          watchers.delete(watch)
          resolve()
        }
        watchers.add(watch)
        watch()
        void ended.then(() => reject(new Error(`ended without "${wanted}": ${text}`)))
      })
  }
}
