/** What can happen to the screen, and what it may ask for in return. */
import type { RunRecord } from "@agent-arena/core/domain/Run"
import type { StartChoice } from "../run/ArenaSource.ts"
import type { Size } from "../view/Layout.ts"
import type { AppState, Toast } from "./AppState.ts"
import type { Action } from "./Keymap.ts"

export type Intent =
  | { readonly _tag: "Key"; readonly key: string }
  | { readonly _tag: "Paste"; readonly text: string }
  | { readonly _tag: "Act"; readonly action: Action }
  | { readonly _tag: "Resize"; readonly size: Size }
  | { readonly _tag: "Say"; readonly text: string; readonly level: Toast["level"] }
  /** The project was read (again): the choice may have to follow. */
  | { readonly _tag: "ProjectRead" }
  /** A run is open; `live` = this program executes it. */
  | { readonly _tag: "RunOpened"; readonly run: string; readonly live: boolean }
  | { readonly _tag: "RunEnded"; readonly run: string }
  /** Two runs are open side by side. */
  | { readonly _tag: "Compared"; readonly runs: readonly [string, string] }
  /** The process was told to end: the run is already stopping. */
  | { readonly _tag: "Signalled" }

/** An effect on the outside that a step asks for; carried out at the rim. */
export type Command =
  | { readonly _tag: "Pause" | "Resume" | "Stop" | "StopNow" | "Export" | "OpenReport"; readonly run: string }
  | { readonly _tag: "CancelCell"; readonly run: string; readonly cell: number }
  | { readonly _tag: "RetryCell"; readonly run: string; readonly cell: number }
  | { readonly _tag: "Rank"; readonly run: string; readonly weights: Readonly<Record<string, number>> | null }
  | { readonly _tag: "Copy"; readonly text: string; readonly what: string }
  | { readonly _tag: "Start"; readonly choice: StartChoice }
  | { readonly _tag: "Open" | "ResumeRun"; readonly record: RunRecord }
  | { readonly _tag: "Compare"; readonly records: readonly [RunRecord, RunRecord] }
  | { readonly _tag: "ReadProject" | "ReadHistory" | "Leave" }

export interface Step {
  readonly state: AppState
  readonly commands: ReadonlyArray<Command>
}

/** A step that asks for nothing. */
export const still = (state: AppState): Step => ({ state, commands: [] })

export const stepWith = (state: AppState, ...commands: ReadonlyArray<Command>): Step => ({ state, commands })

/** How long a message stays, ms. */
const toastMs = 5000

export const say = (state: AppState, now: number, text: string, level: Toast["level"] = "info"): AppState => ({
  ...state,
  toast: { text, level, until: now + toastMs }
})
