/** Copying through the terminal (OSC 52): works over SSH, needs no program on either side. */

/** Terminals drop longer sequences without a word. */
export const clipboardLimit = 74_000

/** The sequence that puts text on the clipboard; null when it is too long for terminals to take. */
export const clipboardSequence = (text: string, insideTmux: boolean): string | null => {
  const encoded = Buffer.from(text, "utf8").toString("base64")
  if (encoded.length > clipboardLimit) return null
  const plain = `\u001b]52;c;${encoded}\u0007`
  // tmux takes the plain form when set-clipboard is on, and hands the wrapped one through when that is allowed.
  return insideTmux ? `${plain}\u001bPtmux;\u001b${plain}\u001b\\` : plain
}
