import type { SourcePosition } from "../../domain/SourcePosition.ts"

/** The text of one file of the project, and where each of its characters stands. */
export interface SourceText {
  /** As shown to the user. */
  readonly file: string
  readonly text: string
  /** 1-based line and column (UTF-16 units) of an offset. */
  readonly position: (offset: number) => SourcePosition
}

/** Offsets at which lines begin; LF, CR LF and a lone CR end a line. */
const lineStarts = (text: string): ReadonlyArray<number> => {
  const starts = [0]
  for (const match of text.matchAll(/\r\n|\n|\r/g)) starts.push(match.index + match[0].length)
  return starts
}

const lastAtMost = (sorted: ReadonlyArray<number>, value: number): number => {
  let low = 0
  let high = sorted.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((sorted[middle] ?? 0) <= value) low = middle
    else high = middle - 1
  }
  return low
}

/** A text with its positions; the index of lines is made on first use. */
export const make = (file: string, text: string): SourceText => {
  let starts: ReadonlyArray<number> | undefined
  return {
    file,
    text,
    position: (offset) => {
      starts ??= lineStarts(text)
      const line = lastAtMost(starts, Math.max(0, Math.min(offset, text.length)))
      return { file, line: line + 1, column: Math.max(0, offset - (starts[line] ?? 0)) + 1 }
    }
  }
}
