import { runApp } from "@agent-arena/tui/src/app/main.tsx"
import { refusal } from "@agent-arena/tui/src/app/run/RunSource.ts"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { ArenaOptions } from "./simulation/SimulatedArena.ts"
import { simulatedArena } from "./simulation/SimulatedArena.ts"
import { makeVirtualTerminal, type VirtualTerminal } from "./VirtualTerminal.ts"

const slow: ArenaOptions = {
  contestants: 4,
  cases: 40,
  trials: 2,
  seed: 3,
  concurrency: 8,
  stepMs: 10,
  startedAt: 0,
  perSecond: 200
}

const env = { TERM: "xterm-256color", LANG: "en_US.UTF-8" }

/** The program in a terminal of its own; what the test does runs beside it, and the exit code comes out. */
const inTerminal = async (
  act: (terminal: VirtualTerminal) => Promise<void>,
  options: Partial<ArenaOptions> & {
    readonly columns?: number
    readonly rows?: number
    readonly env?: Record<string, string>
  } = {}
) => {
  const terminal = makeVirtualTerminal(options.columns ?? 100, options.rows ?? 30)
  const { stdin, stdout, stderr } = terminal
  const app = runApp({
    arena: simulatedArena({ ...slow, ...options }),
    stdin,
    stdout,
    stderr,
    env: { ...env, ...options.env }
  })
  const code = Effect.runPromise(app)
  await act(terminal)
  return { code: await code, terminal }
}

