/** Fields that are typed into: the filter and the palette. Every key that is no command is text. */
import { type AppState, currentScreen, replaceScreen, type World } from "./AppState.ts"
import { type Step, still } from "./Intent.ts"
import type { Action } from "./Keymap.ts"
import { paletteEntries } from "./Palette.ts"

/** The text after a key; null = the key is no editing. */
export const edited = (text: string, key: string): string | null => {
  if (key === "backspace") return Array.from(text).slice(0, -1).join("")
  if (key === "ctrl+u") return ""
  if (key === "ctrl+w") return text.replace(/\S+\s*$/, "")
  if (key === "space") return `${text} `
  return Array.from(key).length === 1 ? text + key : null
}

const onlyLine = (text: string): string => text.replace(/\s+/g, " ").slice(0, 200)

const filterOf = (state: AppState): string => {
  const screen = currentScreen(state)
  return screen._tag === "Live" ? screen.matrix.filter : ""
}

const withFilter = (state: AppState, filter: string): AppState => {
  const screen = currentScreen(state)
  if (screen._tag !== "Live") return state
  return replaceScreen(state, { ...screen, matrix: { ...screen.matrix, filter: onlyLine(filter) } })
}

const filterKey = (state: AppState, key: string, before: string): Step => {
  if (key === "enter") return still({ ...state, overlay: null })
  if (key === "esc" || key === "ctrl+c") return still({ ...withFilter(state, before), overlay: null })
  const text = edited(filterOf(state), key)
  return still(text === null ? state : withFilter(state, text))
}

/** A step in the palette, and the action that was chosen. */
export interface Chosen extends Step {
  readonly action: Action | null
}

const paletteKey = (state: AppState, world: World, key: string, query: string, row: number): Chosen => {
  const put = (next: { query: string; row: number }): Chosen => ({
    ...still({ ...state, overlay: { _tag: "Palette", ...next } }),
    action: null
  })
  const entries = paletteEntries(state, world, query)
  if (key === "esc" || key === "ctrl+c") return { ...still({ ...state, overlay: null }), action: null }
  if (key === "enter") return { ...still({ ...state, overlay: null }), action: entries[row]?.action ?? null }
  if (key === "up" || key === "ctrl+p") return put({ query, row: Math.max(0, row - 1) })
  if (key === "down" || key === "ctrl+n" || key === "tab") {
    return put({ query, row: Math.max(0, Math.min(entries.length - 1, row + 1)) })
  }
  const text = edited(query, key)
  return put({ query: text === null ? query : onlyLine(text), row: text === null ? row : 0 })
}

/** A key for the field that is open; null = none is open. */
export const typeKey = (state: AppState, key: string, world: World): Chosen | null => {
  if (state.overlay?._tag === "Filter") return { ...filterKey(state, key, state.overlay.before), action: null }
  if (state.overlay?._tag === "Palette") return paletteKey(state, world, key, state.overlay.query, state.overlay.row)
  return null
}

/** Pasted text goes into the open field as it is, in one line. */
export const paste = (state: AppState, text: string): AppState => {
  if (state.overlay?._tag === "Filter") return withFilter(state, filterOf(state) + text)
  if (state.overlay?._tag !== "Palette") return state
  return { ...state, overlay: { _tag: "Palette", query: onlyLine(state.overlay.query + text), row: 0 } }
}
