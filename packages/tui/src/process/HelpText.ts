/** Help pages fitted to the width of a terminal. */
import { textWidth } from "@agent-arena/core/report/TextWidth"

const withoutStyling = (line: string): string =>
  line
    .split("\u001b[")
    .map((part, index) => (index === 0 ? part : part.slice(part.indexOf("m") + 1)))
    .join("")

/** Where the text of a line begins: behind the column of names (two spaces or more), else behind the margin. */
const textColumn = (line: string): number => {
  const plain = withoutStyling(line)
  const named = /^ *\S.*?(?: {2,})(?=\S)/.exec(plain)?.[0]
  return textWidth(named ?? /^ */.exec(plain)?.[0] ?? "")
}

const wrapLine = (line: string, width: number): ReadonlyArray<string> => {
  if (textWidth(line) <= width) return [line]
  const column = textColumn(line)
  // A column of names that takes most of the terminal leaves no room beside it.
  const indent = " ".repeat(column <= width * 0.6 ? column : 8)
  const out: Array<string> = []
  let current = ""
  for (const word of line.split(/(?<=\S) (?=\S)/)) {
    const candidate = current === "" ? word : `${current} ${word}`
    if (current.trim() !== "" && textWidth(candidate) > width) {
      out.push(current)
      current = indent + word
    } else {
      current = candidate
    }
  }
  return [...out, current]
}

/** Breaks the lines of a help page between words, descriptions under descriptions; null = no terminal, as it is. */
export const wrapHelp = (page: string, width: number | null): string =>
  width === null
    ? page
    : page
        .split("\n")
        .flatMap((line) => wrapLine(line, width))
        .join("\n")
