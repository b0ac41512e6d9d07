/** The screens of one cell, one case and one contestant. */

import { baseState, Running } from "../run/CellState.ts"
import type { OpenRun } from "../run/OpenRun.ts"
import type { RowOrder } from "../run/RowOrder.ts"
import { cellIndex, worthwhileTrial } from "../run/RunModel.ts"
import { caseDocument } from "../view/CaseDocument.ts"
import { cellDocument } from "../view/CellDocument.ts"
import { contestantDocument } from "../view/ContestantDocument.ts"
import type { Document } from "../view/Document.ts"
import {
  type AppState,
  type CaseScreen,
  type CellScreen,
  type ContestantScreen,
  type MatrixState,
  pushScreen,
  replaceScreen,
  startMatrix,
  type World
} from "./AppState.ts"
import { type Step, say, stepWith, still } from "./Intent.ts"
import type { Action } from "./Keymap.ts"
import { scrolledIn } from "./Scroll.ts"
import { findProblem } from "./UpdateMatrix.ts"

/** The matrix below these screens, which the cursor follows; the plain one when there is none. */
const matrixBelow = (state: AppState, run: string): MatrixState => {
  const live = state.screens.findLast((screen) => screen._tag === "Live" && screen.run === run)
  return live?._tag === "Live" ? live.matrix : startMatrix
}

/** Moves the cursor of the matrix below, so that Esc leads to where one has come to. */
const followBelow = (state: AppState, run: string, caseIndex: number, contestant: number): AppState => {
  const [first, ...rest] = state.screens.map((screen) =>
    screen._tag === "Live" && screen.run === run
      ? { ...screen, matrix: { ...screen.matrix, caseIndex, contestant } }
      : screen
  )
  return first === undefined ? state : { ...state, screens: [first, ...rest] }
}

const scrollBy = (
  state: AppState,
  screen: CellScreen | CaseScreen | ContestantScreen,
  document: Document,
  action: Action
): Step => still(replaceScreen(state, { ...screen, scroll: scrolledIn(document, screen.scroll, action, state.size) }))

const goTo = (state: AppState, screen: CellScreen, caseIndex: number, contestant: number, trial: number): Step =>
  still(
    followBelow(
      replaceScreen(state, { ...screen, caseIndex, contestant, trial, scroll: 0 }),
      screen.run,
      caseIndex,
      contestant
    )
  )

/** The next cell in reading order among those that show, trials first. */
const neighbour = (screen: CellScreen, run: OpenRun, order: RowOrder, by: 1 | -1) => {
  const width = order.columns.length * run.model.trials
  const total = order.rows.length * width
  if (total === 0) return null
  const row = Math.max(0, order.positions[screen.caseIndex] ?? 0)
  const column = Math.max(0, order.columns.indexOf(screen.contestant))
  const at = (row * width + column * run.model.trials + screen.trial - 1 + by + total) % total
  const caseIndex = order.rows[Math.floor(at / width)] ?? 0
  const contestant = order.columns[Math.floor((at % width) / run.model.trials)] ?? 0
  return { caseIndex, contestant, trial: (at % run.model.trials) + 1 }
}

const copyOutput = (state: AppState, run: OpenRun, cell: number, now: number): Step => {
  const loaded = run.results.get(cell)
  const output = loaded?._tag === "Ready" ? (loaded.result?.output ?? null) : null
  if (output === null) return still(say(state, now, "There is no output to copy.", "warning"))
  return stepWith(state, { _tag: "Copy", text: output, what: "output" })
}

const cannotCancel = ({ source }: OpenRun): string =>
  source.facts.kind === "attached"
    ? "A cell of another process cannot be cancelled from here; X stops the whole run."
    : "Only a cell that is running here can be cancelled."

