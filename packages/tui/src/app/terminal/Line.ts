/** Lines of styled text: what every view is made of. */
import { displayText } from "./DisplayText.ts"
import { asSelected, type Role, type Style, styleOf } from "./Style.ts"
import { takeColumns, textWidth } from "./TextWidth.ts"

/** A run of text in one style; `width` in columns. Made only by `segment`, which is where foreign text becomes safe. */
export interface Segment {
  readonly text: string
  readonly style: Style
  readonly width: number
}

export type Line = ReadonlyArray<Segment>

export const emptyLine: Line = []

const cacheLimit = 2048
/** The same few short pieces make up most of a screen; segments never change, so one of each will do. */
const known = new Map<Style, Map<string, Segment>>()

const make = (text: string, style: Style): Segment => {
  const safe = displayText(text)
  return { text: safe, style, width: textWidth(safe) }
}

/** Styled text, made safe for the terminal. */
export const segment = (text: string, style: Role | Style = 0): Segment => {
  const number = typeof style === "number" ? style : styleOf(style)
  if (text.length > 24) return make(text, number)
  const ofStyle = known.get(number) ?? new Map<string, Segment>()
  const found = ofStyle.get(text)
  if (found !== undefined) return found
  if (ofStyle.size === 0 || ofStyle.size >= cacheLimit) {
    ofStyle.clear()
    known.set(number, ofStyle)
  }
  const made = make(text, number)
  ofStyle.set(text, made)
  return made
}

/** A line of one segment. */
export const line = (text: string, style: Role | Style = 0): Line => [segment(text, style)]

export const lineWidth = (of: Line): number => {
  let width = 0
  for (const part of of) width += part.width
  return width
}

export const lineText = (of: Line): string => of.map((part) => part.text).join("")

const blank = (width: number, style: Style): Segment => ({ text: " ".repeat(width), style, width })

const cutSegment = (part: Segment, width: number): Segment => {
  const text = takeColumns(part.text, width)
  return { text, style: part.style, width: textWidth(text) }
}

/** The line cut to `width` columns, the cut marked by an ellipsis. */
export const cutLine = (of: Line, width: number): Line => {
  if (lineWidth(of) <= width) return of
  if (width <= 0) return emptyLine
  const kept: Array<Segment> = []
  let left = width - 1
  let style: Style = 0
  for (const part of of) {
    style = part.style
    if (part.width > left) {
      if (left > 0) kept.push(cutSegment(part, left))
      break
    }
    kept.push(part)
    left -= part.width
  }
  kept.push({ text: "…", style, width: 1 })
  return kept
}

/** The first `width` columns as they are; a wide character on the edge becomes a space. */
export const takeLine = (of: Line, width: number): Line => {
  const kept: Array<Segment> = []
  let left = width
  for (const part of of) {
    if (left <= 0) break
    const own = part.width <= left ? part : cutSegment(part, left)
    kept.push(own)
    if (own.width < Math.min(part.width, left)) kept.push(blank(left - own.width, part.style))
    left -= part.width
  }
  return kept
}

/** Everything from column `from` on; a wide character on the edge becomes a space. */
export const dropLine = (of: Line, from: number): Line => {
  const kept: Array<Segment> = []
  let column = 0
  for (const part of of) {
    const start = column
    column += part.width
    if (start >= from) kept.push(part)
    else if (column > from) {
      const head = takeColumns(part.text, from - start)
      const onEdge = textWidth(head) < from - start
      const skip = onEdge ? takeColumns(part.text, from - start + 1) : head
      const text = (onEdge ? " " : "") + part.text.slice(skip.length)
      kept.push({ text, style: part.style, width: textWidth(text) })
    }
  }
  return kept
}

/** The line cut or padded to exactly `width` columns. */
export const fitLine = (of: Line, width: number, padding: Style = 0): Line => {
  const cut = cutLine(of, width)
  const missing = width - lineWidth(cut)
  return missing > 0 ? [...cut, blank(missing, padding)] : cut
}

/** `left` and `right` pushed to the ends of `width` columns; `left` gives way first. */
export const spread = (left: Line, right: Line, width: number): Line => {
  const rightWidth = lineWidth(right)
  if (rightWidth + 2 > width) return fitLine(left, width)
  return [...fitLine(left, width - rightWidth), ...right]
}

/** The line on the background of a selection, over its whole width. */
export const selectLine = (of: Line, width: number): Line =>
  fitLine(of, width, asSelected(0)).map((part) => ({ ...part, style: asSelected(part.style) }))

/** Exactly `height` lines of exactly `width` columns. */
export const fitBlock = (lines: ReadonlyArray<Line>, width: number, height: number): ReadonlyArray<Line> =>
  Array.from({ length: Math.max(0, height) }, (_, index) => fitLine(lines[index] ?? emptyLine, width))

/** Two blocks of the same height side by side. */
export const beside = (
  left: ReadonlyArray<Line>,
  separator: Segment,
  right: ReadonlyArray<Line>
): ReadonlyArray<Line> => left.map((of, index) => [...of, separator, ...(right[index] ?? emptyLine)])
