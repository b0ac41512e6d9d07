/** The screen in sentences, for reading aloud: no grid, no bars, no boxes; what matters first. */
import { stateWord } from "../run/CellState.ts"
import { finishedCells } from "../run/Fold.ts"
import type { OpenRun } from "../run/OpenRun.ts"
import { cellIndex, stateOf } from "../run/RunModel.ts"
import {
  type AppState,
  contexts,
  currentScreen,
  type LiveScreen,
  type RunsScreen,
  type Screen,
  type World
} from "../state/AppState.ts"
import { bindingsIn } from "../state/Keymap.ts"
import { outlook, startRows } from "../state/StartRows.ts"
import { percent, plural, usd } from "../terminal/Format.ts"
import { type Line, line, lineText } from "../terminal/Line.ts"
import { caseDocument } from "./CaseDocument.ts"
import { cellDocument } from "./CellDocument.ts"
import { contestantDocument } from "./ContestantDocument.ts"
import { keyText } from "./Help.ts"
import { standings } from "./LeaderboardRows.ts"
import { startText, statusText } from "./RunsDocument.ts"

const width = 100

/** Rules and frames say nothing when read aloud. */
const plainText = (of: Line): string =>
  lineText(of)
    .replace(/[─│├┤╭╮╰╯┃█░▓▒▁-▇]+/g, " ")
    .replace(/\s+/g, " ")
    .trim()

const documentTexts = (title: ReadonlyArray<Line>, body: ReadonlyArray<Line>): ReadonlyArray<string> =>
  [...title, ...body].map(plainText).filter((text) => text !== "")

const progressText = (run: OpenRun): string => {
  const { model } = run
  const done = finishedCells(model.total)
  const state = model.ending === null ? model.phase : model.ending.status
  const cost = model.total.priced === 0 ? "" : `, ${usd(model.total.costUsd)} spent`
  return `${model.project}, ${state}: ${done} of ${model.planned} cells, ${percent(done / Math.max(1, model.planned))}${cost}.`
}

const boardTexts = (run: OpenRun): ReadonlyArray<string> => {
  const view = standings(run)
  return view.places.map((place) => {
    const figures = view.metrics.map((metric, index) => `${metric} ${place.figures[index] ?? ""}`).join(", ")
    const rank = place.standing === "ranked" ? `Place ${place.rank}: ` : ""
    return `${rank}${place.label}, ${place.reason === "" ? `score ${place.compositeText}, ${figures}` : place.reason}.`
  })
}

const cursorText = (run: OpenRun, screen: LiveScreen): string => {
  const { model } = run
  const { caseIndex, contestant } = screen.matrix
  const words = Array.from({ length: model.trials }, (_, index) =>
    stateWord(stateOf(model, cellIndex(model, caseIndex, contestant, index + 1)))
  )
  return `Selected: case ${model.caseNames[caseIndex] ?? ""}, ${model.contestants[contestant]?.label ?? ""}: ${words.join(", ")}.`
}

const startTexts = (screen: Screen & { readonly _tag: "Start" }, world: World): ReadonlyArray<string> => {
  const { project } = world
  if (project._tag === "Loading") return ["Reading the project."]
  if (project._tag === "ProjectProblems") {
    return [
      `${plural(project.issues.length, "problem")} in the project.`,
      ...project.issues.map((issue) => issue.message)
    ]
  }
  const { facts } = project
  const ahead = outlook(facts, screen.choice)
  const row = startRows(facts)[screen.row]
  const at =
    row === undefined
      ? ""
      : row._tag === "Contestant"
        ? row.candidate.label
        : row._tag === "Tag"
          ? `tag ${row.tag}`
          : row._tag
  return [
    `${facts.name}: ${plural(ahead.cells, "cell")} with ${plural(screen.choice.contestants.length, "contestant")}, ${plural(ahead.cases, "case")}, ${plural(screen.choice.trials, "trial")}.`,
    ...facts.candidates.map(
      (one) =>
        `${one.label}: ${one.skipped ?? (screen.choice.contestants.includes(one.key) ? "takes part" : "left out")}.`
    ),
    `Selected: ${at}.`
  ]
}

const runsTexts = (screen: RunsScreen, { history, historyProblem }: World): ReadonlyArray<string> => {
  const problem = historyProblem === null ? [] : [`The runs cannot be read: ${historyProblem}`]
  if (history === null) return problem.length > 0 ? problem : ["Reading the runs."]
  if (history.length === 0) return [...problem, "This project has no runs yet."]
  const records = history.map((record, index) => {
    const mark = index === screen.row ? "Selected: " : ""
    return `${mark}${startText(record)}, ${statusText(record)}, winner ${record.winner ?? "none"}.`
  })
  return [...problem, ...records]
}

const screenTexts = (screen: Screen, world: World): ReadonlyArray<string> => {
  if (screen._tag === "Start") return startTexts(screen, world)
  if (screen._tag === "Runs") return runsTexts(screen, world)
  if (screen._tag === "Compare") {
    return screen.runs.map((id) => `${id}: ${world.run(id)?.leaderboard?.verdict.sentence ?? "no verdict"}`)
  }
  const run = world.run(screen.run)
  if (run === undefined) return ["This run is not open."]
  if (screen._tag === "Live") return [progressText(run), ...boardTexts(run), cursorText(run, screen)]
  if (screen._tag === "Result")
    return [run.leaderboard?.verdict.sentence ?? "Nothing is ranked yet.", ...boardTexts(run)]
  const document =
    screen._tag === "Cell"
      ? cellDocument(run, screen, width, false)
      : screen._tag === "Case"
        ? caseDocument(run, screen, width)
        : contestantDocument(run, screen, width)
  return documentTexts(document.title, document.body)
}

const overlayTexts = (state: AppState): ReadonlyArray<string> => {
  if (state.overlay?._tag === "Confirm") {
    const keys = bindingsIn(contexts(state)).map((binding) => `${keyText(binding.keys[0] ?? "")}: ${binding.title}`)
    const asked =
      state.overlay.question._tag === "StopNow"
        ? "Stop now? Cells in flight are interrupted."
        : "Are you sure? What is finished is kept."
    return [asked, ...keys]
  }
  if (state.overlay?._tag === "Help") {
    return bindingsIn(contexts({ ...state, overlay: null })).map(
      (binding) => `${binding.keys.map(keyText).join(" or ")}: ${binding.title}`
    )
  }
  return []
}

/** Lines of plain sentences; as many as there are, because nothing has to fit a screen. */
export const spokenFrame = (state: AppState, world: World): ReadonlyArray<Line> => {
  const toast = state.toast !== null && state.toast.until > world.now ? [state.toast.text] : []
  const overlay = overlayTexts(state)
  const texts = overlay.length > 0 ? overlay : screenTexts(currentScreen(state), world)
  return [...toast, ...texts, "Question mark lists the keys."].map((text) => line(text))
}