const steerCell = (state: AppState, run: OpenRun, cell: number, action: Action, now: number): Step | null => {
  const running = baseState(run.model.states[cell] ?? 0) === Running
  if (action === "cancelCell") {
    return running && run.source.controls !== null
      ? stepWith(state, { _tag: "CancelCell", run: run.model.id, cell })
      : still(say(state, now, cannotCancel(run), "warning"))
  }
  if (action !== "retryCell") return null
  if (run.model.phase !== "finished" || state.liveRun !== null) {
    return still(say(state, now, "A cell can be asked again when no run goes on.", "warning"))
  }
  return still({ ...state, overlay: { _tag: "Confirm", question: { _tag: "Retry", run: run.model.id, cell } } })
}

export const updateCell = (state: AppState, screen: CellScreen, action: Action, world: World): Step => {
  const run = world.run(screen.run)
  if (run === undefined) return still(state)
  const { caseIndex, contestant, trial } = screen
  const cell = cellIndex(run.model, caseIndex, contestant, trial)
  const below = matrixBelow(state, screen.run)
  const order = run.rowOrders.get(below.filter, below.sort, world.now)
  const steered = steerCell(state, run, cell, action, world.now)
  if (steered !== null) return steered
  switch (action) {
    case "nextCell":
    case "previousCell": {
      const next = neighbour(screen, run, order, action === "nextCell" ? 1 : -1)
      return next === null ? still(state) : goTo(state, screen, next.caseIndex, next.contestant, next.trial)
    }
    case "nextTrial":
      return goTo(state, screen, caseIndex, contestant, (trial % run.model.trials) + 1)
    case "nextProblem":
    case "previousProblem": {
      const found = findProblem(run, order, { ...below, caseIndex, contestant }, action === "nextProblem" ? 1 : -1)
      if (found === null) return still(say(state, world.now, "No failed cell among those that show."))
      return goTo(
        state,
        screen,
        found.caseIndex,
        found.contestant,
        worthwhileTrial(run.model, found.caseIndex, found.contestant)
      )
    }
    case "copy":
      return copyOutput(state, run, cell, world.now)
    case "openCase":
      return still(pushScreen(state, { ...screen, _tag: "Case", scroll: 0 }))
    case "openContestant":
      return still(pushScreen(state, { _tag: "Contestant", run: screen.run, contestant, scroll: 0 }))
    default:
      return scrollBy(state, screen, cellDocument(run, screen, state.size.width), action)
  }
}

export const updateCase = (state: AppState, screen: CaseScreen, action: Action, world: World): Step => {
  const run = world.run(screen.run)
  if (run === undefined) return still(state)
  const { caseIndex, contestant, trial } = screen
  const last = run.model.contestants.length - 1
  switch (action) {
    case "left":
      return still(replaceScreen(state, { ...screen, contestant: Math.max(0, contestant - 1) }))
    case "right":
      return still(replaceScreen(state, { ...screen, contestant: Math.min(last, contestant + 1) }))
    case "nextTrial":
      return still(replaceScreen(state, { ...screen, trial: (trial % run.model.trials) + 1 }))
    case "enter":
      return still(pushScreen(state, { _tag: "Cell", run: screen.run, caseIndex, contestant, trial, scroll: 0 }))
    case "openContestant":
      return still(pushScreen(state, { _tag: "Contestant", run: screen.run, contestant, scroll: 0 }))
    default:
      return scrollBy(state, screen, caseDocument(run, screen, state.size.width), action)
  }
}

export const updateContestant = (state: AppState, screen: ContestantScreen, action: Action, world: World): Step => {
  const run = world.run(screen.run)
  if (run === undefined) return still(state)
  const total = run.model.contestants.length
  switch (action) {
    case "left":
      return still(replaceScreen(state, { ...screen, contestant: (screen.contestant + total - 1) % total, scroll: 0 }))
    case "right":
      return still(replaceScreen(state, { ...screen, contestant: (screen.contestant + 1) % total, scroll: 0 }))
    default:
      return scrollBy(state, screen, contestantDocument(run, screen, state.size.width), action)
  }
}
