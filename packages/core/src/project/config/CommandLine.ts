/**
 * Splits a command written as one text into program and arguments, without a shell.
 *
 * Words are separated by white space. Single quotes keep everything between them; double quotes too, but `\"` and `\\`
 * inside them stand for `"` and `\`; outside of quotes a backslash keeps the next character. Nothing is expanded:
 * no variables, no globs, no pipes.
 */
export const splitCommand = (text: string): ReadonlyArray<string> | { readonly problem: string } => {
  const words: Array<string> = []
  let word: string | null = null
  let quote: string | null = null
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    const next = text.charAt(at + 1)
    if (quote === null && /\s/.test(character)) {
      if (word !== null) words.push(word)
      word = null
    } else if (quote === null && (character === "'" || character === '"')) {
      quote = character
      word ??= ""
    } else if (character === quote) quote = null
    else if (character === "\\" && (quote === null ? next !== "" : quote === '"' && /["\\]/.test(next))) {
      word = (word ?? "") + next
      at++
    } else word = (word ?? "") + character
  }
  if (quote !== null) return { problem: `the quotation mark ${quote} is not closed` }
  if (word !== null) words.push(word)
  return words
}

const shellWords = /^(?:\|\|?|&&?|;|\d*>>?|<)$/

/** The first word that only a shell would understand. */
export const shellWord = (words: ReadonlyArray<string>): string | null =>
  words.find((word) => shellWords.test(word)) ?? null
