import { append, appendGap } from "@agent-arena/tui/src/app/run/EventLog.ts"
import type { OpenRun } from "@agent-arena/tui/src/app/run/OpenRun.ts"
import { makeOpenRun } from "@agent-arena/tui/src/app/run/OpenRun.ts"
import type { AppState, Screen, World } from "@agent-arena/tui/src/app/state/AppState.ts"
import { update } from "@agent-arena/tui/src/app/state/Update.ts"
import { asciiLine } from "@agent-arena/tui/src/app/terminal/Ascii.ts"
import { lineText, lineWidth } from "@agent-arena/tui/src/app/terminal/Line.ts"
import { textWidth } from "@agent-arena/tui/src/app/terminal/TextWidth.ts"
import { frame } from "@agent-arena/tui/src/app/view/Frame.ts"
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { hostile } from "../simulation/Texts.ts"
import { makeWorld, openRun, press, running, shape, startState } from "../state/Fixtures.ts"

const text = (state: AppState, world: World): ReadonlyArray<string> => frame(state, world).map(lineText)
const shown = (state: AppState, world: World): string => text(state, world).join("\n")
const sized = (state: AppState, width: number, height: number): AppState => ({ ...state, size: { width, height } })

/** The run with hostile names: labels, case ids, log. */
const hostileRun = (): OpenRun => {
  const run = openRun(shape, 0.6)
  const names = { ...run.source.facts.rules }
  const rules = {
    ...names,
    contestants: names.contestants.map((one, index) => ({ ...one, label: hostile[index] ?? one.label })),
    cases: names.cases.map((one, index) => ({ ...one, tags: [hostile[index % hostile.length] ?? ""] }))
  }
  const named = makeOpenRun({ ...run.source, facts: { ...run.source.facts, rules, project: hostile[0] ?? "" } })
  named.model.states.set(run.model.states)
  for (const [cell, loaded] of run.results) named.results.set(cell, loaded)
  named.leaderboard =
    run.leaderboard === null
      ? null
      : {
          ...run.leaderboard,
          notes: hostile,
          entries: run.leaderboard.entries.map((entry, index) => ({
            ...entry,
            label: hostile[index] ?? "",
            failures: [hostile[3] ?? ""]
          }))
        }
  for (const [at, line] of hostile.entries()) append(named.model.log, at, "error", line, at)
  return named
}

const anyScreen = (run: string): fc.Arbitrary<Screen> => {
  const cell = {
    caseIndex: fc.nat(49),
    contestant: fc.nat(3),
    trial: fc.integer({ min: 1, max: 3 }),
    scroll: fc.nat(200)
  }
  const own = { run: fc.constant(run) }
  return fc.oneof(
    fc.record({
      _tag: fc.constant("Live" as const),
      ...own,
      focus: fc.constantFrom("grid" as const, "leaderboard" as const, "log" as const),
      zoomed: fc.boolean(),
      matrix: fc.record({
        caseIndex: fc.nat(49),
        contestant: fc.nat(3),
        top: fc.nat(60),
        left: fc.nat(4),
        filter: fc.constantFrom("", "tag:x", "status:fail", "nothing at all", "字"),
        sort: fc.constantFrom("file" as const, "worst" as const, "disagreement" as const)
      }),
      place: fc.nat(5),
      entry: fc.option(fc.nat(20))
    }),
    fc.record({ _tag: fc.constant("Cell" as const), ...own, ...cell }),
    fc.record({ _tag: fc.constant("Case" as const), ...own, ...cell }),
    fc.record({ _tag: fc.constant("Contestant" as const), ...own, contestant: fc.nat(3), scroll: fc.nat(200) }),
    fc.record({
      _tag: fc.constant("Result" as const),
      ...own,
      place: fc.nat(5),
      scroll: fc.nat(200),
      weights: fc.constantFrom(null, { accuracy: 0, cost: 1 }),
      metric: fc.nat(3)
    }),
    fc.record({ _tag: fc.constant("Runs" as const), row: fc.nat(12), marked: fc.constant([]) }),
    fc.record({ _tag: fc.constant("Compare" as const), runs: fc.constant([run, run] as const), scroll: fc.nat(200) }),
    fc.record({
      _tag: fc.constant("Start" as const),
      row: fc.nat(20),
      choice: fc.constant({ contestants: ["haiku-fast"], tags: [], trials: 3, concurrency: 8 }),
      known: fc.constant(null)
    })
  )
}

