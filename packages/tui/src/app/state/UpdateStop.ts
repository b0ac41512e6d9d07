/** Stopping and leaving: never without saying what will be kept, always possible by insisting. */
import type { AppState, Question, Screen, World } from "./AppState.ts"
import { canStop } from "./Available.ts"
import { type Step, say, stepWith, still } from "./Intent.ts"

const ask = (state: AppState, question: Question): Step => still({ ...state, overlay: { _tag: "Confirm", question } })

/** `q` or Ctrl-C. Without a run there is nothing to lose; with one, the question depends on how far its ending is. */
export const quit = (state: AppState, world: World): Step => {
  const run = state.liveRun === null ? undefined : world.run(state.liveRun)
  if (state.liveRun === null || run === undefined || run.model.phase === "finished") {
    return stepWith(state, { _tag: "Leave" })
  }
  if (run.model.phase !== "stopping") return ask(state, { _tag: "Stop", run: state.liveRun })
  return ask(state, { _tag: "StopNow", run: state.liveRun })
}

/** `X`: the same question for the run that shows, also one of another process. */
export const stopShown = (state: AppState, screen: Screen, world: World): Step => {
  const run = "run" in screen ? world.run(screen.run) : undefined
  if (run === undefined || run.model.phase === "finished") {
    return still(say(state, world.now, "Only a run that goes on can be stopped.", "warning"))
  }
  if (!canStop(run)) return still(say(state, world.now, "This run cannot be stopped from here.", "warning"))
  return ask(state, { _tag: run.model.phase === "stopping" ? "StopNow" : "Stop", run: run.model.id })
}

/** Whether the program is to end with the run that a question is about: only the own run holds it up. */
const leavingAfter = (state: AppState, leave: boolean, run: string): boolean =>
  state.leaving || (leave && state.liveRun === run)

/** Yes to the question that is asked; `leave`: and the program ends with the run. */
export const confirm = (state: AppState, leave: boolean, world: World): Step => {
  if (state.overlay?._tag !== "Confirm") return still(state)
  const { question } = state.overlay
  const asked = "run" in question ? question.run : ""
  const next: AppState = { ...state, overlay: null, leaving: leavingAfter(state, leave, asked) }
  switch (question._tag) {
    case "Stop":
      return stepWith(say(next, world.now, "Stopping: cells in flight may finish."), {
        _tag: "Stop",
        run: question.run
      })
    case "StopNow":
      return stepWith(say(next, world.now, "Stopping now."), { _tag: "StopNow", run: question.run })
    case "Retry":
      return stepWith(say({ ...state, overlay: null }, world.now, "Starting…"), {
        _tag: "RetryCell",
        run: question.run,
        cell: question.cell
      })
    case "Spend":
      return stepWith({ ...state, overlay: null }, { _tag: "Start", choice: question.choice })
  }
}
