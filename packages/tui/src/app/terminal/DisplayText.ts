/**
 * The one boundary between foreign text and the screen: whatever a model, a file or a provider wrote becomes text that
 * cannot control the terminal and whose width every terminal agrees about. Originals stay untouched in the store.
 */

const suspicious = /[^\x20-\x7e\u2500-\u259f]/

// Spelled as a template because a literal would hold raw control characters.
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g

/** Zero-width and direction controls, variation selectors, skin tones: invisible, and measured differently everywhere. */
const invisible =
  /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u{600}-\u{605}\u{6dd}\u{70f}\u{890}\u{891}\u{8e2}\u{110bd}\u{110cd}\u{fff9}-\u{fffb}\u{1f3fb}-\u{1f3ff}]/gu

const regionalIndicators = /[\u{1f1e6}-\u{1f1ff}]/gu
const lineSeparators = /[\u2028\u2029]/g
/** More than two marks on one letter climb over the lines above it. */
const markPiles = /(\p{M}{2})\p{M}+/gu
const orphanMark = /^\p{M}+/u

const pictureOf = (control: string): string => {
  const code = control.charCodeAt(0)
  if (code === 9) return "  "
  if (code === 0x7f) return "\u2421"
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd"
}

const letterOf = (indicator: string): string => String.fromCharCode((indicator.codePointAt(0) ?? 0) - 0x1f1e6 + 65)

const tame = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(lineSeparators, "\n")
    .replace(controls, pictureOf)
    .replace(invisible, "")
    .replace(regionalIndicators, letterOf)
    .replace(markPiles, "$1")

/**
 * Many lines made safe: line breaks stay, tabs become spaces, control characters become visible pictures (an escape
 * shows as `␛`), invisible and direction-changing characters go, emoji sequences fall into their single parts.
 */
export const displayLines = (text: string): string => (suspicious.test(text) ? tame(text) : text)

/** One line made safe: like `displayLines`, with line breaks shown as `⏎`. */
export const displayText = (text: string): string =>
  suspicious.test(text) ? tame(text).replace(/\n/g, "⏎").replace(orphanMark, "") : text
