/** Turns what Ink reports of a key press into the key names of the keymap. */
import type { Key } from "ink"

const named: ReadonlyArray<readonly [keyof Key, string]> = [
  ["upArrow", "up"],
  ["downArrow", "down"],
  ["leftArrow", "left"],
  ["rightArrow", "right"],
  ["pageUp", "pageup"],
  ["pageDown", "pagedown"],
  ["home", "home"],
  ["end", "end"],
  ["return", "enter"],
  ["escape", "esc"],
  ["backspace", "backspace"],
  ["delete", "delete"]
]

const characterNames: Readonly<Record<string, string>> = {
  " ": "space",
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\u0003": "ctrl+c",
  "\u007f": "backspace"
}

/** A control character among others is the key that types it: 0x01 is Ctrl-A. */
const controlName = (character: string): string => {
  const code = character.charCodeAt(0)
  return code >= 1 && code <= 26 ? `ctrl+${String.fromCharCode(code + 96)}` : character
}

const nameOf = (character: string): string => characterNames[character] ?? controlName(character)

/** Names of the keys in one report; fast typing arrives as several characters at once. */
export const keyNames = (input: string, key: Key): ReadonlyArray<string> => {
  if (key.tab) return [key.shift ? "shift+tab" : "tab"]
  for (const [flag, name] of named) if (key[flag] === true) return [name]
  if (key.ctrl) return input === "" ? [] : [`ctrl+${input}`]
  // Alt and a key arrive as Esc and that key; nothing here uses Alt, and fast typing must not be lost.
  if (key.meta) return ["esc", ...Array.from(input, nameOf)]
  return Array.from(input, nameOf)
}
