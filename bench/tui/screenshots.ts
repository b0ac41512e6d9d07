/**
 * Writes the plain-text screenshots of `docs/tui.md` from a real run of `projects/support_triage` in a real terminal:
 * `node bench/tui/screenshots.ts`. Needs tmux and a build.
 *
 * Every block of the page between `<!-- screen NAME -->` and `<!-- /screen -->` is replaced by the screen of that name.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build, root } from "../../test/e2e/cli/arena.ts"
import { closeTmux, openArena, type TmuxTerminal } from "../../test/e2e/tui/Tmux.ts"

const page = join(root, "docs/tui.md")

/** The project, with simulated models that take their time and sometimes fail, so that there is something to see. */
const slowProject = (): string => {
  const folder = join(mkdtempSync(join(tmpdir(), "arena-screens-")), "support_triage")
  cpSync(join(root, "projects/support_triage"), folder, {
    recursive: true,
    filter: (path) => !path.endsWith("results")
  })
  const config = join(folder, "config.yaml")
  const text = readFileSync(config, "utf8")
    .replaceAll("wrong_text: unsure }", "wrong_text: unsure, sleep: true }")
    .replaceAll(/latency_ms: (\d+)/g, (_, ms: string) => `latency_ms: ${Math.round(Number(ms) / 3)}`)
  writeFileSync(config, text)
  return folder
}

const screens = new Map<string, string>()

const keep = (name: string, terminal: TmuxTerminal): void => {
  const lines = terminal.text().split("\n")
  while (lines.at(-1) === "") lines.pop()
  screens.set(
    name,
    lines
      .filter((line) => line !== "before")
      .map((line) => line.trimEnd())
      .join("\n")
  )
}

/** Waits, with the screen in the message when it never comes. */
const shows = (terminal: TmuxTerminal, ...texts: ReadonlyArray<string>) =>
  terminal.until(texts.join(" and "), (screen) => texts.every((text) => screen.includes(text)))

const goTo = async (terminal: TmuxTerminal, size: readonly [number, number], ...texts: ReadonlyArray<string>) => {
  terminal.resize(size[0], size[1])
  await new Promise((resolve) => setTimeout(resolve, 400))
  await shows(terminal, ...texts)
}

const liveScreens = async (terminal: TmuxTerminal): Promise<void> => {
  await shows(terminal, "Enter start")
  keep("start", terminal)
  terminal.keys("Enter")
  await terminal.until("a third of the run", (text) => /\b(?:3[3-9]|4\d)%/.test(text))
  keep("live-80", terminal)
  await goTo(terminal, [200, 50], "│─ Leaderboard")
  keep("live-200", terminal)
  await goTo(terminal, [40, 12], "Matrix")
  keep("live-40", terminal)
  await goTo(terminal, [80, 24], "Leaderboard")
  terminal.keys("q")
  await shows(terminal, "Stop the run?")
  keep("stop", terminal)
  terminal.keys("Escape")
  // The message about the end stays for a few seconds where the keys belong.
  await shows(terminal, "◆ completed", "final", "? help")
}

const endedScreens = async (terminal: TmuxTerminal): Promise<void> => {
  await goTo(terminal, [100, 34], "final")
  terminal.keys("n", "n", "Enter")
  await shows(terminal, "─ Output", "─ Scores")
  keep("cell", terminal)
  terminal.keys("c")
  await shows(terminal, "─ Answers")
  keep("case", terminal)
  terminal.keys("Escape")
  await shows(terminal, "─ Output")
  terminal.keys("m")
  await shows(terminal, "─ Latency")
  keep("contestant", terminal)
  terminal.keys("Escape")
  await shows(terminal, "─ Output")
  terminal.keys("Escape")
  await shows(terminal, "Matrix")
  await goTo(terminal, [110, 40], "Matrix")
  terminal.keys("r")
  await shows(terminal, "─ Pareto")
  terminal.keys("+", "+")
  await shows(terminal, "tried out", "(with these weights)")
  keep("result", terminal)
  terminal.keys("?")
  await shows(terminal, "Signs")
  keep("help", terminal)
}

const inlineScreen = async (project: string): Promise<void> => {
  const args = ["run", project, "--trials", "5", "--concurrency", "12"]
  const terminal = openArena(args, { columns: 120, rows: 30 })
  const ranked = (text: string) => /\b(?:3[3-9]|4\d)%/.test(text) && /^ {2}3 /m.test(text)
  await terminal.until("a third of the run", ranked)
  keep("inline", terminal)
  terminal.close()
}

const replaceScreens = (text: string): string =>
  text.replace(/<!-- screen ([\w-]+) -->[\s\S]*?<!-- \/screen -->/g, (_, name: string) => {
    const screen = screens.get(name)
    if (screen === undefined) throw new Error(`docs/tui.md wants a screen that nobody takes: ${name}`)
    return `<!-- screen ${name} -->\n\n\`\`\`text\n${screen}\n\`\`\`\n\n<!-- /screen -->`
  })

build()
const project = slowProject()
try {
  const args = ["tui", project, "--trials", "5", "--concurrency", "12"]
  const terminal = openArena(args, { columns: 80, rows: 24 })
  await liveScreens(terminal)
  await endedScreens(terminal)
  await inlineScreen(project)
  writeFileSync(page, replaceScreens(readFileSync(page, "utf8")))
} finally {
  closeTmux()
  rmSync(join(project, ".."), { recursive: true, force: true })
}
