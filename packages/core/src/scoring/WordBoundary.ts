/** Where words begin and end, for all scripts. */

const wordChar = /^[\p{L}\p{M}\p{N}]$/u
/** A class of characters of scripts that are written without spaces: their words have no boundaries to look for. */
export const unspacedScripts =
  "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]"
const unspaced = new RegExp(`^${unspacedScripts}$`, "u")
const digit = /^\p{Nd}$/u

const isAsciiWord = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57)

const charAt = (text: string, at: number): string => {
  const code = text.codePointAt(at)
  return code === undefined ? "" : String.fromCodePoint(code)
}

/** The whole character that ends before an index. */
const charBefore = (text: string, end: number): string => {
  if (end <= 0) return ""
  const low = text.charCodeAt(end - 1)
  return low >= 0xdc00 && low <= 0xdfff && end >= 2 ? charAt(text, end - 2) : text.charAt(end - 1)
}

const isWord = (char: string): boolean => {
  if (char === "") return false
  const code = char.charCodeAt(0)
  return code < 128 ? isAsciiWord(code) : wordChar.test(char) && !unspaced.test(char)
}

/** Whether `text[start..end)` is set apart from the words and numbers around it. */
export const standsAlone = (text: string, start: number, end: number): boolean => {
  const first = charAt(text, start)
  const last = charBefore(text, end)
  const before = charBefore(text, start)
  const after = charAt(text, end)
  if (isWord(first) && isWord(before)) return false
  if (isWord(last) && isWord(after)) return false
  if (digit.test(first) && (before === "." || before === ",") && digit.test(charBefore(text, start - 1))) return false
  return !(digit.test(last) && (after === "." || after === ",") && digit.test(charAt(text, end + 1)))
}

/** Whether a phrase occurs in a text as whole words. */
export const includesWhole = (text: string, phrase: string): boolean => {
  for (let at = text.indexOf(phrase); at !== -1; at = text.indexOf(phrase, at + 1)) {
    if (standsAlone(text, at, at + phrase.length)) return true
  }
  return false
}