const anyOverlay = (run: string): fc.Arbitrary<AppState["overlay"]> =>
  fc.constantFrom(
    null,
    { _tag: "Filter" as const, before: "" },
    { _tag: "Help" as const, scroll: 3 },
    { _tag: "Palette" as const, query: "o", row: 4 },
    { _tag: "Confirm" as const, question: { _tag: "Stop" as const, run } },
    { _tag: "Confirm" as const, question: { _tag: "StopNow" as const, run } }
  )

describe("every frame", () => {
  it("is exactly as wide and as high as the terminal, whatever it shows", () => {
    const run = hostileRun()
    const world = makeWorld([run])
    const { state } = running()
    fc.assert(
      fc.property(
        anyScreen(run.model.id),
        anyOverlay(run.model.id),
        fc.integer({ min: 1, max: 220 }),
        fc.integer({ min: 1, max: 70 }),
        fc.option(fc.constantFrom(...hostile)),
        (screen, overlay, width, height, toast) => {
          const message = toast === null ? null : { text: toast, level: "info" as const, until: world.now + 1 }
          const lines = frame({ ...sized(state, width, height), screens: [screen], overlay, toast: message }, world)
          expect(lines).toHaveLength(height)
          for (const line of lines) {
            expect(lineWidth(line)).toBe(width)
            expect(textWidth(lineText(line))).toBe(width)
            expect(lineText(line)).not.toMatch(/\p{Cc}/u)
            expect(lineWidth(asciiLine(line))).toBe(width)
            expect(lineText(asciiLine(line))).toMatch(/^[ -~]*$/)
            expect(lineText(asciiLine(line))).toHaveLength(width)
          }
        }
      ),
      { numRuns: 150 }
    )
  })
})

describe("the live screen", () => {
  it("shows progress, ranking and cells at every size from 40×12", () => {
    const { state, world } = running("half")
    for (const [width, height] of [
      [40, 12],
      [60, 18],
      [80, 24],
      [120, 40],
      [200, 50],
      [300, 100]
    ] as const) {
      const screen = shown(sized(state, width, height), world)
      expect(screen).toContain(width < 60 ? "support" : "support_triage")
      expect(screen).toMatch(/● running {2}20s {2}ETA \d+s|● running {2}20s…/)
      expect(screen).toMatch(/\d+\/600/)
      expect(screen).toContain("billing-0001")
    }
  })

  it("says all of what went wrong, on as many rows as it takes", () => {
    const { state, world } = running()
    const said = `/a/folder/with/a/name/results/arena.sqlite: open failed: ${"word ".repeat(8)}restore a copy, or remove it`
    const toast = { text: said, level: "error" as const, until: world.now + 1 }
    const screen = shown({ ...sized(state, 60, 16), toast }, world)
    expect(screen.replaceAll(/\s+/g, " ")).toContain(said)
    const endless = shown({ ...sized(state, 60, 16), toast: { ...toast, text: "word ".repeat(500) } }, world)
    expect(endless.split("\n").filter((row) => row.includes("word"))).toHaveLength(4)
    expect(endless.trimEnd()).toMatch(/…$/)
  })

  it("fits a message into a terminal that is too small", () => {
    const { state, world } = running("half")
    const screen = shown(sized(state, 39, 11), world)
    expect(screen).toContain("Terminal too small")
    expect(screen).toContain("39×11, needs 40×12")
  })

  it("shows one pane at a time where there is room for one", () => {
    const { state, world } = running("half")
    const small = sized(state, 40, 12)
    expect(shown(small, world)).toContain("Matrix")
    expect(shown(small, world)).not.toContain("Leaderboard")
    expect(shown(press(small, world, "tab").state, world)).toContain("Leaderboard")
    expect(shown(press(small, world, "tab", "tab").state, world)).toContain("Events")
  })

  it("gives a pane the whole screen and takes it back", () => {
    const { state, world } = running("half")
    const zoomed = press(state, world, "z").state
    expect(shown(zoomed, world)).not.toContain("Leaderboard")
    expect(shown(press(zoomed, world, "esc").state, world)).toContain("Leaderboard")
  })

  it("marks a ranking that can still change, and only that one", () => {
    expect(shown(running("half").state, running("half").world)).toContain("provisional")
    const { state, world } = running("finished")
    expect(shown(state, world)).not.toContain("provisional")
    expect(shown(state, world)).toContain("├")
  })

  it("says in the log where events are missing, how many and since when", () => {
    const { run, state, world } = running("half")
    const at = new Date(2026, 8, 2, 14, 3, 59).getTime()
    appendGap(run.model.log, at, at, 0)
    const pane = press(sized(state, 120, 40), world, "tab", "tab", "z").state
    expect(shown(pane, world)).toMatch(/Events some not shown since 14:03:59 ─/)
    expect(shown(pane, world)).toContain(
      "14:03:59 … events not shown since 14:03:59: too fast to follow one by one; counts are exact"
    )
    appendGap(run.model.log, at, at + 2000, 12_345)
    expect(shown(pane, world)).toMatch(/Events 12k not shown since 14:03:59 ─/)
    expect(shown(pane, world)).toContain("14:04:01 … 12,345 events not shown since 14:03:59: too fast")
    expect(shown(press(pane, world, "enter").state, world)).toContain("belongs to no single cell")
  })

  it("tells what a stop keeps", () => {
    const { state, world, run } = running("half")
    const screen = shown(press(state, world, "q").state, world)
    const finished = [...run.model.states].filter((cell) => cell >= 2).length
    expect(screen).toContain(`${finished} finished cells are kept.`)
    expect(screen).toMatch(/cells in flight may finish for up to 30s/)
  })

  it("explains every key, sign and word of the filter in full, however narrow it is", () => {
    const { state, world } = running("half")
    const joinedRows = (width: number) => {
      const help = press(sized(state, width, 12), world, "?").state
      const rows = Array.from({ length: 30 }, (_, page) => {
        const overlay = { _tag: "Help" as const, scroll: page * 9 }
        return text({ ...help, overlay }, world).slice(2, 11)
      }).flat()
      return rows.map((row) => row.replace(/[│┃]\s*$/, "").trim()).join(" ")
    }
    for (const width of [40, 80, 200]) {
      const help = joinedRows(width)
      expect(help).not.toContain("…")
      for (const word of ["next failed or errored", "tag:x", "contestant:x", "took longer than a cell may", "unscored"])
        expect(help.replace(/\s+/g, " ")).toContain(word)
    }
  })

  it("offers only keys that do something", () => {
    const { state, world } = running("half")
    expect(text(sized(state, 200, 50), world).at(-1)).toContain("pause")
    const { state: done, world: after } = running("finished")
    const last = text({ ...sized(done, 200, 50), liveRun: null }, after).at(-1)
    expect(last).not.toContain("pause")
    expect(last).not.toContain("Esc")
  })
})

