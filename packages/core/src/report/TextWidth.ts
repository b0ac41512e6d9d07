import { displayWidth } from "effect/cli/CliOutput"

const printableAscii = /^[\u0020-\u007e]*$/
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** Columns that a text takes in a terminal: 2 for CJK and emoji, 0 for combining marks. Styling is not counted. */
export const textWidth = (text: string): number => (printableAscii.test(text) ? text.length : displayWidth(text))

/** At most `width` columns of an unstyled text; what is cut away is shown by an ellipsis. Never splits a character. */
export const clip = (text: string, width: number): string => {
  if (textWidth(text) <= width) return text
  if (width < 1) return ""
  let used = 0
  let kept = ""
  for (const { segment } of graphemes.segment(text)) {
    used += textWidth(segment)
    if (used > width - 1) break
    kept += segment
  }
  return `${kept}…`
}
