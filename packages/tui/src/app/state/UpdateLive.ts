/** The live screen's own actions. */
import { computeLayout, type Layout, type Pane, paneNames } from "../view/Layout.ts"
import type { AppState, LiveScreen, World } from "./AppState.ts"
import type { Step } from "./Intent.ts"
import type { Action } from "./Keymap.ts"
import { findProblem, moveMatrix, settle } from "./UpdateMatrix.ts"

export const liveLayout = (state: AppState, screen: LiveScreen, contestants: number): Layout =>
  computeLayout(state.size, { contestants, focus: screen.focus, zoomed: screen.zoomed })

const set = (state: AppState, screen: LiveScreen): AppState => {
  const [first, ...rest] = [...state.screens.slice(0, -1), screen]
  return { ...state, screens: [first ?? screen, ...rest] }
}

export const updateLive = (state: AppState, screen: LiveScreen, action: Action, world: World): Step<AppState> => {
  const run = world.run(screen.run)
  if (run === undefined) return { state, commands: [] }
  if (action === "nextPane" || action === "previousPane") {
    const by = action === "nextPane" ? 1 : paneNames.length - 1
    const focus = paneNames[(paneNames.indexOf(screen.focus) + by) % paneNames.length] ?? "grid"
    return { state: set(state, { ...screen, focus }), commands: [] }
  }
  if (action === "zoom") return { state: set(state, { ...screen, zoomed: !screen.zoomed }), commands: [] }
  if (action === "pause") {
    return { state, commands: [{ _tag: run.model.phase === "paused" ? "Resume" : "Pause", run: screen.run }] }
  }
  const layout = liveLayout(state, screen, run.model.contestants.length)
  const pane: Pane = layout.panes.grid ?? layout.body
  const order = run.rowOrders.get(screen.matrix.filter, screen.matrix.sort, world.now)
  const moved =
    action === "nextProblem" || action === "previousProblem"
      ? findProblem(run, order, screen.matrix, action === "nextProblem" ? 1 : -1)
      : moveMatrix(action, run, order, screen.matrix, pane)
  if (moved === null) return { state, commands: [] }
  const after = run.rowOrders.get(moved.filter, moved.sort, world.now)
  return { state: set(state, { ...screen, matrix: settle(run, after, moved, pane) }), commands: [] }
}
