/** Every key of the program as data: what it does, where, and what it is called. Footer, help and palette come from it. */

/** Where a key holds. The innermost context wins: a pane before its screen, a screen before `global`. */
export type Context =
  | "global"
  | "start"
  | "live"
  | "grid"
  | "leaderboard"
  | "log"
  | "cell"
  | "case"
  | "contestant"
  | "result"
  | "runs"
  | "compare"
  | "confirm"
  | "helping"

export const actions = [
  "up",
  "down",
  "left",
  "right",
  "pageUp",
  "pageDown",
  "first",
  "last",
  "enter",
  "back",
  "nextPane",
  "previousPane",
  "zoom",
  "filter",
  "clearFilter",
  "sort",
  "nextProblem",
  "previousProblem",
  "nextCell",
  "previousCell",
  "nextTrial",
  "openCase",
  "openContestant",
  "openResult",
  "openRuns",
  "openStart",
  "pause",
  "cancelCell",
  "retryCell",
  "stopRun",
  "copy",
  "toggle",
  "increase",
  "decrease",
  "start",
  "reload",
  "resetWeights",
  "export",
  "openReport",
  "mark",
  "compare",
  "resume",
  "confirm",
  "confirmAndLeave",
  "quit",
  "interrupt",
  "help",
  "palette"
] as const
export type Action = (typeof actions)[number]

export interface Binding {
  readonly action: Action
  readonly keys: ReadonlyArray<string>
  readonly contexts: ReadonlyArray<Context>
  /** What it does, for help and palette. */
  readonly title: string
  /** A word for the footer with its priority there, lower first; null = not in the footer. */
  readonly hint: readonly [string, number] | null
}

const bind = (
  action: Action,
  keys: ReadonlyArray<string>,
  contexts: ReadonlyArray<Context>,
  title: string,
  hint: Binding["hint"] = null
): Binding => ({ action, keys, contexts, title, hint })

const runScreens: ReadonlyArray<Context> = ["live", "cell", "case", "contestant", "result"]

