/** A text on one line, without control characters: scenario files come from anywhere, and a terminal obeys. */
export const sanitiseLine = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, " ").toWellFormed()

/** The beginning of a text, at most `width` long with the ellipsis; no character is cut in two. */
export const clip = (text: string, width: number): string => {
  if (text.length <= width) return text
  const code = text.charCodeAt(width - 2)
  const inPair = code >= 0xd800 && code <= 0xdbff
  return `${text.slice(0, inPair ? width - 2 : width - 1)}…`
}
