/**
 * Text measured in terminal columns. What is measured must have gone through `displayText`, so that every terminal
 * agrees about its width; whatever cuts or pads sees to that itself.
 */
import stringWidth from "string-width"
import { displayText } from "./DisplayText.ts"

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })
const beyondAscii = /[^\x20-\x7e]/

const cacheLimit = 4096
const widths = new Map<string, number>()

const measured = (text: string): number => {
  const known = widths.get(text)
  if (known !== undefined) return known
  const width = stringWidth(text)
  if (widths.size >= cacheLimit) widths.clear()
  if (text.length <= 256) widths.set(text, width)
  return width
}

/** Whether the text is printable ASCII only, where a character is a column. */
export const isAscii = (text: string): boolean => !beyondAscii.test(text)

/** Columns that the text takes. */
export const textWidth = (text: string): number => (isAscii(text) ? text.length : measured(text))

/** The longest beginning of the text that fits into `width` columns, never cutting a character in half. */
export const takeColumns = (text: string, width: number): string => {
  if (width <= 0) return ""
  if (isAscii(text)) return text.slice(0, width)
  let used = 0
  let end = 0
  for (const { segment, index } of segmenter.segment(text)) {
    used += measured(segment)
    if (used > width) break
    end = index + segment.length
  }
  return text.slice(0, end)
}

/** The text cut to `width` columns; a cut is marked by an ellipsis. */
export const cutText = (text: string, width: number): string => {
  const safe = displayText(text)
  if (textWidth(safe) <= width) return safe
  return width <= 0 ? "" : `${takeColumns(safe, width - 1)}…`
}

/** The text cut or padded to exactly `width` columns. */
export const fitText = (text: string, width: number, align: "left" | "right" = "left"): string => {
  const cut = cutText(text, width)
  const space = " ".repeat(Math.max(0, width - textWidth(cut)))
  return align === "left" ? cut + space : space + cut
}

/** The text cut in its middle, which keeps both ends of long names that differ at their end. */
export const cutMiddle = (text: string, width: number): string => {
  const safe = displayText(text)
  if (textWidth(safe) <= width) return safe
  if (width < 5) return cutText(safe, width)
  const tailColumns = Math.floor((width - 1) / 3)
  const clusters = Array.from(segmenter.segment(safe), (part) => part.segment)
  let tail = ""
  for (let i = clusters.length - 1; i >= 0; i--) {
    const next = (clusters[i] ?? "") + tail
    if (textWidth(next) > tailColumns) break
    tail = next
  }
  return `${takeColumns(safe, width - 1 - textWidth(tail))}…${tail}`
}

const firstCluster = (text: string): string => {
  for (const { segment } of segmenter.segment(text)) return segment
  return text
}

const breakLongWord = (word: string, width: number, lines: Array<string>): string => {
  let rest = word
  while (textWidth(rest) > width) {
    const head = takeColumns(rest, width)
    if (head !== "") lines.push(head)
    // A character wider than the whole line is left out: there is no way to show it.
    rest = rest.slice(head === "" ? firstCluster(rest).length : head.length)
  }
  return rest
}

const wrapParagraph = (paragraph: string, width: number, lines: Array<string>): void => {
  let current = ""
  for (const word of paragraph.split(/(?<= )(?=[^ ])/)) {
    if (textWidth(current) + textWidth(word.trimEnd()) <= width) {
      current += word
      continue
    }
    if (current !== "") lines.push(current.trimEnd())
    current = textWidth(word.trimEnd()) <= width ? word : breakLongWord(word, width, lines)
  }
  lines.push(current.trimEnd())
}

/** The text broken into lines of at most `width` columns, at spaces where there are any. */
export const wrapText = (text: string, width: number): ReadonlyArray<string> => {
  if (width <= 0) return []
  const lines: Array<string> = []
  for (const paragraph of text.split("\n")) wrapParagraph(paragraph, width, lines)
  return lines
}
