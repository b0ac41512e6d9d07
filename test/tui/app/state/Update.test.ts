import { Fail, isProblem } from "@agent-arena/tui/src/app/run/CellState.ts"
import type { OpenRun } from "@agent-arena/tui/src/app/run/OpenRun.ts"
import { cellIndex, countOf } from "@agent-arena/tui/src/app/run/RunModel.ts"
import type { RunSource } from "@agent-arena/tui/src/app/run/RunSource.ts"
import { type AppState, currentScreen, type Screen } from "@agent-arena/tui/src/app/state/AppState.ts"
import { isAvailable } from "@agent-arena/tui/src/app/state/Available.ts"
import type { Command } from "@agent-arena/tui/src/app/state/Intent.ts"
import { update } from "@agent-arena/tui/src/app/state/Update.ts"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { press, running, startState } from "./Fixtures.ts"

const screenOf = <Tag extends Screen["_tag"]>(state: AppState, tag: Tag): Extract<Screen, { _tag: Tag }> => {
  const screen = currentScreen(state)
  if (screen._tag !== tag) throw new Error(`expected ${tag}, found ${screen._tag}`)
  return screen as Extract<Screen, { _tag: Tag }>
}

const tags = (commands: ReadonlyArray<Command>) => commands.map((command) => command._tag)

describe("the start screen", () => {
  it("takes in everybody who is ready, and starts with what was chosen", () => {
    const { state, world } = startState()
    const chosen = screenOf(state, "Start").choice
    expect(chosen.contestants).toEqual(["haiku-fast", "sonnet-balanced", "opus-deep"])
    const next = press(state, world, "space", "down", "down", "down", "down", "right", "right")
    expect(screenOf(next.state, "Start").choice).toMatchObject({
      contestants: ["sonnet-balanced", "opus-deep"],
      trials: 5
    })
    const started = press(next.state, world, "enter")
    expect(started.commands).toEqual([{ _tag: "Start", choice: screenOf(next.state, "Start").choice }])
  })

  it("does not start with nobody", () => {
    const { state, world } = startState()
    const { commands, state: next } = press(state, world, "space", "j", "space", "j", "space", "enter")
    expect(commands).toEqual([])
    expect(next.toast?.level).toBe("warning")
  })

  it("cannot take in a contestant that is not ready", () => {
    const { state, world } = startState()
    const { state: next } = press(state, world, "j", "j", "j", "space")
    expect(screenOf(next, "Start").choice.contestants).not.toContain("mini-cheap")
  })

  it("keeps the choice when the project is read again", () => {
    const { state, world } = startState()
    const { state: chosen } = press(state, world, "space")
    const again = update(chosen, { _tag: "ProjectRead" }, world).state
    expect(screenOf(again, "Start").choice.contestants).toEqual(["sonnet-balanced", "opus-deep"])
  })

  it("asks before it spends more than may be spent without asking", () => {
    const { state, world } = startState({ confirmAboveUsd: 0.01 })
    const { state: without } = press(state, world, "j", "j", "space")
    const asked = press(without, world, "enter")
    expect(asked.commands).toEqual([])
    expect(asked.state.overlay).toMatchObject({ _tag: "Confirm", question: { _tag: "Spend", limitUsd: 0.01 } })
    expect(tags(press(asked.state, world, "y").commands)).toEqual(["Start"])
    expect(press(asked.state, world, "esc").state.overlay).toBeNull()
  })
})

