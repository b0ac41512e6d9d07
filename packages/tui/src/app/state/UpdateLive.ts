/** The live screen's own actions. */

import type { OpenRun } from "../run/OpenRun.ts"
import { cellAt, worthwhileTrial } from "../run/RunModel.ts"
import { computeLayout, type Layout, type Pane, type PaneName } from "../view/Layout.ts"
import { standings } from "../view/LeaderboardRows.ts"
import { type AppState, type LiveScreen, pushScreen, replaceScreen, type World } from "./AppState.ts"
import { type Step, say, still } from "./Intent.ts"
import type { Action } from "./Keymap.ts"
import { rowsOf } from "./Scroll.ts"
import { findProblem, moveMatrix, settle } from "./UpdateMatrix.ts"

export const liveLayout = (state: AppState, screen: LiveScreen, contestants: number): Layout =>
  computeLayout(state.size, { contestants, focus: screen.focus, zoomed: screen.zoomed })

const set = (state: AppState, screen: LiveScreen): Step => still(replaceScreen(state, screen))

const paneOrder: ReadonlyArray<PaneName> = ["grid", "leaderboard", "log"]

/** The next pane that shows; in a layout of one pane, any. */
const nextPane = (screen: LiveScreen, layout: Layout, step: 1 | -1): PaneName => {
  const single = layout.arrangement === "single" || screen.zoomed
  for (let moved = 1; moved <= paneOrder.length; moved++) {
    const at = (paneOrder.indexOf(screen.focus) + step * moved + paneOrder.length * 2) % paneOrder.length
    const name = paneOrder[at] ?? "grid"
    if (single || layout.panes[name] !== null) return name
  }
  return screen.focus
}

const openCell = (state: AppState, run: OpenRun, caseIndex: number, contestant: number, trial: number): Step =>
  still(pushScreen(state, { _tag: "Cell", run: run.model.id, caseIndex, contestant, trial, scroll: 0 }))

const enter = (state: AppState, screen: LiveScreen, run: OpenRun, world: World): Step => {
  if (screen.focus === "grid") {
    const { caseIndex, contestant } = screen.matrix
    return openCell(state, run, caseIndex, contestant, worthwhileTrial(run.model, caseIndex, contestant))
  }
  if (screen.focus === "leaderboard") {
    const contestant = standings(run).places[screen.place]?.contestant ?? -1
    return contestant < 0
      ? still(state)
      : still(pushScreen(state, { _tag: "Contestant", run: run.model.id, contestant, scroll: 0 }))
  }
  const { entries, dropped } = run.model.log
  const entry = entries[(screen.entry ?? dropped + entries.length - 1) - dropped]
  if (entry === undefined || entry.cell < 0) {
    return still(say(state, world.now, "This event belongs to no single cell."))
  }
  const { caseIndex, contestant, trial } = cellAt(run.model, entry.cell)
  return openCell(state, run, caseIndex, contestant, trial)
}

const moveLog = (screen: LiveScreen, run: OpenRun, action: Action, page: number): LiveScreen => {
  const { entries, dropped } = run.model.log
  const newest = dropped + entries.length - 1
  const next = Math.max(dropped, Math.min(newest, (screen.entry ?? newest) + rowsOf(action, page, entries.length)))
  // Standing on the newest entry means following it.
  return { ...screen, entry: next >= newest ? null : next }
}

const movePlace = (screen: LiveScreen, run: OpenRun, action: Action, page: number): LiveScreen => {
  const total = run.model.contestants.length
  return { ...screen, place: Math.max(0, Math.min(total - 1, screen.place + rowsOf(action, page, total))) }
}

const moveGrid = (state: AppState, screen: LiveScreen, run: OpenRun, action: Action, world: World): Step => {
  const pane: Pane = liveLayout(state, screen, run.model.contestants.length).panes.grid ?? state.size
  const order = run.rowOrders.get(screen.matrix.filter, screen.matrix.sort, world.now)
  const matrix = settle(run, order, screen.matrix, pane)
  const moved = moveMatrix(action, run, order, matrix, pane)
  if (moved === null) return still(state)
  const after = run.rowOrders.get(moved.filter, moved.sort, world.now)
  return set(state, { ...screen, matrix: settle(run, after, moved, pane) })
}

const toProblem = (state: AppState, screen: LiveScreen, run: OpenRun, direction: 1 | -1, world: World): Step => {
  const order = run.rowOrders.get(screen.matrix.filter, screen.matrix.sort, world.now)
  const found = findProblem(run, order, screen.matrix, direction)
  if (found === null) return still(say(state, world.now, "No failed cell among those that show."))
  const focused: LiveScreen = { ...screen, focus: "grid" }
  const pane: Pane = liveLayout(state, focused, run.model.contestants.length).panes.grid ?? state.size
  return set(state, { ...focused, matrix: settle(run, order, found, pane) })
}

export const updateLive = (state: AppState, screen: LiveScreen, action: Action, world: World): Step => {
  const run = world.run(screen.run)
  if (run === undefined) return still(state)
  const layout = liveLayout(state, screen, run.model.contestants.length)
  const { caseIndex, contestant } = screen.matrix
  switch (action) {
    case "nextPane":
      return set(state, { ...screen, focus: nextPane(screen, layout, 1) })
    case "previousPane":
      return set(state, { ...screen, focus: nextPane(screen, layout, -1) })
    case "zoom":
      return set(state, { ...screen, zoomed: !screen.zoomed })
    case "enter":
      return enter(state, screen, run, world)
    case "openCase":
      return still(pushScreen(state, { _tag: "Case", run: screen.run, caseIndex, contestant, trial: 1, scroll: 0 }))
    case "openContestant":
      return still(pushScreen(state, { _tag: "Contestant", run: screen.run, contestant, scroll: 0 }))
    case "openResult":
      return still(
        pushScreen(state, { _tag: "Result", run: screen.run, place: 0, scroll: 0, weights: null, metric: 0 })
      )
    case "filter":
      return still({ ...state, overlay: { _tag: "Filter", before: screen.matrix.filter } })
    case "clearFilter":
      return set(state, { ...screen, matrix: { ...screen.matrix, filter: "" } })
    case "nextProblem":
      return toProblem(state, screen, run, 1, world)
    case "previousProblem":
      return toProblem(state, screen, run, -1, world)
  }
  const page = Math.max(1, (layout.panes[screen.focus]?.height ?? 3) - 2)
  if (screen.focus === "log") return set(state, moveLog(screen, run, action, page))
  if (screen.focus === "leaderboard") return set(state, movePlace(screen, run, action, page))
  return moveGrid(state, screen, run, action, world)
}
