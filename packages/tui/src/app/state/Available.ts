/** Which actions make sense at this moment: footer, help and palette offer no others. */
import { baseState, Fail, Failed, Running, TimedOut } from "../run/CellState.ts"
import type { OpenRun } from "../run/OpenRun.ts"
import { cellIndex, countOf, stateOf } from "../run/RunModel.ts"
import { type AppState, currentScreen, type Screen, type World } from "./AppState.ts"
import type { Action, Binding } from "./Keymap.ts"

const runOf = (screen: Screen, world: World): OpenRun | undefined =>
  "run" in screen ? world.run(screen.run) : undefined

const canGoBack = (state: AppState, screen: Screen): boolean => {
  if (state.overlay !== null || state.screens.length > 1) return true
  return screen._tag === "Live" && (screen.matrix.filter !== "" || screen.zoomed)
}

const hasProblems = (run: OpenRun): boolean =>
  [Fail, Failed, TimedOut].some((state) => countOf(run.model.total, state) > 0)

const isSteered = (run: OpenRun | undefined): boolean =>
  run !== undefined && run.source.controls !== null && (run.model.phase === "running" || run.model.phase === "paused")

/** A run that goes on, here or in a process that can be asked from here. */
export const canStop = ({ model, source }: OpenRun): boolean =>
  model.phase !== "finished" && (source.controls !== null || source.remote !== undefined)

const isRunning = (screen: Screen, run: OpenRun | undefined): boolean => {
  if (screen._tag !== "Cell" || run === undefined || run.source.controls === null) return false
  const cell = cellIndex(run.model, screen.caseIndex, screen.contestant, screen.trial)
  return baseState(stateOf(run.model, cell)) === Running
}

const canResume = (state: AppState, screen: Screen, world: World): boolean => {
  if (!world.can.resume || state.liveRun !== null || screen._tag !== "Runs") return false
  const status = world.history?.[screen.row]?.status
  return status !== undefined && status !== "completed" && status !== "running"
}

export const isAvailable = (action: Action, state: AppState, world: World): boolean => {
  const screen = currentScreen(state)
  const run = runOf(screen, world)
  switch (action) {
    case "back":
      return canGoBack(state, screen)
    case "pause":
      return isSteered(run)
    case "cancelCell":
      return isRunning(screen, run)
    case "stopRun":
      return run !== undefined && canStop(run)
    case "retryCell":
      return world.can.retry && state.liveRun === null && run?.model.phase === "finished"
    case "resume":
      return canResume(state, screen, world)
    case "openStart":
      return state.liveRun === null
    case "openRuns":
      return screen._tag !== "Runs"
    case "nextTrial":
      return run !== undefined && run.model.trials > 1
    case "nextProblem":
    case "previousProblem":
      return run !== undefined && hasProblems(run)
    case "clearFilter":
      return screen._tag === "Live" && screen.matrix.filter !== ""
    case "start":
    case "toggle":
    case "increase":
    case "decrease":
      return screen._tag !== "Start" || world.project._tag === "Ready"
    case "resetWeights":
      return screen._tag === "Result" && screen.weights !== null
    default:
      return true
  }
}

/** The word of a binding in the footer, as things are now. */
export const hintOf = (binding: Binding, state: AppState, world: World): string => {
  const phase = runOf(currentScreen(state), world)?.model.phase
  if (binding.action === "pause" && phase === "paused") return "go on"
  if (binding.action === "quit" && phase === "stopping") return "stop now"
  return binding.hint?.[0] ?? ""
}
