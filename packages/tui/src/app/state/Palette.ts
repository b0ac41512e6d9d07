/** The command palette: every action that makes sense now, found by a few letters of its name. */
import { type AppState, contexts, type World } from "./AppState.ts"
import { isAvailable } from "./Available.ts"
import { type Action, type Binding, bindingsIn } from "./Keymap.ts"

/** Movements are pointless to choose from a list. */
const movements: ReadonlySet<Action> = new Set<Action>([
  "up",
  "down",
  "left",
  "right",
  "pageUp",
  "pageDown",
  "first",
  "last",
  "palette",
  "interrupt",
  "confirm",
  "confirmAndLeave"
])

/** How well a query fits: all its letters in order, the closer together the better; null = not at all. */
export const fits = (query: string, title: string): number | null => {
  const text = title.toLowerCase()
  let from = 0
  let spread = 0
  for (const letter of query.toLowerCase().replace(/\s+/g, "")) {
    const at = text.indexOf(letter, from)
    if (at < 0) return null
    spread += at - from
    from = at + 1
  }
  return text.includes(query.toLowerCase()) ? -1000 + text.indexOf(query.toLowerCase()) : spread
}

export const paletteEntries = (state: AppState, world: World, query: string): ReadonlyArray<Binding> => {
  const below: AppState = { ...state, overlay: null }
  return bindingsIn(contexts(below))
    .filter(({ action }) => !movements.has(action) && isAvailable(action, below, world))
    .flatMap((binding, index) => {
      const fit = fits(query, binding.title)
      return fit === null ? [] : [{ binding, fit, index }]
    })
    .toSorted((a, b) => a.fit - b.fit || a.index - b.index)
    .map(({ binding }) => binding)
}
