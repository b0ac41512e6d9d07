/** Scrolling in the help. */
import { helpDocument } from "../view/Help.ts"
import type { AppState } from "./AppState.ts"
import type { Action } from "./Keymap.ts"
import { scrolledIn } from "./Scroll.ts"

export const updateHelp = (state: AppState, scroll: number, action: Action): AppState => {
  const next = scrolledIn(helpDocument(state), scroll, action, state.size)
  return { ...state, overlay: { _tag: "Help", scroll: next } }
}