describe("moving in the matrix", () => {
  it("stays inside, follows the cursor and remembers the place", () => {
    const { state, world } = running()
    const down = press(state, world, "G").state
    expect(screenOf(down, "Live").matrix.caseIndex).toBe(49)
    expect(screenOf(down, "Live").matrix.top).toBeGreaterThan(0)
    const further = press(down, world, "j", "l", "l", "l", "l", "l").state
    expect(screenOf(further, "Live").matrix).toMatchObject({ caseIndex: 49, contestant: 3 })
    const up = press(further, world, "g", "h", "h", "h", "h").state
    expect(screenOf(up, "Live").matrix).toMatchObject({ caseIndex: 0, contestant: 0, top: 0 })
  })

  it("walks through all failed cells and comes round", () => {
    const { state, world, run } = running("finished")
    const failed = new Set<string>()
    let current = state
    for (let step = 0; step < 400; step++) {
      current = press(current, world, "n").state
      const { caseIndex, contestant } = screenOf(current, "Live").matrix
      const key = `${caseIndex} ${contestant}`
      if (failed.has(key)) break
      failed.add(key)
    }
    const expected = new Set<string>()
    run.model.states.forEach((cell, index) => {
      const perCase = run.model.contestants.length * run.model.trials
      if (isProblem(cell))
        expected.add(`${Math.floor(index / perCase)} ${Math.floor((index % perCase) / run.model.trials)}`)
    })
    expect(failed).toEqual(expected)
  })

  it("opens the failed trial of a cell and returns to where one has come to", () => {
    const { state, world, run } = running("finished")
    const found = press(state, world, "n", "enter").state
    const cell = screenOf(found, "Cell")
    expect(isProblem(run.model.states[cellIndex(run.model, cell.caseIndex, cell.contestant, cell.trial)] ?? 0)).toBe(
      true
    )
    const next = press(found, world, "n", "n").state
    const last = screenOf(next, "Cell")
    expect(screenOf(press(next, world, "esc").state, "Live").matrix).toMatchObject({
      caseIndex: last.caseIndex,
      contestant: last.contestant
    })
  })

  it("goes from cell to cell through all trials", () => {
    const { state, world } = running("finished")
    let current = press(state, world, "enter").state
    const first = screenOf(current, "Cell")
    for (let step = 0; step < 600; step++) current = press(current, world, "right").state
    expect(screenOf(current, "Cell")).toEqual(first)
  })
})

describe("the filter", () => {
  it("narrows while it is typed, stays on Enter, goes on Esc", () => {
    const { state, world } = running("finished")
    const typing = press(state, world, "/", "b", "i", "l", "l").state
    expect(screenOf(typing, "Live").matrix.filter).toBe("bill")
    expect(typing.overlay?._tag).toBe("Filter")
    const kept = press(typing, world, "enter").state
    expect(kept.overlay).toBeNull()
    expect(screenOf(kept, "Live").matrix.filter).toBe("bill")
    const gone = press(kept, world, "/", "backspace", "ctrl+u", "q", "esc").state
    expect(screenOf(gone, "Live").matrix.filter).toBe("bill")
    expect(screenOf(press(kept, world, "esc").state, "Live").matrix.filter).toBe("")
  })

  it("takes what is pasted as one line", () => {
    const { state, world } = running("finished")
    const open = press(state, world, "/").state
    const pasted = update(open, { _tag: "Paste", text: "tag:hard\nstatus:fail" }, world).state
    expect(screenOf(pasted, "Live").matrix.filter).toBe("tag:hard status:fail")
  })
})

describe("stopping", () => {
  const confirmed = (keys: ReadonlyArray<string>, phase: OpenRun["model"]["phase"] = "running") => {
    const { state, world, run } = running("half")
    run.model.phase = phase
    return press(state, world, ...keys)
  }

  it("asks first, and esc goes on", () => {
    const asked = confirmed(["q"])
    expect(asked.state.overlay).toMatchObject({ _tag: "Confirm", question: { _tag: "Stop" } })
    expect(asked.commands).toEqual([])
    expect(confirmed(["q", "esc"]).state).toMatchObject({ overlay: null, leaving: false })
  })

  it("stops and stays on Enter, stops and leaves when insisted", () => {
    expect(confirmed(["q", "enter"])).toMatchObject({ commands: [{ _tag: "Stop" }], state: { leaving: false } })
    expect(confirmed(["ctrl+c", "ctrl+c"])).toMatchObject({ commands: [{ _tag: "Stop" }], state: { leaving: true } })
  })

  it("stops at once when it is stopping already", () => {
    expect(confirmed(["q"], "stopping").state.overlay).toMatchObject({ question: { _tag: "StopNow" } })
    expect(confirmed(["q", "q"], "stopping")).toMatchObject({
      commands: [{ _tag: "StopNow" }],
      state: { leaving: true }
    })
  })

  it("leaves at once when nothing runs", () => {
    const { state, world } = running("finished")
    const ended = update(state, { _tag: "RunEnded", run: screenOf(state, "Live").run }, world).state
    expect(tags(press(ended, world, "q").commands)).toEqual(["Leave"])
    expect(tags(press(ended, world, "ctrl+c").commands)).toEqual(["Leave"])
  })

  it("tells in full what broke a run", () => {
    const { run, state, world } = running("half")
    const stopReason = "error: the file was deleted while the run wrote to it"
    run.model.ending = { status: "aborted", stopReason }
    const ended = update(state, { _tag: "RunEnded", run: run.model.id }, world).state
    expect(ended.toast?.text).toContain(stopReason)
  })

  it("leaves with the run when that was asked for", () => {
    const { state, world } = running("half")
    const leaving = press(state, world, "q", "q").state
    expect(tags(update(leaving, { _tag: "RunEnded", run: screenOf(state, "Live").run }, world).commands)).toEqual([
      "Leave"
    ])
  })

  it("lets no key through to the screen behind the question", () => {
    const { state, world } = running("half")
    const asked = press(state, world, "q").state
    const { state: after } = press(asked, world, "j", "s", "z", "tab", "G")
    expect(after).toEqual(asked)
  })

  it("ends with the process's own signal, keeping what was opened closed", () => {
    const { state, world } = running("half")
    expect(update(state, { _tag: "Signalled" }, world).state.leaving).toBe(true)
    const { state: idle, world: empty } = startState()
    expect(tags(update(idle, { _tag: "Signalled" }, empty).commands)).toEqual(["Leave"])
  })
})