describe("the program in a terminal", () => {
  it("starts a run, shows it, stops it on request and gives the screen back", async () => {
    const { code, terminal } = await inTerminal(async (screen) => {
      await screen.until((text) => text.includes("Enter start"))
      expect(screen.isAlternate()).toBe(true)
      screen.type("\r")
      await screen.until((text) => text.includes("● running") && text.includes("Matrix"))
      screen.type("q")
      await screen.until((text) => text.includes("Stop the run?"))
      expect(screen.text()).toMatch(/finished cells? (is|are) kept/)
      screen.type("q")
      await screen.until(() => !screen.isAlternate())
    })
    expect(code).toBe(3)
    expect(terminal.isAlternate()).toBe(false)
    expect(terminal.cursorShows()).toBe(true)
    const left = await terminal.until((text) => text.includes("run run_2026"))
    expect(left).toContain("support_triage partial (cancelled)")
    expect(left).toMatch(/haiku-fast/)
  })

  it("runs to the end, shows the verdict and leaves with 0", async () => {
    const { code, terminal } = await inTerminal(
      async (screen) => {
        await screen.until((text) => text.includes("Enter start"))
        screen.type("\r")
        await screen.until((text) => text.includes("completed") && text.includes("final"))
        screen.type("r")
        await screen.until((text) => /Winner: haiku-fast|Unresolved/.test(text))
        screen.type("+")
        await screen.until(
          (text) => text.includes("tried out") && /Winner: haiku-fast {2}\(with these weights\)/.test(text)
        )
        expect(screen.text()).not.toContain("still going on")
        screen.type("0")
        await screen.until((text) => !text.includes("with these weights"))
        screen.type("q")
        await screen.until(() => !screen.isAlternate())
      },
      { perSecond: 20_000, cases: 20 }
    )
    expect(code).toBe(0)
    expect(await terminal.until((text) => text.includes("run run_2026"))).toContain("completed: 160 of 160 cells")
  })

  it("moves, filters and opens a cell with the keys alone", async () => {
    await inTerminal(
      async (screen) => {
        await screen.until((text) => text.includes("Enter start"))
        screen.type("\r")
        await screen.until((text) => text.includes("completed") && text.includes("final"))
        screen.type("jjl")
        await screen.until((text) => text.includes("▸refund-0003"))
        screen.type("/tag:hard\r")
        await screen.until((text) => text.includes("/tag:hard") && !text.includes("login-0002"))
        screen.type("n\r")
        await screen.until((text) => text.includes("─ Output") && text.includes("─ Scores"))
        screen.type("\u001b")
        await screen.until((text) => text.includes("Matrix"))
        screen.type("q")
        await screen.until(() => !screen.isAlternate())
      },
      { perSecond: 20_000 }
    )
  })

  it("follows a change of size at any time", async () => {
    await inTerminal(
      async (screen) => {
        await screen.until((text) => text.includes("Enter start"))
        screen.type("\r")
        await screen.until((text) => text.includes("Matrix"))
        screen.resize(160, 45)
        await screen.until((text) => text.includes("│─ Leaderboard"))
        screen.resize(30, 8)
        await screen.until((text) => text.includes("Terminal too small"))
        screen.resize(44, 14)
        await screen.until((text) => text.includes("Matrix") && !text.includes("Leaderboard"))
        for (const row of screen.rows()) expect(row.length).toBeLessThanOrEqual(44)
        screen.type("\u0003")
        await screen.until((text) => text.includes("Stop the run?"))
        screen.type("\u0003")
        await screen.until(() => !screen.isAlternate())
      },
      { columns: 80, rows: 24 }
    )
  })

  it("pauses and goes on", async () => {
    await inTerminal(async (screen) => {
      await screen.until((text) => text.includes("Enter start"))
      screen.type("\r")
      await screen.until((text) => text.includes("● running"))
      screen.type("p")
      await screen.until((text) => text.includes("◇ paused"))
      screen.type("p")
      await screen.until((text) => text.includes("● running"))
      screen.type("qq")
      await screen.until(() => !screen.isAlternate())
    })
  })

  it("never lets the text of a model reach the terminal as it is", async () => {
    const { terminal } = await inTerminal(
      async (screen) => {
        await screen.until((text) => text.includes("Enter start"))
        screen.type("\r")
        await screen.until((text) => text.includes("final"))
        screen.type("\r")
        for (let cell = 0; cell < 40; cell++) {
          screen.type("\u001b[C")
          await screen.until((text) => /─ Output|─ Error/.test(text))
        }
        screen.type("q")
        await screen.until(() => !screen.isAlternate())
      },
      { perSecond: 20_000, cases: 12 }
    )
    expect(terminal.bytes()).not.toContain("owned")
    expect(terminal.bytes()).not.toContain("\u001b]52")
    expect(terminal.bytes()).not.toContain("\u202e")
  })

  it("copies through the terminal", async () => {
    const { terminal } = await inTerminal(
      async (screen) => {
        await screen.until((text) => text.includes("Enter start"))
        screen.type("\r")
        await screen.until((text) => text.includes("final"))
        screen.type("\r")
        await screen.until((text) => text.includes("─ Output"))
        screen.type("y")
        await screen.until((text) => text.includes("on the clipboard"))
        screen.type("q")
        await screen.until(() => !screen.isAlternate())
      },
      { perSecond: 20_000, cases: 12 }
    )
    expect(terminal.bytes()).toContain("\u001b]52;c;")
  })

  it("speaks in sentences to a screen reader, on the normal screen", async () => {
    const { terminal } = await inTerminal(
      async (screen) => {
        await screen.until((text) => text.includes("support_triage: 240 cells"))
        expect(screen.isAlternate()).toBe(false)
        screen.type("\r")
        await screen.until((text) => text.includes("running"))
        screen.type("q")
        await screen.until((text) => text.includes("Are you sure?"))
        screen.type("q")
        await screen.until((text) => text.includes("partial (cancelled)"))
      },
      { env: { INK_SCREEN_READER: "true" }, columns: 120, rows: 40 }
    )
    expect(terminal.bytes()).not.toContain("\u001b[?1049h")
    expect(terminal.bytes()).not.toMatch(/[█░│╭]/)
  })

  it("says what to use instead on a terminal that knows no control sequences", async () => {
    const terminal = makeVirtualTerminal(80, 24)
    const { stdin, stdout, stderr } = terminal
    const app = runApp({ arena: simulatedArena(slow), stdin, stdout, stderr, env: { ...env, TERM: "dumb" } })
    expect(await Effect.runPromise(app)).toBe(1)
    expect(terminal.bytes()).toBe("")
    expect(terminal.errors()).toBe("arena tui cannot draw on this terminal (TERM=dumb); use: arena run PROJECT\n")
  })

  it("says on the history that it cannot be read, for as long as it shows", async () => {
    const terminal = makeVirtualTerminal(60, 20)
    const { stdin, stdout, stderr } = terminal
    const message = "/projects/support_triage/results/arena.sqlite: open failed: file is not a database"
    const arena = { ...simulatedArena(slow), runs: Effect.fail(refusal(message)) }
    const code = Effect.runPromise(runApp({ arena, stdin, stdout, stderr, env }))
    await terminal.until((text) => text.includes("Enter start"))
    terminal.type("H")
    const shown = await terminal.until((text) => text.includes("cannot be read"))
    expect(shown.replaceAll(/\s+/g, " ")).toContain("file is not a database")
    expect(shown).not.toContain("Reading")
    terminal.type("q")
    expect(await code).toBe(0)
  })

  it("says what to use instead where there is no terminal", async () => {
    const terminal = makeVirtualTerminal(80, 24)
    const stdout = Object.assign(terminal.stdout, { isTTY: false })
    const { stdin, stderr } = terminal
    const code = await Effect.runPromise(runApp({ arena: simulatedArena(slow), stdin, stdout, stderr, env }))
    expect(code).toBe(1)
    expect(terminal.bytes()).toBe("")
    expect(terminal.errors()).toBe(
      "arena tui needs a terminal on stdin and stdout; without one use: arena run PROJECT\n"
    )
  })
})