export const keymap: ReadonlyArray<Binding> = [
  bind("help", ["?"], ["global"], "all keys of this screen", ["help", 0]),
  bind("quit", ["q"], ["global"], "stop the run and leave", ["quit", 1]),
  bind("interrupt", ["ctrl+c"], ["global"], "stop; once more: stop at once"),
  bind("palette", [":", "ctrl+p"], ["global"], "find any action by its name", ["actions", 20]),
  bind("back", ["esc"], ["global"], "back", ["back", 3]),

  bind("up", ["up", "k"], ["global"], "up"),
  bind("down", ["down", "j"], ["global"], "down"),
  bind("left", ["left", "h"], ["global"], "left"),
  bind("right", ["right", "l"], ["global"], "right"),
  bind("pageUp", ["pageup", "ctrl+b"], ["global"], "a page up"),
  bind("pageDown", ["pagedown", "ctrl+f"], ["global"], "a page down"),
  bind("first", ["home", "g"], ["global"], "to the first"),
  bind("last", ["end", "G"], ["global"], "to the last"),

  bind("start", ["enter"], ["start"], "start the run", ["start", 2]),
  bind("toggle", ["space"], ["start"], "take it in or leave it out", ["toggle", 4]),
  bind("increase", ["right", "l", "+"], ["start"], "more", ["more", 5]),
  bind("decrease", ["left", "h", "-"], ["start"], "less", ["less", 6]),
  bind("reload", ["R"], ["start"], "read the project again", ["reload", 7]),

  bind("enter", ["enter"], ["grid", "leaderboard", "log", "case", "contestant", "runs", "result"], "open", ["open", 2]),
  bind("nextPane", ["tab"], ["live"], "next pane", ["pane", 4]),
  bind("previousPane", ["shift+tab"], ["live"], "previous pane"),
  bind("filter", ["/"], ["live"], "filter: text, tag:x, status:x, contestant:x", ["filter", 5]),
  bind("clearFilter", ["backspace"], ["live"], "show everything again"),
  bind("sort", ["s"], ["live"], "sort: file order, worst first, disagreement first", ["sort", 6]),
  bind("nextProblem", ["n"], ["live", "cell"], "next failed or errored cell", ["next failed", 7]),
  bind("previousProblem", ["N"], ["live", "cell"], "previous failed or errored cell"),
  bind("pause", ["p"], runScreens, "pause or go on: no new cells are started", ["pause", 8]),
  bind("stopRun", ["X"], runScreens, "stop the run, here or in another process, and stay", ["stop", 16]),
  bind("zoom", ["z"], ["live"], "give the whole screen to this pane, or take it back", ["zoom", 9]),
  bind("openCase", ["c"], ["live", "cell"], "the case, all contestants side by side", ["case", 10]),
  bind("openContestant", ["m"], ["live", "cell", "case"], "the contestant: metrics, latencies, failures", [
    "contestant",
    11
  ]),
  bind("openResult", ["r"], ["live"], "the result: verdict, Pareto plot, other weights", ["result", 12]),
  bind("openRuns", ["H"], ["global"], "history of runs", ["history", 13]),
  bind("openStart", ["S"], ["runs"], "the start screen", ["new run", 4]),

  bind("nextCell", ["right", "l", "J"], ["cell"], "next cell", ["next", 4]),
  bind("previousCell", ["left", "h", "K"], ["cell"], "previous cell", ["previous", 5]),
  bind("nextTrial", ["t"], ["cell", "case"], "next trial", ["trial", 6]),
  bind("copy", ["y"], ["cell"], "copy the output", ["copy", 8]),
  bind("cancelCell", ["x"], ["cell"], "cancel this cell while it runs", ["cancel", 14]),
  bind("retryCell", ["R"], ["cell"], "ask this cell again", ["ask again", 15]),

  bind("nextPane", ["tab"], ["result"], "next contestant in the table"),
  bind("previousPane", ["shift+tab"], ["result"], "previous contestant in the table"),
  bind("left", ["left", "h", "["], ["result"], "previous weight", ["weight", 4]),
  bind("right", ["right", "l", "]"], ["result"], "next weight"),
  bind("increase", ["+", "="], ["result"], "more weight for this metric", ["more", 5]),
  bind("decrease", ["-"], ["result"], "less weight for this metric", ["less", 6]),
  bind("resetWeights", ["0"], ["result"], "the weights of the project again", ["reset", 7]),
  bind("export", ["e"], ["result", "runs"], "write the reports", ["export", 8]),
  bind("openReport", ["o"], ["result", "runs"], "write the reports and open the page in the browser", [
    "open report",
    9
  ]),

  bind("mark", ["space"], ["runs"], "mark for comparison", ["mark", 5]),
  bind("compare", ["c"], ["runs"], "compare two marked runs", ["compare", 6]),
  bind("resume", ["r"], ["runs"], "go on with an unfinished run", ["resume", 7]),

  bind("confirm", ["enter", "y"], ["confirm"], "yes", ["yes", 1]),
  bind("confirmAndLeave", ["q", "ctrl+c"], ["confirm"], "yes, and leave when it is done", ["yes, and leave", 2]),
  bind("back", ["esc", "n"], ["confirm"], "no, go on", ["no", 3]),
  bind("back", ["esc", "q", "?", "enter"], ["helping"], "close", ["close", 1])
]

/** The action of a key where these contexts hold, the innermost first. */
export const actionFor = (key: string, contexts: ReadonlyArray<Context>): Action | null => {
  for (const context of contexts) {
    const found = keymap.find((binding) => binding.contexts.includes(context) && binding.keys.includes(key))
    if (found !== undefined) return found.action
  }
  return null
}

/**
 * Bindings that hold in these contexts, innermost first; one whose every key means something else further in is left
 * out.
 */
export const bindingsIn = (contexts: ReadonlyArray<Context>): ReadonlyArray<Binding> => {
  const taken = new Set<string>()
  const found: Array<Binding> = []
  for (const context of contexts) {
    const here = keymap.filter((binding) => binding.contexts.includes(context) && !found.includes(binding))
    found.push(...here.filter((binding) => binding.keys.some((key) => !taken.has(key))))
    for (const binding of here) for (const key of binding.keys) taken.add(key)
  }
  return found
}
