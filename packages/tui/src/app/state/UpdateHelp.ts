/** Scrolling in the help. */
import { helpDocument } from "../view/Help.ts"
import type { AppState, World } from "./AppState.ts"
import type { Action } from "./Keymap.ts"
import { scrolledIn } from "./Scroll.ts"

export const updateHelp = (state: AppState, scroll: number, action: Action, world: World): AppState => {
  const next = scrolledIn(helpDocument(state, world), scroll, action, state.size)
  return { ...state, overlay: { _tag: "Help", scroll: next } }
}
