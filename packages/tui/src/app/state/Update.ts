/** The state machine of the screen: every key and every happening in, the next state and its wishes out. Pure. */
import type { OpenRun } from "../run/OpenRun.ts"
import {
  type AppState,
  contexts,
  currentScreen,
  liveScreen,
  pushScreen,
  replaceScreen,
  type Screen,
  type World
} from "./AppState.ts"
import { type Intent, type Step, say, stepWith, still } from "./Intent.ts"
import { type Action, actionFor } from "./Keymap.ts"
import { defaultChoice, followChoice } from "./StartRows.ts"
import { updateCase, updateCell, updateContestant } from "./UpdateCell.ts"
import { updateHelp } from "./UpdateHelp.ts"
import { updateLive } from "./UpdateLive.ts"
import { updateResult } from "./UpdateResult.ts"
import { openRuns, updateCompare, updateRuns } from "./UpdateRuns.ts"
import { updateStart } from "./UpdateStart.ts"
import { confirm, quit, stopShown } from "./UpdateStop.ts"
import { paste, typeKey } from "./UpdateText.ts"

const back = (state: AppState): Step => {
  if (state.overlay !== null) return still({ ...state, overlay: null })
  const screen = currentScreen(state)
  if (screen._tag === "Live" && screen.matrix.filter !== "") {
    return still(replaceScreen(state, { ...screen, matrix: { ...screen.matrix, filter: "" } }))
  }
  if (screen._tag === "Live" && screen.zoomed) return still(replaceScreen(state, { ...screen, zoomed: false }))
  const [first, ...rest] = state.screens.slice(0, -1)
  return still(first === undefined ? state : { ...state, screens: [first, ...rest] })
}

const cannotPause = (run: OpenRun | undefined): string =>
  run?.source.facts.kind === "attached" && run.model.phase !== "finished"
    ? "A run of another process cannot be paused from here; X stops it."
    : "Only a run that goes on here can be paused."

const pause = (state: AppState, screen: Screen, world: World): Step => {
  if (!("run" in screen)) return still(state)
  const run = world.run(screen.run)
  if (run === undefined || run.source.controls === null || run.model.phase === "finished") {
    return still(say(state, world.now, cannotPause(run), "warning"))
  }
  if (run.model.phase === "stopping") return still(say(state, world.now, "The run is stopping already.", "warning"))
  return stepWith(state, { _tag: run.model.phase === "paused" ? "Resume" : "Pause", run: screen.run })
}

/** Actions that mean the same everywhere; null = it depends on the screen. */
const everywhere = (state: AppState, screen: Screen, action: Action, world: World): Step | null => {
  switch (action) {
    case "quit":
    case "interrupt":
      return quit(state, world)
    case "confirm":
      return confirm(state, false, world)
    case "confirmAndLeave":
      return confirm(state, true, world)
    case "back":
      return back(state)
    case "help":
      return still({ ...state, overlay: { _tag: "Help", scroll: 0 } })
    case "palette":
      return still({ ...state, overlay: { _tag: "Palette", query: "", row: 0 } })
    case "pause":
      return pause(state, screen, world)
    case "stopRun":
      return stopShown(state, screen, world)
    case "openRuns":
      return screen._tag === "Runs" ? still(state) : openRuns(state)
    default:
      return null
  }
}

const onScreen = (state: AppState, screen: Screen, action: Action, world: World): Step => {
  switch (screen._tag) {
    case "Start":
      return updateStart(state, screen, action, world)
    case "Live":
      return updateLive(state, screen, action, world)
    case "Cell":
      return updateCell(state, screen, action, world)
    case "Case":
      return updateCase(state, screen, action, world)
    case "Contestant":
      return updateContestant(state, screen, action, world)
    case "Result":
      return updateResult(state, screen, action, world)
    case "Runs":
      return updateRuns(state, screen, action, world)
    case "Compare":
      return updateCompare(state, screen, action, world)
  }
}

const act = (state: AppState, action: Action, world: World): Step => {
  const screen = currentScreen(state)
  const general = everywhere(state, screen, action, world)
  if (general !== null) return general
  if (state.overlay?._tag === "Help") return still(updateHelp(state, state.overlay.scroll, action, world))
  return onScreen(state, screen, action, world)
}

const onKey = (state: AppState, key: string, world: World): Step => {
  const typed = typeKey(state, key, world)
  if (typed !== null) return typed.action === null ? typed : act(typed.state, typed.action, world)
  const action = actionFor(key, contexts(state))
  return action === null ? still(state) : act(state, action, world)
}

/** The choice follows the project: what is gone goes, what is new and ready comes in. */
const projectRead = (state: AppState, world: World): AppState => {
  const screen = state.screens[0]
  if (screen._tag !== "Start" || world.project._tag !== "Ready") return state
  const { facts } = world.project
  const known = screen.known
  const choice = known === null ? defaultChoice(facts) : followChoice(screen.choice, new Set(known), facts)
  const [, ...rest] = state.screens
  return { ...state, screens: [{ ...screen, choice, known: facts.candidates.map(({ key }) => key) }, ...rest] }
}

const runOpened = (state: AppState, run: string, live: boolean): AppState => {
  const screen = liveScreen(run)
  if (live) return { ...state, screens: [screen], liveRun: run, toast: null, overlay: null }
  return { ...pushScreen(state, screen), toast: null }
}

/** A run of another process, if it is the one that shows. */
const otherEnded = (state: AppState, id: string, world: World): Step => {
  const screen = currentScreen(state)
  const run = world.run(id)
  if (run?.source.facts.kind !== "attached" || !("run" in screen) || screen.run !== id) return still(state)
  const asked = state.overlay?._tag === "Confirm" ? null : state.overlay
  return still(say({ ...state, overlay: asked }, world.now, `The run is ${endText(run)}. r shows the result.`))
}

/** How a run has ended; what broke is told in full, because the header has no room for it. */
const endText = (run: OpenRun | undefined): string => {
  const { status, stopReason } = run?.model.ending ?? { status: "ended", stopReason: "" }
  return stopReason.startsWith("error") ? `${status} (${stopReason})` : status
}

const runEnded = (state: AppState, run: string, world: World): Step => {
  if (state.liveRun !== run) return otherEnded(state, run, world)
  const asked = state.overlay?._tag === "Confirm" ? null : state.overlay
  const ended: AppState = { ...state, liveRun: null, overlay: asked }
  if (state.leaving) return stepWith(ended, { _tag: "Leave" })
  return still(say(ended, world.now, `The run is ${endText(world.run(run))}. r shows the result, q leaves.`))
}

export const update = (state: AppState, intent: Intent, world: World): Step => {
  switch (intent._tag) {
    case "Key":
      return onKey(state, intent.key, world)
    case "Act":
      return act(state, intent.action, world)
    case "Paste":
      return still(paste(state, intent.text))
    case "Resize":
      return still({ ...state, size: intent.size })
    case "Say":
      return still(say(state, world.now, intent.text, intent.level))
    case "ProjectRead":
      return still(projectRead(state, world))
    case "RunOpened":
      return still(runOpened(state, intent.run, intent.live))
    case "RunEnded":
      return runEnded(state, intent.run, world)
    case "Compared":
      return still(pushScreen({ ...state, toast: null }, { _tag: "Compare", runs: intent.runs, scroll: 0 }))
    case "Signalled":
      return state.liveRun === null
        ? stepWith(state, { _tag: "Leave" })
        : still({ ...state, leaving: true, overlay: null })
  }
}
