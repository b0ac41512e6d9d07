import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bin, build, folders } from "../cli/arena.ts"
import { closeTmux, openArena, openInShell, type TmuxTerminal } from "./Tmux.ts"

/** Four contestants whose answers take their time. */
const slow: Readonly<Record<string, string>> = {
  "config.yaml": `project: slow_tickets
models:
  - { key: steady, model: "mock:steady", params: { mode: oracle, latency_ms: 250, sleep: true } }
  - { key: flaky, model: "mock:flaky", params: { mode: flaky, accuracy: 60, latency_ms: 250, sleep: true } }
  - { key: wrong, model: "mock:wrong", params: { mode: fixed, text: "no idea", latency_ms: 250, sleep: true } }
run: { concurrency: 6, trials: 2, drain_s: 5, term_drain_s: 1 }
`,
  "tests.yaml": `tests:
${Array.from({ length: 40 }, (_, index) => `  - { id: ticket-${index}, input: "question ${index}", expected: yes, tags: [${index % 2 === 0 ? "even" : "odd"}] }`).join("\n")}
`
}

const place = folders()

beforeAll(build)
afterAll(() => {
  closeTmux()
  place.clean()
})

const running = async (terminal: TmuxTerminal): Promise<void> => {
  await terminal.until("the start screen", (text) => text.includes("Enter start"))
  terminal.keys("Enter")
  await terminal.until("a running matrix", (text) => text.includes("● running") && text.includes("✓"))
}

const ended = (terminal: TmuxTerminal): Promise<string> =>
  terminal.until("the exit code", (text) => /exit=\d+/.test(text))

