/** Stopping and leaving: never without saying what will be kept, always possible by insisting. */
import type { AppState, Question, World } from "./AppState.ts"
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

/** Yes to the question that is asked; `leave`: and the program ends with the run. */
export const confirm = (state: AppState, leave: boolean, world: World): Step => {
  if (state.overlay?._tag !== "Confirm") return still(state)
  const { question } = state.overlay
  const next: AppState = { ...state, overlay: null, leaving: state.leaving || leave }
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
        _tag: "RetryCase",
        run: question.run,
        caseIndex: question.caseIndex
      })
    case "Spend":
      return stepWith({ ...state, overlay: null }, { _tag: "Start", choice: question.choice })
  }
}
