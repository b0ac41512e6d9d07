/** A terminal of its own in tmux: typed into with send-keys, read with capture-pane. */
import { execFileSync } from "node:child_process"
import { bin, root } from "../cli/arena.ts"

const socket = `arena-test-${process.pid}`

const tmux = (...args: ReadonlyArray<string>): string =>
  execFileSync("tmux", ["-L", socket, "-f", "/dev/null", ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"]
  })

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

export interface TmuxTerminal {
  /** The visible screen as text. */
  readonly text: () => string
  /** The scrollback and the screen, wrapped lines joined. */
  readonly everything: () => string
  /** The visible screen with its styling sequences. */
  readonly styled: () => string
  /** Types keys by their tmux names (`Enter`, `C-c`, `j`). */
  readonly keys: (...names: ReadonlyArray<string>) => void
  readonly resize: (columns: number, rows: number) => void
  /** Waits until the screen is as wanted; fails with the screen when it never is. */
  readonly until: (what: string, wanted: (text: string) => boolean) => Promise<string>
  readonly isAlternate: () => boolean
  /** Process id of the program. */
  readonly pid: () => number
  readonly close: () => void
}

const patienceMs = 30_000
const lookEveryMs = 40

interface Size {
  readonly columns: number
  readonly rows: number
}

let opened = 0

const exported = (env: Readonly<Record<string, string>>): string => {
  const variables = Object.entries({ LANG: "C.UTF-8", ...env }).map(([key, value]) => `${key}=${quoted(value)}`)
  return `cd ${quoted(root)}; unset CI NO_COLOR FORCE_COLOR; export ${variables.join(" ")}`
}

const commandOf = (args: ReadonlyArray<string>): string =>
  [quoted(process.execPath), quoted(bin), ...args.map(quoted)].join(" ")

/** Runs `arena` in a new terminal; when it ends, its exit code is printed under it and the terminal stays. */
export const openArena = (
  args: ReadonlyArray<string>,
  size: Size,
  env: Readonly<Record<string, string>> = {}
): TmuxTerminal => {
  return openScript(`${exported(env)}; trap : INT; echo before; ${commandOf(args)}; echo "exit=$?"; exec cat`, size)
}

/** Runs `arena` from a shell with job control: what is stopped gives the prompt, and `fg` goes on with it. */
export const openInShell = (args: ReadonlyArray<string>, size: Size): TmuxTerminal => {
  const shell = "exec bash --norc --noprofile -i"
  const terminal = openScript(`${exported({ PS1: "prompt> " })}; ${shell}`, size)
  terminal.keys(`PS1='prompt> '; clear; ${commandOf(args)}; echo "exit=$?"`, "Enter")
  return terminal
}

const openScript = (script: string, size: Size): TmuxTerminal => {
  opened += 1
  const name = `t${opened}`
  tmux("new-session", "-d", "-s", name, "-x", String(size.columns), "-y", String(size.rows), "sh", "-c", script)
  const text = () => tmux("capture-pane", "-p", "-t", name)
  return {
    text,
    everything: () => tmux("capture-pane", "-p", "-J", "-S", "-", "-t", name),
    styled: () => tmux("capture-pane", "-e", "-p", "-t", name),
    keys: (...names) => {
      tmux("send-keys", "-t", name, ...names)
    },
    resize: (columns, rows) => {
      tmux("resize-window", "-t", name, "-x", String(columns), "-y", String(rows))
    },
    until: async (what, wanted) => {
      const deadline = performance.now() + patienceMs
      while (performance.now() < deadline) {
        const screen = text()
        if (wanted(screen)) return screen
        await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
      }
      throw new Error(`the screen never showed ${what}:\n${text()}`)
    },
    isAlternate: () => tmux("display-message", "-p", "-t", name, "#{alternate_on}").trim() === "1",
    pid: () => {
      const shell = tmux("display-message", "-p", "-t", name, "#{pane_pid}").trim()
      return Number(execFileSync("pgrep", ["-P", shell], { encoding: "utf8" }).trim().split("\n")[0])
    },
    close: () => {
      tmux("kill-session", "-t", name)
    }
  }
}

/** Ends the server with everything in it. */
export const closeTmux = (): void => {
  try {
    tmux("kill-server")
  } catch {
    // It ends by itself with its last session.
  }
}
