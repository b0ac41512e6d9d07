/** A screen of text that scrolls under a fixed title: cells, cases, contestants, results, help. */
import { displayLines } from "../terminal/DisplayText.ts"
import { fitBlock, type Line, line, segment } from "../terminal/Line.ts"
import type { Role } from "../terminal/Style.ts"
import { wrapText } from "../terminal/TextWidth.ts"
import type { Size } from "./Layout.ts"
import { paneTitle } from "./Text.ts"

export interface Document {
  readonly title: ReadonlyArray<Line>
  readonly body: ReadonlyArray<Line>
}

/** Rows of the body that show at once; the footer takes one. */
export const visibleRows = (document: Document, size: Size): number =>
  Math.max(1, size.height - 1 - document.title.length)

/** The furthest that scrolling makes sense. */
export const maxScroll = (document: Document, size: Size): number =>
  Math.max(0, document.body.length - visibleRows(document, size))

const withScrollbar = (lines: ReadonlyArray<Line>, top: number, total: number): ReadonlyArray<Line> => {
  const height = lines.length
  if (total <= height || height === 0) return lines
  const size = Math.max(1, Math.round((height / total) * height))
  const start = Math.round((top / (total - height)) * (height - size))
  return lines.map((of, row) => {
    const inside = row >= start && row < start + size
    return [...of, segment(inside ? "┃" : "│", inside ? "muted" : "rule")]
  })
}

/** A bar at the right edge, where the window stands in the whole; the lines must leave it a column. */
export const scrollbar = withScrollbar

/** Title and the visible part of the body, without the footer. */
export const documentLines = (document: Document, scroll: number, size: Size): ReadonlyArray<Line> => {
  const rows = visibleRows(document, size)
  const top = Math.min(scroll, maxScroll(document, size))
  const window = fitBlock(document.body.slice(top, top + rows), size.width - 1, rows)
  return fitBlock([...document.title, ...withScrollbar(window, top, document.body.length)], size.width, size.height - 1)
}

/** Longest text that is laid out, characters; the rest is in the store and in the reports. */
const shownCharacters = 100_000

/** Foreign text of many lines, wrapped and indented. */
export const prose = (text: string, width: number, role: Role = "plain"): ReadonlyArray<Line> => {
  const shown = text.length > shownCharacters ? text.slice(0, shownCharacters) : text
  const lines = wrapText(displayLines(shown), Math.max(1, width - 2)).map((one) => line(` ${one}`, role))
  if (shown.length === text.length) return lines
  return [...lines, line(` … ${(text.length - shown.length).toLocaleString("en-US")} more characters`, "muted")]
}

/** A heading with its lines and an empty line after them; nothing when there is nothing to show. */
export const section = (
  name: string,
  detail: string,
  lines: ReadonlyArray<Line>,
  width: number
): ReadonlyArray<Line> => (lines.length === 0 ? [] : [paneTitle(name, detail, width, false), ...lines, []])

/** `name   value` with the names in one column. */
export const facts = (
  pairs: ReadonlyArray<readonly [string, string, Role?]>,
  labelWidth: number
): ReadonlyArray<Line> =>
  pairs
    .filter(([, value]) => value !== "")
    .map(([name, value, role]) => [segment(` ${name.padEnd(labelWidth)} `, "muted"), segment(value, role ?? "plain")])

/** Any value as readable text: strings as they are, the rest as indented JSON. */
export const readable = (value: unknown): string => {
  if (typeof value === "string") return value
  try {
    return JSON.stringify(value, null, 2) ?? String(value)
  } catch {
    return String(value)
  }
}
