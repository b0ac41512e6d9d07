/** The history of runs, and the comparison of two. */
import type { RunRecord } from "@agent-arena/core/domain/Run"
import { compareDocument } from "../view/CompareDocument.ts"
import {
  type AppState,
  type CompareScreen,
  pushScreen,
  type RunsScreen,
  replaceScreen,
  startScreen,
  type World
} from "./AppState.ts"
import { type Step, say, stepWith, still } from "./Intent.ts"
import type { Action } from "./Keymap.ts"
import { rowsOf, scrolledIn } from "./Scroll.ts"

export const openRuns = (state: AppState): Step =>
  stepWith(pushScreen(state, { _tag: "Runs", row: 0, marked: [] }), { _tag: "ReadHistory" })

const toStart = (state: AppState, world: World): Step => {
  if (state.liveRun !== null) return still(say(state, world.now, "A run is going on already.", "warning"))
  return stepWith({ ...state, screens: [startScreen] }, { _tag: "ReadProject" })
}

const marked = (screen: RunsScreen, record: RunRecord): RunsScreen => {
  const others = screen.marked.filter((id) => id !== record.runId)
  // The two marked last are compared.
  return { ...screen, marked: others.length < screen.marked.length ? others : [...others, record.runId].slice(-2) }
}

const compare = (state: AppState, screen: RunsScreen, history: ReadonlyArray<RunRecord>, now: number): Step => {
  // The history is newest first; a clock may have been set back in between.
  const [first, second] = history.filter((record) => screen.marked.includes(record.runId)).toReversed()
  if (first === undefined || second === undefined) {
    return still(say(state, now, "Mark two runs with the space bar first.", "warning"))
  }
  return stepWith(say(state, now, "Reading both runs…"), { _tag: "Compare", records: [first, second] })
}

const resume = (state: AppState, record: RunRecord, now: number): Step => {
  if (state.liveRun !== null) return still(say(state, now, "A run is going on already.", "warning"))
  if (record.status === "completed") return still(say(state, now, "This run is complete.", "warning"))
  return stepWith(say(state, now, "Resuming…"), { _tag: "ResumeRun", record })
}

export const updateRuns = (state: AppState, screen: RunsScreen, action: Action, world: World): Step => {
  if (action === "openStart") return toStart(state, world)
  const history = world.history ?? []
  const record = history[screen.row]
  if (record === undefined) return still(state)
  switch (action) {
    case "enter":
      return stepWith(say(state, world.now, "Reading the run…"), { _tag: "Open", record })
    case "mark":
      return still(replaceScreen(state, marked(screen, record)))
    case "compare":
      return compare(state, screen, history, world.now)
    case "resume":
      return resume(state, record, world.now)
    case "export":
      return stepWith(state, { _tag: "Export", run: record.runId })
    case "openReport":
      return stepWith(state, { _tag: "OpenReport", run: record.runId })
    default: {
      const by = rowsOf(action, Math.max(1, state.size.height - 4), history.length)
      const row = Math.max(0, Math.min(history.length - 1, screen.row + by))
      return still(replaceScreen(state, { ...screen, row }))
    }
  }
}

export const updateCompare = (state: AppState, screen: CompareScreen, action: Action, world: World): Step => {
  const [before, after] = [world.run(screen.runs[0]), world.run(screen.runs[1])]
  if (before === undefined || after === undefined) return still(state)
  const document = compareDocument(before, after, state.size.width)
  return still(replaceScreen(state, { ...screen, scroll: scrolledIn(document, screen.scroll, action, state.size) }))
}
