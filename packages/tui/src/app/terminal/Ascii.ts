/** Spells a line in printable ASCII, column for column, for terminals and fonts that have nothing else. */
import type { Line, Segment } from "./Line.ts"
import { isAscii, textWidth } from "./TextWidth.ts"

const spelled: Readonly<Record<string, string>> = {
  "✓": "+",
  "✗": "x",
  "◐": "~",
  "◷": "T",
  "⊘": "/",
  "●": "*",
  "·": ".",
  "…": "~",
  "—": "-",
  "–": "-",
  "─": "-",
  "━": "=",
  "│": "|",
  "┃": "#",
  "├": "|",
  "┤": "|",
  "┊": ":",
  "┌": "+",
  "┐": "+",
  "└": "+",
  "┘": "+",
  "╭": "+",
  "╮": "+",
  "╰": "+",
  "╯": "+",
  "┬": "+",
  "┴": "+",
  "┼": "+",
  "█": "#",
  "▓": "%",
  "▒": "=",
  "░": ".",
  "▐": "|",
  "▏": "|",
  "▎": "|",
  "▁": "_",
  "▂": "_",
  "▃": "-",
  "▄": "-",
  "▅": "=",
  "▆": "=",
  "▇": "#",
  "▸": ">",
  "▾": "v",
  "▴": "^",
  "›": ">",
  "‹": "<",
  "→": ">",
  "←": "<",
  "↑": "^",
  "↓": "v",
  "↵": "<",
  "⏎": "$",
  "↻": "r",
  "↺": "r",
  "◆": "*",
  "◇": "o",
  "○": "o",
  "≈": "~",
  "±": "~",
  "×": "x",
  "≥": ">",
  "≤": "<",
  "\u00a0": " ",
  "\u202f": " "
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })

const spellCluster = (cluster: string): string => {
  const known = spelled[cluster]
  if (known !== undefined) return known
  if (isAscii(cluster)) return cluster
  const code = cluster.codePointAt(0) ?? 0
  // Braille dots of a plot: few, some, many.
  if (code >= 0x2800 && code <= 0x28ff) return code === 0x2800 ? " " : "."
  if (code >= 0x2400 && code <= 0x2421) return "^"
  const base = cluster.normalize("NFD").replace(/\p{M}+/gu, "")
  if (base !== "" && isAscii(base) && base.length === textWidth(cluster)) return base
  return "?".repeat(textWidth(cluster))
}

const spellText = (text: string): string => {
  let out = ""
  for (const { segment } of segmenter.segment(text)) out += spellCluster(segment)
  return out
}

const spellSegment = (part: Segment): Segment => (isAscii(part.text) ? part : { ...part, text: spellText(part.text) })

/** The same line in ASCII; every segment keeps its width. */
export const asciiLine = (of: Line): Line => (of.every((part) => isAscii(part.text)) ? of : of.map(spellSegment))
