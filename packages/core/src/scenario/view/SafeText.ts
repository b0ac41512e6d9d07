/** A text on one line, without control characters: scenario files come from anywhere, and a terminal obeys. */
export const sanitiseLine = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, " ")
