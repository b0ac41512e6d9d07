/** What the person at the keyboard has chosen to look at. Plain, immutable data; runs themselves live in the world. */
import type { RunRecord } from "@agent-arena/core/domain/Run"
import type { ProjectFacts, ProjectProblems, StartChoice } from "../run/ArenaSource.ts"
import type { OpenRun } from "../run/OpenRun.ts"
import type { SortOrder } from "../run/RowOrder.ts"
import type { PaneName, Size } from "../view/Layout.ts"
import type { Context } from "./Keymap.ts"

/** The matrix with its cursor. `top` and `left` are the first visible row and column. */
export interface MatrixState {
  readonly caseIndex: number
  /** Index of the contestant. */
  readonly contestant: number
  readonly top: number
  readonly left: number
  readonly filter: string
  readonly sort: SortOrder
}

export interface StartScreen {
  readonly _tag: "Start"
  /** Row under the cursor, among `startRows`. */
  readonly row: number
  readonly choice: StartChoice
  /** Contestants of the project when it was read last; null = it was not read yet. */
  readonly known: ReadonlyArray<string> | null
}

export interface LiveScreen {
  readonly _tag: "Live"
  readonly run: string
  readonly focus: PaneName
  readonly zoomed: boolean
  readonly matrix: MatrixState
  /** Row of the leaderboard under the cursor. */
  readonly place: number
  /** Absolute number of the log entry under the cursor; null = the newest. */
  readonly entry: number | null
}

export interface CellScreen {
  readonly _tag: "Cell"
  readonly run: string
  readonly caseIndex: number
  readonly contestant: number
  readonly trial: number
  readonly scroll: number
}

export interface CaseScreen {
  readonly _tag: "Case"
  readonly run: string
  readonly caseIndex: number
  /** The contestant under the cursor. */
  readonly contestant: number
  readonly trial: number
  readonly scroll: number
}

export interface ContestantScreen {
  readonly _tag: "Contestant"
  readonly run: string
  readonly contestant: number
  readonly scroll: number
}

export interface ResultScreen {
  readonly _tag: "Result"
  readonly run: string
  /** Row of the leaderboard under the cursor. */
  readonly place: number
  readonly scroll: number
  /** Weights under trial by metric, as in the config; null = the project's own. */
  readonly weights: Readonly<Record<string, number>> | null
  /** Index of the metric whose weight the keys change. */
  readonly metric: number
}

export interface RunsScreen {
  readonly _tag: "Runs"
  readonly row: number
  readonly marked: ReadonlyArray<string>
}

export interface CompareScreen {
  readonly _tag: "Compare"
  readonly runs: readonly [string, string]
  readonly scroll: number
}

export type Screen =
  | StartScreen
  | LiveScreen
  | CellScreen
  | CaseScreen
  | ContestantScreen
  | ResultScreen
  | RunsScreen
  | CompareScreen

/** What a dialog asks. Its words are made where it is shown, from the run as it stands then. */
export type Question =
  | { readonly _tag: "Stop"; readonly run: string }
  | { readonly _tag: "StopNow"; readonly run: string }
  /** The cell with this index is paid for again. */
  | { readonly _tag: "Retry"; readonly run: string; readonly cell: number }
  /** The run is expected to cost more than may be spent without asking, USD. */
  | { readonly _tag: "Spend"; readonly choice: StartChoice; readonly estimateUsd: number; readonly limitUsd: number }

export type Overlay =
  | { readonly _tag: "Filter"; readonly before: string }
  | { readonly _tag: "Help"; readonly scroll: number }
  | { readonly _tag: "Palette"; readonly query: string; readonly row: number }
  | { readonly _tag: "Confirm"; readonly question: Question }

export interface Toast {
  readonly text: string
  readonly level: "info" | "warning" | "error"
  /** Unix epoch ms. */
  readonly until: number
}

export interface AppState {
  readonly size: Size
  /** The last one shows; Esc goes back to the one before. */
  readonly screens: readonly [Screen, ...ReadonlyArray<Screen>]
  readonly overlay: Overlay | null
  readonly toast: Toast | null
  /** The run that this program executes, while it goes on. */
  readonly liveRun: string | null
  /** The program ends as soon as that run has ended. */
  readonly leaving: boolean
}

/** The project as it was read last. */
export type ProjectState =
  | { readonly _tag: "Loading" }
  | { readonly _tag: "Ready"; readonly facts: ProjectFacts }
  | ProjectProblems

/** What `update` and the views may look at besides the state. */
export interface World {
  /** Unix epoch ms. */
  readonly now: number
  readonly project: ProjectState
  /** What this arena can do. */
  readonly can: { readonly resume: boolean; readonly retry: boolean }
  /** The project's runs, newest first; null = not read yet. */
  readonly history: ReadonlyArray<RunRecord> | null
  /** Why the runs could not be read the last time; null = they were, or nobody has tried. */
  readonly historyProblem: string | null
  readonly run: (id: string) => OpenRun | undefined
}

export const startMatrix: MatrixState = { caseIndex: 0, contestant: 0, top: 0, left: 0, filter: "", sort: "file" }

export const noChoice: StartChoice = { contestants: [], tags: [], trials: 1, concurrency: 1 }

export const startScreen: StartScreen = { _tag: "Start", row: 0, choice: noChoice, known: null }

export const liveScreen = (run: string): LiveScreen => ({
  _tag: "Live",
  run,
  focus: "grid",
  zoomed: false,
  matrix: startMatrix,
  place: 0,
  entry: null
})

export const currentScreen = (state: AppState): Screen => state.screens[state.screens.length - 1] ?? state.screens[0]

/** The state with its top screen replaced. */
export const replaceScreen = (state: AppState, screen: Screen): AppState => {
  const [first, ...rest] = [...state.screens.slice(0, -1), screen]
  return { ...state, screens: [first ?? screen, ...rest] }
}

/** The state with one more screen on top. */
export const pushScreen = (state: AppState, screen: Screen): AppState => ({
  ...state,
  screens: [...state.screens, screen]
})

/** Runs that a screen in the stack shows, and the one that goes on here. */
export const shownRuns = (state: AppState): ReadonlySet<string> => {
  const runs = state.screens.flatMap((screen) =>
    "run" in screen ? [screen.run] : screen._tag === "Compare" ? screen.runs : []
  )
  return new Set(state.liveRun === null ? runs : [...runs, state.liveRun])
}

const screenContext: Readonly<Record<Screen["_tag"], Context>> = {
  Start: "start",
  Live: "live",
  Cell: "cell",
  Case: "case",
  Contestant: "contestant",
  Result: "result",
  Runs: "runs",
  Compare: "compare"
}

/** The contexts that hold now, the innermost first. A dialog holds alone, so that no key reaches what is behind it. */
export const contexts = (state: AppState): ReadonlyArray<Context> => {
  if (state.overlay?._tag === "Confirm") return ["confirm"]
  if (state.overlay?._tag === "Help") return ["helping", "global"]
  const screen = currentScreen(state)
  const own = screenContext[screen._tag]
  return screen._tag === "Live" ? [screen.focus, own, "global"] : [own, "global"]
}