describe("the other screens", () => {
  const { state, world } = running("finished")
  const wide = sized(state, 120, 60)

  it("show a cell whole: output, expectation, scores, numbers", () => {
    const screen = shown(press(wide, world, "n", "enter").state, world)
    for (const part of ["Output", "Request", "Expected", "Scores", "tokens", "latency"]) expect(screen).toContain(part)
  })

  it("show all contestants on one case side by side", () => {
    const screen = shown(press(wide, world, "c").state, world)
    for (const name of ["haiku-fast", "sonnet-balanced", "opus-deep"]) expect(screen).toContain(name)
  })

  it("show a contestant's latencies and failures by tag", () => {
    const screen = shown(press(sized(state, 120, 80), world, "m").state, world)
    expect(screen).toMatch(/p50 \d+ms {3}p95/)
    expect(screen).toContain("Failures by tag")
  })

  it("show the verdict first", () => {
    const rows = text(press(wide, world, "r").state, world)
    expect(rows[2]).toMatch(/Winner: haiku-fast|Unresolved/)
    expect(rows.join("\n")).toContain("on the frontier")
  })

  it("say what is unknown as a dash", () => {
    const begin = openRun(shape, 0)
    const empty = makeWorld([begin])
    const screen = shown(state, empty)
    expect(screen).toContain("0/600")
    expect(screen).toContain("—")
    expect(screen).not.toContain("NaN")
    expect(screen).not.toContain("$0 ")
  })

  it("forecast nothing where nothing would run", () => {
    const { state: start, world } = startState()
    const { state } = press(start, world, "space", "down", "space", "down", "space")
    const screen = shown(state, world)
    expect(screen).toContain(" 0 cells")
    expect(screen).toMatch(/cost +— {2}nothing is chosen/)
    expect(screen).not.toContain("has a price")
  })

  it("show what is wrong with a project, with positions and advice", () => {
    const { state: start, world: ready } = startState()
    const broken: World = {
      ...ready,
      project: {
        _tag: "ProjectProblems",
        issues: [
          {
            position: { file: "config.yaml", line: 4, column: 3 },
            message: "unknown key `modles`",
            suggestion: "did you mean `models`?"
          }
        ]
      }
    }
    const screen = shown(update(start, { _tag: "ProjectRead" }, broken).state, broken)
    expect(screen).toContain("1 problem")
    expect(screen).toContain("config.yaml:4:3")
    expect(screen).toContain("did you mean `models`?")
  })
})
