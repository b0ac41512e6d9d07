/** The start screen: who takes part, on which cases, how often. */
import type { ProjectFacts, StartChoice } from "../run/ArenaSource.ts"
import { type AppState, replaceScreen, type StartScreen, type World } from "./AppState.ts"
import { type Step, say, stepWith, still } from "./Intent.ts"
import type { Action } from "./Keymap.ts"
import { rowsOf } from "./Scroll.ts"
import { outlook, type StartRow, startRows } from "./StartRows.ts"

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value))

const toggled = (list: ReadonlyArray<string>, item: string): ReadonlyArray<string> =>
  list.includes(item) ? list.filter((other) => other !== item) : [...list, item]

const toggle = (choice: StartChoice, row: StartRow): StartChoice => {
  if (row._tag === "Contestant" && row.candidate.skipped === null) {
    return { ...choice, contestants: toggled(choice.contestants, row.candidate.key) }
  }
  return row._tag === "Tag" ? { ...choice, tags: toggled(choice.tags, row.tag) } : choice
}

const change = (choice: StartChoice, row: StartRow, by: number): StartChoice => {
  if (row._tag === "Trials") return { ...choice, trials: clamp(choice.trials + by, 1, 1000) }
  if (row._tag === "Concurrency") return { ...choice, concurrency: clamp(choice.concurrency + by, 1, 1024) }
  return choice
}

const start = (state: AppState, choice: StartChoice, facts: ProjectFacts, now: number): Step => {
  if (state.liveRun !== null) return still(say(state, now, "A run is going on already.", "warning"))
  const ahead = outlook(facts, choice)
  if (ahead.cells === 0) return still(say(state, now, "Nothing to run: choose a contestant and a case.", "warning"))
  const limitUsd = facts.budgets.confirmAboveUsd
  const { estimateUsd } = ahead
  if (limitUsd !== null && estimateUsd !== null && estimateUsd > limitUsd) {
    return still({ ...state, overlay: { _tag: "Confirm", question: { _tag: "Spend", choice, estimateUsd, limitUsd } } })
  }
  return stepWith(say(state, now, "Starting…"), { _tag: "Start", choice })
}

const moved = (screen: StartScreen, action: Action, rows: number): StartScreen => {
  return { ...screen, row: clamp(screen.row + rowsOf(action, 8, rows), 0, Math.max(0, rows - 1)) }
}

export const updateStart = (state: AppState, screen: StartScreen, action: Action, world: World): Step => {
  if (action === "reload") return stepWith(say(state, world.now, "Reading the project…"), { _tag: "ReadProject" })
  if (world.project._tag !== "Ready") return still(state)
  const { facts } = world.project
  const rows = startRows(facts)
  const row = rows[screen.row]
  if (action === "start") return start(state, screen.choice, facts, world.now)
  const next = moved(screen, action, rows.length)
  if (row === undefined) return still(replaceScreen(state, next))
  if (action === "toggle") return still(replaceScreen(state, { ...screen, choice: toggle(screen.choice, row) }))
  if (action === "increase" || action === "decrease") {
    const choice = change(screen.choice, row, action === "increase" ? 1 : -1)
    return still(replaceScreen(state, { ...screen, choice }))
  }
  return still(replaceScreen(state, next))
}