describe("a run of another process", () => {
  const attached = (remote: boolean) => {
    const own = running("half")
    const { controls: _, facts, ...rest } = own.run.source
    const source: RunSource = {
      ...rest,
      facts: { ...facts, kind: "attached" },
      controls: null,
      ...(remote ? { remote: { stop: () => Effect.void } } : {})
    }
    const run: OpenRun = { ...own.run, source }
    return { run, state: { ...own.state, liveRun: null }, world: { ...own.world, run: () => run } }
  }

  it("is stopped by X after asking, and does not hold up who wants to leave", () => {
    const { run, state, world } = attached(true)
    const asked = press(state, world, "X")
    expect(asked.state.overlay).toMatchObject({ question: { _tag: "Stop", run: run.model.id } })
    expect(asked.commands).toEqual([])
    const sure = press(asked.state, world, "q")
    expect(sure).toMatchObject({ commands: [{ _tag: "Stop", run: run.model.id }], state: { leaving: false } })
    expect(tags(press(state, world, "q").commands)).toEqual(["Leave"])
    run.model.phase = "stopping"
    expect(tags(press(state, world, "X", "enter").commands)).toEqual(["StopNow"])
  })

  it("cannot be stopped where its process cannot be asked, nor paused, nor can its cells be cancelled", () => {
    const { state, world } = attached(false)
    const refused = press(state, world, "X")
    expect(refused.state).toMatchObject({ overlay: null, toast: { level: "warning" } })
    expect(isAvailable("stopRun", state, world)).toBe(false)
    expect(isAvailable("pause", state, world)).toBe(false)
    const paused = press(state, world, "p")
    expect(paused.commands).toEqual([])
    expect(paused.state.toast?.text).toContain("another process")
    const cancelled = press(state, world, "enter", "x")
    expect(cancelled.commands).toEqual([])
    expect(cancelled.state.toast?.text).toContain("another process")
  })

  it("says on its screen how it ended, and takes back a question that is answered by that", () => {
    const { run, state, world } = attached(true)
    const asked = press(state, world, "X").state
    run.model.ending = { status: "partial", stopReason: "cancelled" }
    const ended = update(asked, { _tag: "RunEnded", run: run.model.id }, world)
    expect(ended.commands).toEqual([])
    expect(ended.state).toMatchObject({ overlay: null, toast: { level: "info" } })
    expect(ended.state.toast?.text).toContain("partial")
  })
})

describe("asking a cell again", () => {
  it("asks first, and names this one cell", () => {
    const { state, world, run } = running("finished")
    run.model.phase = "finished"
    const idle = { ...state, liveRun: null }
    const asked = press(idle, world, "j", "l", "enter", "t", "R")
    const { caseIndex, contestant, trial } = screenOf(asked.state, "Cell")
    const cell = cellIndex(run.model, caseIndex, contestant, trial)
    expect(asked.state.overlay).toMatchObject({ question: { _tag: "Retry", run: run.model.id, cell } })
    expect(press(asked.state, world, "y").commands).toEqual([{ _tag: "RetryCell", run: run.model.id, cell }])
  })

  it("is refused while a run goes on", () => {
    const { state, world } = running("half")
    const refused = press(state, world, "enter", "R")
    expect(refused.commands).toEqual([])
    expect(refused.state).toMatchObject({ overlay: null, toast: { level: "warning" } })
  })
})

