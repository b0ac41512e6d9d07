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
import { type Line, line, lineWidth, segment } from "../terminal/Line.ts"
import { fitText, textWidth, wrapText } from "../terminal/TextWidth.ts"
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

/** Text in a column behind what it explains, in as many lines as it takes. */
const explained = (head: Line, text: string, width: number): ReadonlyArray<Line> =>
  wrapText(text, Math.max(10, width - lineWidth(head) - 3)).map((part, index) => [
    segment("  "),
    ...(index === 0 ? head : [segment(" ".repeat(lineWidth(head)))]),
    segment(part)
  ])

const keysText = ({ keys }: Binding): string => keys.map(keyText).join(" ")

const bindingLines = (bindings: ReadonlyArray<Binding>, width: number): ReadonlyArray<Line> => {
  const column = Math.min(18, Math.max(...bindings.map((binding) => textWidth(keysText(binding))))) + 2
  return bindings.flatMap((binding) =>
    explained([segment(fitText(keysText(binding), column), "key")], binding.title, width)
  )
}

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

const legendLines = ([state, text]: readonly [number, string], width: number): ReadonlyArray<Line> => {
  const sign = segment(fitText(stateGlyph(state), 4), stateRole(state))
  // The word says it in other words only: where there is little room, the text is enough.
  const word = width < 60 ? [] : [segment(fitText(stateWord(state), 16), "muted")]
  return explained([sign, ...word], text, width)
}

/** What can be typed after `/`. */
const filterWords: ReadonlyArray<readonly [string, string]> = [
  ["word", "a piece of the case's id"],
  ["tag:x", "cases with a tag that has x in it"],
  [
    "status:x",
    "cases with a cell that is x: pass, partial, fail, error, timeout, interrupted, running, queued, skipped, unscored"
  ],
  ["contestant:x", "columns of contestants with x in their name"]
]

export const helpDocument = (state: AppState, world: World): Document => {
  const width = state.size.width - 1
  const below: AppState = { ...state, overlay: null }
  return {
    title: [line(" Keys", "title"), line("─".repeat(state.size.width), "rule")],
    body: [
      ...bindingLines(
        bindingsIn(contexts(below)).filter(({ action }) => isAvailable(action, below, world)),
        width
      ),
      [],
      line(" Signs", "title"),
      ...legend.flatMap((one) => legendLines(one, width)),
      [],
      line(" Filter", "title"),
      ...filterWords.flatMap(([word, text]) => explained([segment(fitText(word, 14), "key")], text, width)),
      ...explained([], "Several words must all hold; of several status: or contestant: words, one is enough.", width)
    ]
  }
}