describe("arena tui in a real terminal", () => {
  it("starts, moves, filters, opens a cell, follows a resize, pauses, stops and restores the screen", async () => {
    const terminal = openArena(["tui", place.make(slow)], { columns: 80, rows: 24 })
    await running(terminal)
    expect(terminal.isAlternate()).toBe(true)
    terminal.keys("j", "j", "l")
    await terminal.until("the cursor on the third case", (text) => text.includes("▸ticket-2"))
    terminal.keys("/", "t", "a", "g", ":", "o", "d", "d", "Enter")
    await terminal.until("odd cases only", (text) => text.includes("▸ticket-") && !text.includes("ticket-2 "))
    terminal.keys("n", "Enter")
    await terminal.until("a cell", (text) => text.includes("─ Output") && text.includes("Expected"))
    terminal.keys("Escape")
    terminal.resize(140, 40)
    await terminal.until("the wide layout", (text) => text.includes("│─ Leaderboard"))
    terminal.keys("p")
    await terminal.until("a pause", (text) => text.includes("◇ paused"))
    terminal.keys("p")
    await terminal.until("the run going on", (text) => text.includes("● running"))
    terminal.keys("q")
    const question = await terminal.until("the question", (text) => text.includes("Stop the run?"))
    expect(question).toMatch(/finished cells? (is|are) kept/)
    terminal.keys("q")
    const after = await ended(terminal)
    expect(after).toContain("exit=3")
    expect(after).toContain("slow_tickets partial (cancelled)")
    expect(after).toMatch(/^before$/m)
    expect(terminal.isAlternate()).toBe(false)
    terminal.close()
  })

  it("ends on SIGTERM within its deadline, keeps what is finished and gives the screen back", async () => {
    const project = place.make(slow)
    const terminal = openArena(["tui", project], { columns: 100, rows: 30 })
    await running(terminal)
    process.kill(terminal.pid(), "SIGTERM")
    const after = await ended(terminal)
    expect(after).toContain("exit=124")
    expect(after).toContain("aborted (deadline)")
    expect(terminal.isAlternate()).toBe(false)
    const runs = spawnSync(process.execPath, [bin, "runs", project], { encoding: "utf8" })
    expect(runs.stdout).toContain("aborted (deadline)")
    terminal.close()
  })

  it("asks on Ctrl-C, stops on the second, and interrupts what hangs when insisted upon", async () => {
    const hanging = `  - { key: hung, model: "mock:hung", params: { mode: script, script: [{ hang: true }] } }\nrun:`
    const config = (slow["config.yaml"] ?? "").replace("run:", hanging).replace("drain_s: 5", "drain_s: 60")
    const terminal = openArena(["tui", place.make({ ...slow, "config.yaml": config })], { columns: 80, rows: 24 })
    await running(terminal)
    terminal.keys("C-c")
    await terminal.until("the question", (text) => text.includes("Stop the run?"))
    terminal.keys("C-c")
    await terminal.until("the run stopping", (text) => text.includes("▾ stopping"))
    terminal.keys("C-c")
    const question = await terminal.until("the second question", (text) => text.includes("Stop now?"))
    expect(question).toContain("Stopping now interrupts them")
    terminal.keys("C-c")
    const after = await ended(terminal)
    expect(after).toContain("exit=3")
    expect(after).toContain("partial (cancelled)")
    terminal.close()
  })

  it("shows the verdict of a run that was left to end, and leaves with 0", async () => {
    const config = (slow["config.yaml"] ?? "").replaceAll(", sleep: true", "")
    const terminal = openArena(["tui", place.make({ ...slow, "config.yaml": config })], { columns: 120, rows: 40 })
    await terminal.until("the start screen", (text) => text.includes("Enter start"))
    terminal.keys("Enter")
    await terminal.until("the end", (text) => text.includes("◆ completed") && text.includes("Leaderboard final"))
    terminal.keys("r")
    await terminal.until("the verdict", (text) => text.includes("Winner: steady"))
    terminal.keys("q")
    const after = await ended(terminal)
    expect(after).toContain("exit=0")
    expect(after).toContain("`steady` is the winner")
    terminal.close()
  })

  it("uses no colour under NO_COLOR and nothing but ASCII with --ascii", async () => {
    const terminal = openArena(["tui", place.make(slow), "--ascii"], { columns: 80, rows: 24 }, { NO_COLOR: "1" })
    await terminal.until("the start screen", (text) => text.includes("Enter start"))
    terminal.keys("Enter")
    await terminal.until("a running matrix", (text) => text.includes("* running"))
    expect(terminal.text()).toMatch(/^[\n -~]*$/)
    const escape = String.fromCharCode(27)
    expect(terminal.styled()).not.toMatch(new RegExp(`${escape}\\[[\\d;]*(?:3[0-8]|9\\d)[;m]`))
    terminal.keys("q", "q")
    await ended(terminal)
    terminal.close()
  })

  it("shows what is wrong with a project, and goes on when the file is fixed", async () => {
    const project = place.make({ ...slow, "config.yaml": (slow["config.yaml"] ?? "").replace("models:", "modles:") })
    const terminal = openArena(["tui", project], { columns: 100, rows: 30 })
    await terminal.until("the problem", (text) => text.includes("modles") && text.includes("config.yaml:2"))
    for (const [name, content] of Object.entries(slow)) writeFileSync(join(project, name), content)
    await terminal.until("the project", (text) => text.includes("240 cells"))
    terminal.keys("q")
    expect(await ended(terminal)).toContain("exit=0")
    terminal.close()
  })

  it("gives the screen back when the program crashes", async () => {
    const bomb = "setTimeout(() => { throw new Error('boom') }, 3000)"
    const options = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(bomb)}` }
    const terminal = openArena(["tui", place.make(slow)], { columns: 80, rows: 24 }, options)
    await terminal.until("the start screen", (text) => text.includes("Enter start"))
    const after = await ended(terminal)
    expect(after).toMatch(/exit=[1-9]/)
    expect(terminal.isAlternate()).toBe(false)
    terminal.close()
  })

  it("gives the terminal to the shell while it is stopped, and shows everything again afterwards", async () => {
    const terminal = openInShell(["tui", place.make(slow)], { columns: 80, rows: 24 })
    await running(terminal)
    const pid = terminal.pid()
    process.kill(pid, "SIGTSTP")
    const prompt = await terminal.until("the prompt", (text) => text.includes("Stopped"))
    expect(prompt).not.toContain("Matrix")
    expect(terminal.isAlternate()).toBe(false)
    terminal.keys("fg", "Enter")
    await terminal.until("the whole screen", (text) => text.includes("slow_tickets") && text.includes("? help"))
    expect(terminal.isAlternate()).toBe(true)
    terminal.keys("j")
    await terminal.until("the cursor on the second case", (text) => text.includes("▸ticket-1"))
    // Nobody is told of this stop; what the shell has drawn over is drawn again.
    process.kill(pid, "SIGSTOP")
    await terminal.until("the prompt on the screen", (text) => text.includes("Stopped"))
    terminal.keys("fg", "Enter")
    await terminal.until("a clean screen", (text) => !text.includes("Stopped") && text.includes("Matrix"))
    terminal.keys("q", "q")
    await terminal.until("the end", (text) => text.includes("partial (cancelled)"))
    expect(terminal.isAlternate()).toBe(false)
    terminal.close()
  })

  it("takes the lines of arena run away for the shell on Ctrl-Z, and draws them again", async () => {
    const terminal = openInShell(["run", place.make(slow)], { columns: 100, rows: 30 })
    await terminal.until("progress", (text) => text.includes("provisional"))
    terminal.keys("C-z")
    const prompt = await terminal.until("the prompt", (text) => text.includes("Stopped"))
    expect(prompt).not.toContain("provisional")
    terminal.keys("fg", "Enter")
    await terminal.until("progress again", (text) => text.includes("provisional"))
    terminal.keys("C-c")
    await terminal.until("the end", (text) => text.includes("go on with"))
    terminal.close()
  })

  it("says in one line what to use where there is no terminal", () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, "tui", place.make(slow)], { encoding: "utf8" })
    expect(status).toBe(1)
    expect(stdout).toBe("")
    expect(stderr).toBe("arena tui needs a terminal on stdin and stdout; without one use: arena run PROJECT\n")
  })
})
