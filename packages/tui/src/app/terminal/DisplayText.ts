/**
 * The one boundary between foreign text and the screen: whatever a model, a file or a provider wrote becomes text that
 * cannot control the terminal and whose width every terminal agrees about. Originals stay untouched in the store.
 */
import { sanitise } from "@agent-arena/core/report/Sanitise"

/** Printable ASCII, box drawing, shapes, braille and the few signs of our own need no look. */
const suspicious = /[^\x20-\x7e\u2500-\u25ff\u2800-\u28ff\u2713\u2717\u00b7\u2014\u2026]/

/** Zero-width and direction controls, variation selectors, skin tones: invisible, and measured differently everywhere. */
const invisible =
  /\p{Default_Ignorable_Code_Point}|\p{Bidi_Control}|\p{Emoji_Modifier}|[\u{600}-\u{605}\u{6dd}\u{70f}\u{890}\u{891}\u{8e2}\u{110bd}\u{110cd}\u{fff9}-\u{fffb}]/gu

const regionalIndicators = /[\u{1f1e6}-\u{1f1ff}]/gu
/** More than two marks on one letter climb over the lines above it. */
const markPiles = /(\p{M}{2})\p{M}+/gu
const orphanMark = /(^|\n)\p{M}+/gu

const letterOf = (indicator: string): string => String.fromCharCode((indicator.codePointAt(0) ?? 0) - 0x1f1e6 + 65)

const tame = (text: string): string =>
  sanitise(text)
    .replaceAll("\t", "  ")
    .replace(invisible, "")
    .replace(regionalIndicators, letterOf)
    .normalize("NFC")
    .replace(markPiles, "$1")
    .replace(orphanMark, "$1")

/**
 * Many lines made safe: line breaks stay, tabs become spaces, control sequences, invisible and direction-changing
 * characters go, emoji sequences fall into their single parts.
 */
export const displayLines = (text: string): string => (suspicious.test(text) ? tame(text) : text)

/** One line made safe: like `displayLines`, with line breaks shown as `⏎`. */
export const displayText = (text: string): string => (suspicious.test(text) ? tame(text).replaceAll("\n", "⏎") : text)
