/**
 * The one boundary between foreign text (model output, file contents, error messages) and a terminal.
 *
 * What passes through here can move no cursor, set no title, colour nothing, ring no bell and reorder no line.
 */

// A CSI sequence; a terminated string sequence (OSC, DCS, SOS, PM, APC) with its content, or its introducer alone when
// nothing terminates it; any other escape sequence. No class contains an introducer, so the search stays linear.
const escapeSequence = new RegExp(
  [
    "(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]?",
    "(?:\\u001b[\\]PX^_]|[\\u0090\\u0098\\u009d-\\u009f])(?:[^\\u0007\\u001b\\u0080-\\u009f]*(?:\\u0007|\\u009c|\\u001b\\\\))?",
    "\\u001b[ -/]*[0-~]?"
  ].join("|"),
  "g"
)

// Control characters without tab and line feed; directional formatting; the BOM; invisible tag characters.
const unsafe = /(?![\t\n])\p{Cc}|[\p{Bidi_Control}\ufeff\u{e0000}-\u{e007f}]/gu

/** Text for a terminal that may have several lines: line ends are `\n`, tabs are kept. */
export const sanitise = (text: string): string =>
  text
    .replace(escapeSequence, "")
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(unsafe, "")
    .toWellFormed()

/** Text for one line: white space collapsed, ends trimmed. */
export const sanitiseLine = (text: string): string => sanitise(text).replace(/\s+/gu, " ").trim()
