/**
 * Writes frames to the terminal, only what differs from the frame before.
 *
 * Ink lays out and re-tokenises every character of a frame, about 140 ms for a dense 200×50 screen; a comparison of
 * runs of text costs one. Ink keeps what it is good at: React, keys, raw mode, the alternate screen and its end.
 */
import { asciiLine } from "../terminal/Ascii.ts"
import { type Line, lineWidth } from "../terminal/Line.ts"
import { isAscii } from "../terminal/TextWidth.ts"
import type { Theme } from "../terminal/Theme.ts"

export interface Painter {
  /** The bytes that turn the frame before into this one; empty when they are the same. */
  readonly paint: (frame: ReadonlyArray<Line>, width: number) => string
  /** Forgets what is on the screen: the next frame is written whole. */
  readonly forget: () => void
}

const escape = "\u001b["
const reset = `${escape}0m`
const eraseLine = `${escape}2K`
const eraseRest = `${escape}K`
const beginSync = `${escape}?2026h`
const endSync = `${escape}?2026l`

/** Lines that a terminal measures longer than we do are cut at the edge instead of running into the next one. */
export const enterPainting = `${escape}?7l`
/** Leaves an empty screen behind and wraps long lines again. */
export const leavePainting = `${reset}${escape}H${escape}J${escape}?7h`

const moveTo = (row: number, column: number): string => `${escape}${row + 1};${column + 1}H`

/** Narrow signs of our own; anything else may be measured differently by some terminal. */
const wellKnown = /^[\x20-\x7e\u2500-\u259f\u25cf\u25d0\u2713\u2717\u00b7\u2026\u2014\u2013]*$/

const isCertain = (line: Line): boolean => line.every((part) => isAscii(part.text) || wellKnown.test(part.text))

const encode = (line: Line, theme: Theme): string => {
  let out = ""
  let style = -1
  for (const part of line) {
    if (part.text === "") continue
    if (part.style !== style) {
      out += theme.sgr(part.style)
      style = part.style
    }
    out += part.text
  }
  return out
}

/** Number of leading segments that both lines share. */
const sharedStart = (before: Line, after: Line): number => {
  let index = 0
  while (index < before.length && index < after.length) {
    const [a, b] = [before[index], after[index]]
    if (a === undefined || b === undefined || a.style !== b.style || a.text !== b.text) break
    index += 1
  }
  return index
}

const sameLine = (before: Line, after: Line): boolean =>
  before.length === after.length && sharedStart(before, after) === after.length

/** From the first difference to the end of the line; lines of uncertain width are written whole. */
const changeOf = (before: Line | undefined, after: Line, row: number, width: number, theme: Theme): string => {
  if (before !== undefined && sameLine(before, after)) return ""
  if (before === undefined || !isCertain(after) || !isCertain(before)) {
    return moveTo(row, 0) + reset + eraseLine + encode(after, theme)
  }
  const shared = sharedStart(before, after)
  const column = lineWidth(after.slice(0, shared))
  const rest = encode(after.slice(shared), theme)
  // Erasing behind a line that fills the row would take its last character away in some terminals.
  const clear = lineWidth(after) < width ? reset + eraseRest : ""
  return moveTo(row, column) + rest + clear
}

export const makePainter = (theme: Theme, ascii: boolean): Painter => {
  let shown: ReadonlyArray<Line> = []
  let whole = true
  return {
    forget: () => {
      whole = true
    },
    paint: (frame, width) => {
      const lines = ascii ? frame.map(asciiLine) : frame
      let out = ""
      for (let row = 0; row < lines.length; row++) {
        out += changeOf(whole ? undefined : shown[row], lines[row] ?? [], row, width, theme)
      }
      shown = lines
      whole = false
      return out === "" ? "" : beginSync + out + reset + endSync
    }
  }
}
