/** What the person at the keyboard has chosen to look at. Plain, immutable data; runs themselves live in the world. */
import type { OpenRun } from "../run/OpenRun.ts"
import type { SortOrder } from "../run/RowOrder.ts"
import type { PaneName, Size } from "../view/Layout.ts"

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

export interface LiveScreen {
  readonly _tag: "Live"
  readonly run: string
  readonly focus: PaneName
  readonly zoomed: boolean
  readonly matrix: MatrixState
  /** Row of the leaderboard under the cursor. */
  readonly place: number
  /** Absolute number of the log entry at the bottom; null = the newest. */
  readonly logEnd: number | null
}

export type Screen = LiveScreen

export type Overlay =
  | { readonly _tag: "Filter"; readonly before: string }
  | { readonly _tag: "Help"; readonly scroll: number }
  | { readonly _tag: "Confirm"; readonly ask: "stop" | "stopNow" | "leave" }

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
}

/** What `update` and the views may look at besides the state. */
export interface World {
  /** Unix epoch ms. */
  readonly now: number
  readonly run: (id: string) => OpenRun | undefined
}

export const startMatrix: MatrixState = { caseIndex: 0, contestant: 0, top: 0, left: 0, filter: "", sort: "file" }

export const liveScreen = (run: string): LiveScreen => ({
  _tag: "Live",
  run,
  focus: "grid",
  zoomed: false,
  matrix: startMatrix,
  place: 0,
  logEnd: null
})

export const currentScreen = (state: AppState): Screen => state.screens[state.screens.length - 1] ?? state.screens[0]
