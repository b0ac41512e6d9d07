/**
 * Lines at the end of what the terminal shows, redrawn in place.
 *
 * Between two frames the cursor rests on the first column of the first line, so that everything below it is ours and can
 * be erased whatever a change of size has done to it. Nothing is hidden or switched off that would have to be restored.
 */
import { asciiLine } from "../app/terminal/Ascii.ts"
import { type Line, lineText } from "../app/terminal/Line.ts"
import type { Theme } from "../app/terminal/Theme.ts"

const escape = "\u001b["
const reset = `${escape}0m`
const eraseRest = `${escape}K`
const eraseBelow = `${escape}J`
const wrapOff = `${escape}?7l`
const wrapOn = `${escape}?7h`
const beginSync = `${escape}?2026h`
const endSync = `${escape}?2026l`

/** Erases what is shown; the cursor stays where it was. */
export const clearInline = `\r${eraseBelow}`

export interface InlinePainter {
  /**
   * The bytes that scroll `remarks` away above and show `lines` instead of what is shown; empty when nothing would change.
   * Remarks are wrapped already.
   */
  readonly paint: (remarks: ReadonlyArray<string>, lines: ReadonlyArray<Line>) => string
  /** Somebody else has written to the terminal: the next frame is written whole. */
  readonly forget: () => void
}

const encode = (line: Line, theme: Theme): string => {
  if (theme.depth === "none" && line.every(({ style }) => style === 0)) return lineText(line)
  let out = ""
  let style = 0
  for (const part of line) {
    if (part.text === "") continue
    if (part.style !== style) out += theme.sgr(part.style)
    style = part.style
    out += part.text
  }
  return style === 0 ? out : out + reset
}

export const makeInlinePainter = (theme: Theme, ascii: boolean): InlinePainter => {
  let shown = ""
  return {
    forget: () => {
      shown = ""
    },
    paint: (remarks, lines) => {
      const texts = (ascii ? lines.map(asciiLine) : lines).map((line) => encode(line, theme) + eraseRest)
      const block = texts.join("\r\n") + eraseBelow
      if (remarks.length === 0 && block === shown) return ""
      shown = block
      const above = remarks.length === 0 ? "" : clearInline + remarks.map((text) => `${text}\r\n`).join("")
      const back = texts.length > 1 ? `${escape}${texts.length - 1}A\r` : "\r"
      return `${beginSync}${above}${wrapOff}\r${block}${wrapOn}${back}${endSync}`
    }
  }
}
