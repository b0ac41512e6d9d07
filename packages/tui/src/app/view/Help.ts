/** All keys of the present screen, and what the signs mean. Derived from the keymap. */
import {
  Fail,
  Failed,
  Interrupted,
  Partial,
  Pass,
  Queued,
  Running,
  reusedFlag,
  Skipped,
  stateGlyph,
  stateRole,
  stateWord,
  TimedOut,
  Unscored
} from "../run/CellState.ts"
import { type AppState, contexts, type World } from "../state/AppState.ts"
import { isAvailable } from "../state/Available.ts"
import { type Binding, bindingsIn } from "../state/Keymap.ts"
import { type Line, line, segment } from "../terminal/Line.ts"
import { fitText } from "../terminal/TextWidth.ts"
import type { Document } from "./Document.ts"

const keyNames: Readonly<Record<string, string>> = {
  enter: "Enter",
  esc: "Esc",
  tab: "Tab",
  "shift+tab": "Shift-Tab",
  space: "Space",
  pageup: "PgUp",
  pagedown: "PgDn",
  home: "Home",
  end: "End",
  up: "↑",
  down: "↓",
  left: "←",
  right: "→",
  backspace: "Backspace"
}

/** A key as people write it. */
export const keyText = (key: string): string =>
  keyNames[key] ?? (key.startsWith("ctrl+") ? `Ctrl-${key.slice(5).toUpperCase()}` : key)

const bindingLine = (binding: Binding): Line => [
  segment("  "),
  segment(fitText(binding.keys.map(keyText).join(" "), 20), "key"),
  segment(binding.title)
]

const legend: ReadonlyArray<readonly [number, string]> = [
  [Pass, "passed"],
  [Partial, "some score, but not passed"],
  [Fail, "failed"],
  [Unscored, "answered, waits for a grade"],
  [Failed, "the call or its scoring failed"],
  [TimedOut, "took longer than a cell may"],
  [Interrupted, "in flight when the run was stopped"],
  [Running, "in flight"],
  [Queued, "not started"],
  [Skipped, "the contestant could not run"],
  [Pass | reusedFlag, "passed in an earlier run, taken over; h partial, f failed, u unscored"]
]

const legendLine = ([state, text]: readonly [number, string]): Line => [
  segment("  "),
  segment(fitText(stateGlyph(state), 4), stateRole(state)),
  segment(fitText(stateWord(state), 16), "muted"),
  segment(text)
]

export const helpDocument = (state: AppState, world: World): Document => {
  const below: AppState = { ...state, overlay: null }
  return {
    title: [line(" Keys", "title"), line("─".repeat(state.size.width), "rule")],
    body: [
      ...bindingsIn(contexts(below))
        .filter(({ action }) => isAvailable(action, below, world))
        .map(bindingLine),
      [],
      line(" Signs", "title"),
      ...legend.map(legendLine),
      [],
      line(" Filter", "title"),
      line("  Words match the case's id; tag:x its tags; status:x one of its cells;", "muted"),
      line("  contestant:x chooses columns. Several words must all hold.", "muted")
    ]
  }
}
