/** A table in plain columns for a terminal or a pipe, fitted to a width. */
import { sanitiseLine } from "./Sanitise.ts"
import type { Style } from "./Style.ts"
import { clip, textWidth } from "./TextWidth.ts"

export interface TextColumn {
  readonly heading: string
  readonly align?: "left" | "right"
  /** Narrowest width to which the column may be clipped; absent = never clipped. */
  readonly min?: number
  /** Columns with a number are left out, highest first, when the table does not fit. */
  readonly drop?: number
}

/** A text, or a text with an emphasis. Foreign text is sanitised here. */
export type TextCell =
  | string
  | {
      readonly text: string
      readonly emphasis: (text: string) => string
      /** What to show where the whole text has no room. */
      readonly short?: string
    }

export interface Layout {
  /** Columns of the terminal; null = as wide as it takes. */
  readonly width: number | null
  readonly style: Style
}

const gap = "  "

interface Fitted {
  readonly column: TextColumn
  readonly index: number
  readonly width: number
}

const total = (columns: ReadonlyArray<Fitted>): number =>
  columns.reduce((sum, { width }) => sum + width, gap.length * Math.max(0, columns.length - 1))

/** Takes width from the widest clippable column until the table fits or nothing can give. */
const squeeze = (columns: ReadonlyArray<Fitted>, width: number): ReadonlyArray<Fitted> => {
  const excess = total(columns) - width
  if (excess <= 0) return columns
  const [widest] = columns
    .filter(({ column, width }) => column.min !== undefined && width > column.min)
    .toSorted((a, b) => b.width - a.width)
  if (widest === undefined) return columns
  const narrower = { ...widest, width: Math.max(widest.column.min ?? 0, widest.width - excess) }
  return squeeze(
    columns.map((one) => (one === widest ? narrower : one)),
    width
  )
}

const fit = (columns: ReadonlyArray<Fitted>, width: number | null): ReadonlyArray<Fitted> => {
  if (width === null) return columns
  const squeezed = squeeze(columns, width)
  if (total(squeezed) <= width) return squeezed
  const droppable = columns.filter(({ column }) => column.drop !== undefined)
  const [first] = droppable.toSorted((a, b) => (b.column.drop ?? 0) - (a.column.drop ?? 0))
  if (first === undefined) return squeezed
  return fit(
    columns.filter((one) => one !== first),
    width
  )
}

/** The table as lines, heading first. */
export const lines = (
  columns: ReadonlyArray<TextColumn>,
  rows: ReadonlyArray<ReadonlyArray<TextCell>>,
  { style, width }: Layout
): ReadonlyArray<string> => {
  const texts = rows.map((row) => row.map((cell) => sanitiseLine(typeof cell === "string" ? cell : cell.text)))
  const natural = columns.map((column, index) => ({
    column,
    index,
    width: texts.reduce((widest, row) => Math.max(widest, textWidth(row[index] ?? "")), textWidth(column.heading))
  }))
  const shown = fit(natural, width)
  const line = (cellAt: (index: number) => Exclude<TextCell, string>) =>
    shown
      .map(({ column, index, width }) => {
        const { emphasis, short = "", text } = cellAt(index)
        const clipped = clip(short === "" || textWidth(text) <= width ? text : short, width)
        const padding = " ".repeat(Math.max(0, width - textWidth(clipped)))
        return column.align === "right" ? padding + emphasis(clipped) : emphasis(clipped) + padding
      })
      .join(gap)
      .trimEnd()
  return [
    line((index) => ({ text: columns[index]?.heading ?? "", emphasis: style.dim })),
    ...rows.map((row, r) =>
      line((index) => {
        const cell = row[index] ?? ""
        const text = texts[r]?.[index] ?? ""
        if (typeof cell === "string") return { text, emphasis: (one) => one }
        return { text, emphasis: cell.emphasis, short: sanitiseLine(cell.short ?? "") }
      })
    )
  ]
}

/** Breaks sanitised words into lines of at most `width` columns, each after the first with an indent. */
export const wrap = (text: string, width: number | null, indent = ""): ReadonlyArray<string> => {
  const line = sanitiseLine(text)
  if (width === null || textWidth(line) <= width) return [line]
  const out: Array<string> = []
  let current = ""
  for (const word of line.split(" ")) {
    const candidate = current === "" ? word : `${current} ${word}`
    if (current !== "" && textWidth(candidate) > width) {
      out.push(current)
      current = `${indent}${word}`
    } else {
      current = candidate
    }
  }
  return [...out, current]
}
