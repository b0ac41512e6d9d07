/** Runs that one process executes and another one shows or stops, in real terminals. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { build, folders, start } from "../cli/arena.ts"
import { closeTmux, openArena, type TmuxTerminal } from "./Tmux.ts"

/** Every call takes its time, so that some are in flight at any moment. */
const slow: Readonly<Record<string, string>> = {
  "config.yaml": `project: slow_tickets
models:
  - { key: steady, model: "mock:steady", params: { mode: oracle, latency_ms: 400, sleep: true } }
  - { key: wrong, model: "mock:wrong", params: { mode: fixed, text: "no idea", latency_ms: 400, sleep: true } }
budgets: { max_run_usd: 2, allow_unpriced: true }
run: { concurrency: 4, drain_s: 5, term_drain_s: 1 }
`,
  "tests.yaml": `tests:
${Array.from({ length: 200 }, (_, index) => `  - { id: ticket-${index}, input: "question ${index}", expected: yes }`).join("\n")}
`
}

/** A target that forgets a promise, which fails while nobody looks. */
const careless: Readonly<Record<string, string>> = {
  "config.yaml": `project: careless
targets:
  - { key: one, run: "target.mjs:answer" }
run: { concurrency: 1, drain_s: 5 }
`,
  "target.mjs": `export const answer = async (_prompt, { caseId }) => {
  await new Promise((resolve) => setTimeout(resolve, 200))
  if (caseId === "ticket-3") void Promise.reject(new Error("forgotten"))
  return { output: "yes" }
}
`,
  "tests.yaml": slow["tests.yaml"] ?? ""
}

const place = folders()

beforeAll(build)
afterAll(() => {
  closeTmux()
  place.clean()
})

/** From the start screen to the run that goes on elsewhere. */
const attached = async (terminal: TmuxTerminal): Promise<void> => {
  await terminal.until("the start screen", (text) => text.includes("Enter start"))
  terminal.keys("H")
  await terminal.until("the history", (text) => text.includes("running"))
  terminal.keys("Enter")
  await terminal.until("cells in flight", (text) => /running in another process.*[1-4] in flight/s.test(text))
}

const ended = (terminal: TmuxTerminal): Promise<string> =>
  terminal.until("the exit code", (text) => /exit=\d+/.test(text))

describe("arena tui as one process among others", () => {
  it("shows what is in flight in a run of arena run, and stops it after asking", async () => {
    const folder = place.make(slow)
    const run = start(["run", folder])
    await run.saw("400", "stderr")
    const terminal = openArena(["tui", folder], { columns: 120, rows: 30 })
    await attached(terminal)
    await terminal.until("its budget", (text) => text.includes("/ $2"))
    terminal.keys("p")
    await terminal.until("that it cannot be paused", (text) => text.includes("cannot be paused from here"))
    terminal.keys("X")
    const question = await terminal.until("the question", (text) => text.includes("Stop the run?"))
    expect(question).toContain("may finish for up to 5")
    terminal.keys("y")
    const { code } = await run.ended
    expect(code).toBe(3)
    await terminal.until("how it ended", (text) => text.includes("partial (cancelled)"))
    terminal.keys("q")
    expect(await ended(terminal)).toContain("exit=0")
    terminal.close()
  })

  it("opens a run anew that went on elsewhere after it was seen to end", async () => {
    const folder = place.make(slow)
    const first = start(["run", folder])
    await first.saw("400", "stderr")
    const terminal = openArena(["tui", folder], { columns: 120, rows: 30 })
    await attached(terminal)
    first.child.kill("SIGKILL")
    await first.ended
    await terminal.until("how it ended", (text) => text.includes("aborted (interrupted)"))
    const second = start(["resume", folder])
    await second.saw("400", "stderr")
    terminal.keys("H")
    await terminal.until("that it goes on", (text) => text.includes("History") && text.includes("running"))
    terminal.keys("Enter")
    await terminal.until("its new part", (text) => /running in another process.*[1-4] in flight/s.test(text))
    expect((await start(["stop", folder]).ended).code).toBe(0)
    await second.ended
    await terminal.until("its new end", (text) => text.includes("partial (cancelled)"))
    terminal.keys("q")
    await ended(terminal)
    terminal.close()
  })

  it("ends a run of the screen as arena stop asks, and leaves with its exit code", async () => {
    const folder = place.make(slow)
    const terminal = openArena(["tui", folder], { columns: 100, rows: 30 })
    await terminal.until("the start screen", (text) => text.includes("Enter start"))
    terminal.keys("Enter")
    await terminal.until("a running matrix", (text) => text.includes("● running") && text.includes("✓"))
    const stopped = await start(["stop", folder, "--json"]).ended
    expect(stopped.code).toBe(0)
    expect(JSON.parse(stopped.stdout)).toMatchObject({
      action: "stopped",
      run: { status: "partial", stop_reason: "cancelled" }
    })
    expect(await ended(terminal)).toContain("exit=3")
    expect(terminal.isAlternate()).toBe(false)
    terminal.close()
  })

  it("ends a run in order when something breaks that nobody handles, and says what it was", async () => {
    const terminal = openArena(["tui", place.make(careless)], { columns: 100, rows: 30 })
    await terminal.until("the start screen", (text) => text.includes("Enter start"))
    terminal.keys("Enter")
    const screen = await ended(terminal)
    expect(screen).toContain("exit=1")
    expect(screen).toMatch(/aborted.*forgotten/)
    expect(screen).toContain("a failure that nothing handles ended this: Error: forgotten")
    expect(terminal.isAlternate()).toBe(false)
    terminal.close()
  })
})
