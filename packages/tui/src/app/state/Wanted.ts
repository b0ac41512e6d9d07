/** The records that the present screen shows and that were not read yet. */
import { isFinished } from "../run/CellState.ts"
import type { OpenRun } from "../run/OpenRun.ts"
import { cellIndex } from "../run/RunModel.ts"
import { previewCell } from "../view/Preview.ts"
import { type AppState, currentScreen, type World } from "./AppState.ts"
import { liveLayout } from "./UpdateLive.ts"

export interface WantedCell {
  readonly run: OpenRun
  readonly cell: number
}

/** A record is read when it may exist: the cell has an outcome, or the run is over. */
const isWanted = (run: OpenRun, cell: number): boolean => {
  const loaded = run.results.get(cell)
  if (loaded === undefined) return true
  return loaded._tag === "Ready" && loaded.result === null && isFinished(run.model.states[cell] ?? 0)
}

export const wantedCells = (state: AppState, world: World): ReadonlyArray<WantedCell> => {
  const screen = currentScreen(state)
  if (screen._tag !== "Cell" && screen._tag !== "Case" && screen._tag !== "Live") return []
  const run = world.run(screen.run)
  if (run === undefined) return []
  if (screen._tag === "Live") {
    const cell = previewCell(run, screen.matrix)
    const shows = liveLayout(state, screen, run.model.contestants.length).preview !== null
    return shows && isFinished(run.model.states[cell] ?? 0) && isWanted(run, cell) ? [{ run, cell }] : []
  }
  const columns = screen._tag === "Cell" ? [screen.contestant] : run.model.contestants.map((_, index) => index)
  return columns
    .map((column) => cellIndex(run.model, screen.caseIndex, column, screen.trial))
    .filter((cell) => isWanted(run, cell))
    .map((cell) => ({ run, cell }))
}
