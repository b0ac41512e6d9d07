/** Every key of the program as data: what it does, where, and how it is called. The footer and the help come from it. */

export type Context = "global" | "live" | "grid" | "leaderboard" | "log"

export type Action =
  | "up"
  | "down"
  | "left"
  | "right"
  | "pageUp"
  | "pageDown"
  | "first"
  | "last"
  | "enter"
  | "back"
  | "nextPane"
  | "previousPane"
  | "zoom"
  | "filter"
  | "clearFilter"
  | "sort"
  | "nextProblem"
  | "previousProblem"
  | "pause"
  | "quit"
  | "interrupt"
  | "help"

export interface Binding {
  readonly action: Action
  readonly keys: ReadonlyArray<string>
  readonly contexts: ReadonlyArray<Context>
  /** What it does, for the help and the palette. */
  readonly title: string
  /** A word for the footer, and its priority there (lower first); null = not in the footer. */
  readonly hint: readonly [string, number] | null
}

const bind = (
  action: Action,
  keys: string,
  contexts: string,
  title: string,
  hint: readonly [string, number] | null = null
): Binding => ({ action, keys: keys.split(" "), contexts: contexts.split(" ") as ReadonlyArray<Context>, title, hint })

export const keymap: ReadonlyArray<Binding> = [
  bind("up", "up k", "global", "up"),
  bind("down", "down j", "global", "down"),
  bind("left", "left h", "global", "left"),
  bind("right", "right l", "global", "right"),
  bind("pageUp", "pageup ctrl+b", "global", "a page up"),
  bind("pageDown", "pagedown ctrl+f space", "global", "a page down"),
  bind("first", "home g", "global", "to the first"),
  bind("last", "end G", "global", "to the last"),
  bind("enter", "enter", "grid leaderboard log", "look into what is selected", ["open", 2]),
  bind("back", "esc backspace", "global", "back", null),
  bind("nextPane", "tab", "live", "next pane", ["pane", 3]),
  bind("previousPane", "shift+tab", "live", "previous pane"),
  bind("zoom", "z", "live", "give the whole screen to this pane, or take it back", ["zoom", 8]),
  bind("filter", "/", "live", "filter: text, tag:x, status:x, contestant:x", ["filter", 4]),
  bind("sort", "s", "live", "sort: file order, worst first, disagreement first", ["sort", 5]),
  bind("nextProblem", "n", "live", "next failed or errored cell", ["next failed", 6]),
  bind("previousProblem", "N", "live", "previous failed or errored cell"),
  bind("pause", "p", "live", "pause or resume: no new cells are started", ["pause", 7]),
  bind("quit", "q", "global", "stop the run and leave", ["quit", 1]),
  bind("interrupt", "ctrl+c", "global", "stop; again: stop at once"),
  bind("help", "? f1", "global", "all keys of this screen", ["help", 0])
]

/** The action of a key where these contexts hold, the innermost first. */
export const actionFor = (key: string, contexts: ReadonlyArray<Context>): Action | null => {
  for (const context of contexts) {
    const found = keymap.find((binding) => binding.contexts.includes(context) && binding.keys.includes(key))
    if (found !== undefined) return found.action
  }
  return null
}
