import { spawnSync } from "node:child_process"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { closeTmux, openArena, type TmuxTerminal } from "../tui/Tmux.ts"
import { bin, build, folders } from "./arena.ts"

/** Three contestants whose answers take their time, and one that cannot run. */
const slow: Readonly<Record<string, string>> = {
  "config.yaml": `project: slow_tickets
models:
  - { key: steady, model: "mock:steady", params: { mode: oracle, latency_ms: 200, sleep: true }, card: { input_usd_per_mtok: 5, output_usd_per_mtok: 25 } }
  - { key: flaky, model: "mock:flaky", params: { mode: flaky, accuracy: 60, latency_ms: 200, sleep: true } }
  - { key: wrong, model: "mock:wrong", params: { mode: fixed, text: "no idea", latency_ms: 200, sleep: true } }
  - { key: absent, model: "claude-haiku-4-5" }
run: { concurrency: 6, trials: 2, drain_s: 5, term_drain_s: 1 }
budgets: { max_run_usd: 5 }
`,
  "tests.yaml": `tests:
${Array.from({ length: 40 }, (_, index) => `  - { id: ticket-${index}, input: "question ${index}", expected: yes }`).join("\n")}
`
}

const noKey = { ANTHROPIC_API_KEY: "" }
const place = folders()

beforeAll(build)
afterAll(() => {
  closeTmux()
  place.clean()
})

const going = (terminal: TmuxTerminal): Promise<string> =>
  terminal.until("a run that goes on", (text) => /\d+\/240 [1-9]\d?%/.test(text) && text.includes("provisional"))

const ended = (terminal: TmuxTerminal): Promise<string> =>
  terminal.until("the exit code", (text) => /exit=\d+/.test(text))

/** What a frame has that nothing else has. */
const traces = /provisional|ETA|[█▒░]|in flight {2}/

describe("the progress of arena run in a real terminal", () => {
  it("shows the run in place, follows a resize, and leaves remarks and the result", async () => {
    const terminal = openArena(["run", place.make(slow), "--no-report"], { columns: 100, rows: 30 }, noKey)
    const text = await going(terminal)
    expect(terminal.isAlternate()).toBe(false)
    expect(text).toMatch(/^before\nskipping absent: [^█]*\n █.*\/240 \d+% {2}ETA .* \/ \$5\.00/)
    const ranked = await terminal.until("a provisional ranking", (text) => text.includes("  1 steady"))
    expect(ranked).toMatch(/\n {2}1 steady +\d\.\d{3} .* {2}✓ \d+/)
    expect(text).not.toMatch(/^ .. absent/m)
    terminal.resize(120, 40)
    await terminal.until("the wider view", (wide) => /\/240 \d+% .* in flight .*\d\/s\n/.test(wide))
    terminal.resize(120, 11)
    await terminal.until("the low view", (low) => /\/240 \d+%/.test(low) && !low.includes("provisional"))
    terminal.resize(120, 40)
    const after = await ended(terminal)
    expect(after).toContain("exit=0")
    const everything = terminal.everything()
    expect(everything).toMatch(/^before\nskipping absent: .*\n.*\nslow_tickets {2}/)
    expect(everything).toContain("Verdict:")
    expect(everything.match(traces)).toBeNull()
    terminal.close()
  })

  it("says that it stops when Ctrl-C is pressed, and ends in order", async () => {
    const terminal = openArena(["run", place.make(slow), "--no-report"], { columns: 80, rows: 24 }, noKey)
    await going(terminal)
    terminal.keys("C-c")
    await terminal.until("the stop", (text) =>
      /^stopping because it was interrupted \(Ctrl-C\); \d+ cells?/m.test(text)
    )
    const after = await ended(terminal)
    expect(after).toContain("exit=130")
    expect(terminal.everything().match(traces)).toBeNull()
    terminal.close()
  })

  it("leaves an empty line for the prompt when it is ended at once", async () => {
    const hanging = `  - { key: hung, model: "mock:hung", params: { mode: script, script: [{ hang: true }] } }\nrun:`
    const config = (slow["config.yaml"] ?? "").replace("run:", hanging).replace("drain_s: 5", "drain_s: 60")
    const project = place.make({ ...slow, "config.yaml": config })
    const terminal = openArena(["run", project, "--no-report"], { columns: 80, rows: 24 }, noKey)
    await terminal.until("a run that goes on", (text) => /\d+\/320 [1-9]\d?%/.test(text))
    const pid = terminal.pid()
    terminal.keys("C-c")
    await terminal.until("the stop", (text) => text.includes("stopping because"))
    terminal.keys("C-c")
    terminal.keys("C-c")
    await ended(terminal)
    expect(terminal.everything().match(traces)).toBeNull()
    expect(() => process.kill(pid, 0)).toThrow()
    terminal.close()
  })

  it("fits a small terminal, without colour and in ASCII where there is nothing else", async () => {
    const env = { ...noKey, NO_COLOR: "1", LANG: "C" }
    const terminal = openArena(["run", place.make(slow), "--no-report"], { columns: 40, rows: 12 }, env)
    const text = await going(terminal)
    expect(text.slice(text.indexOf(".env)"))).toMatch(/^[\n -~]*$/)
    expect(terminal.styled()).not.toMatch(new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*(?:3[0-8]|9\\d)[;m]`))
    terminal.keys("C-c", "C-c")
    await ended(terminal)
    terminal.close()
  })

  it("writes lines where nothing can be redrawn", async () => {
    const terminal = openArena(
      ["run", place.make(slow), "--no-report"],
      { columns: 80, rows: 24 },
      { ...noKey, TERM: "dumb" }
    )
    await terminal.until("a line of progress", (text) => /^5\.\d s: \d+% \d+\/240, /m.test(text))
    terminal.keys("C-c")
    const after = await ended(terminal)
    expect(after).toContain("exit=130")
    const everything = terminal.everything()
    expect(everything).toContain("skipping absent")
    expect(everything).toContain("stopping because")
    terminal.close()
  })

  it("shows nothing when asked to be quiet", () => {
    const { stderr } = spawnSync(process.execPath, [bin, "run", place.make(slow), "--quiet", "--limit", "2"], {
      encoding: "utf8",
      env: { ...process.env, ...noKey }
    })
    expect(stderr).toBe("")
  })
})