describe("pausing", () => {
  it("pauses, goes on, and says why it cannot", () => {
    const { state, world, run } = running("half")
    expect(tags(press(state, world, "p").commands)).toEqual(["Pause"])
    run.model.phase = "paused"
    expect(tags(press(state, world, "p").commands)).toEqual(["Resume"])
    run.model.phase = "finished"
    expect(press(state, world, "p").state.toast?.level).toBe("warning")
  })
})

describe("the palette", () => {
  it("finds an action by a few letters and does it", () => {
    const { state, world } = running("half")
    const { state: next } = press(state, world, ":", "h", "i", "s", "t", "enter")
    expect(currentScreen(next)._tag).toBe("Runs")
  })

  it("offers only what makes sense", () => {
    const { state, world, run } = running("half")
    const open = press(state, world, ":", "p", "a", "u", "s", "e", "enter")
    expect(tags(open.commands)).toEqual(["Pause"])
    run.model.phase = "finished"
    expect(tags(press(state, world, ":", "p", "a", "u", "s", "e", "enter").commands)).toEqual([])
  })
})

describe("the result", () => {
  it("tries other weights and asks for the ranking under them", () => {
    const { state, world } = running("finished")
    const { state: result, commands } = press(state, world, "r", "+", "right", "-")
    expect(commands).toHaveLength(2)
    expect(commands[1]).toMatchObject({ _tag: "Rank", weights: { accuracy: 0.6, latency: 0.2 } })
    const weights = screenOf(result, "Result").weights ?? {}
    expect(weights["cost"]).toBeLessThan(0.25)
    expect(press(result, world, "0").commands).toEqual([
      { _tag: "Rank", run: screenOf(result, "Result").run, weights: null }
    ])
  })

  it("never weighs nothing at all", () => {
    const { state, world } = running("finished")
    const presses = Array.from({ length: 60 }, () => "-")
    const { state: result } = press(state, world, "r", ...presses, "right", ...presses, "right", ...presses)
    const weights = Object.values(screenOf(result, "Result").weights ?? {})
    expect(weights.some((weight) => weight > 0)).toBe(true)
    expect(weights.every((weight) => weight >= 0)).toBe(true)
  })
})

describe("history", () => {
  it("opens, marks two and compares the earlier with the later", () => {
    const { state, world } = running("finished")
    const { state: runs } = press(state, world, "H")
    expect(tags(press(runs, world, "enter").commands)).toEqual(["Open"])
    expect(press(runs, world, "c").state.toast?.level).toBe("warning")
    const { commands } = press(runs, world, "j", "space", "j", "space", "j", "space", "c")
    expect(tags(commands)).toEqual(["Compare"])
    const [compare] = commands
    if (compare?._tag !== "Compare") throw new Error("no comparison")
    expect(compare.records[0].startedAt < compare.records[1].startedAt).toBe(true)
  })

  it("does not resume while a run goes on", () => {
    const { state, world } = running("half")
    const { state: runs } = press(state, world, "H", "j")
    expect(press(runs, world, "r")).toMatchObject({ commands: [], state: { toast: { level: "warning" } } })
  })
})

describe("any sequence of keys", () => {
  it("leaves a state whose cursor stands on something", () => {
    const { state, world, run } = running("half")
    expect(countOf(run.model.total, Fail)).toBeGreaterThan(0)
    const keys = [
      "j",
      "k",
      "l",
      "h",
      "G",
      "g",
      "tab",
      "z",
      "s",
      "n",
      "N",
      "enter",
      "esc",
      "c",
      "m",
      "r",
      "H",
      "pagedown",
      "pageup",
      "t",
      "?",
      ":",
      "/"
    ]
    let current = state
    let seed = 3
    for (let step = 0; step < 3000; step++) {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
      current = press(current, world, keys[(seed >>> 8) % keys.length] ?? "j").state
      const screen = currentScreen(current)
      if (screen._tag === "Live") {
        expect(run.model.caseIds[screen.matrix.caseIndex]).toBeDefined()
        expect(run.model.contestants[screen.matrix.contestant]).toBeDefined()
      }
    }
  })
})
