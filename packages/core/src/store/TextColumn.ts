/**
 * Text that survives a text column. SQLite stores UTF-8, which has no lone surrogates, and its shell stops at NUL; such
 * text is stored as its JSON form behind a mark. Everything else is stored as it is.
 */
const mark = "\u0001"

/** Whether the text can be stored as it is. */
export const isPlain = (text: string): boolean => text.isWellFormed() && !text.includes("\0")

export const encode = (text: string): string =>
  isPlain(text) && !text.startsWith(mark) ? text : mark + JSON.stringify(text)

/** The inverse of `encode`. */
export const decode = (stored: string): string => {
  if (!stored.startsWith(mark)) return stored
  const text: unknown = JSON.parse(stored.slice(mark.length))
  return typeof text === "string" ? text : stored
}

export const encodeNullable = (text: string | null): string | null => (text === null ? null : encode(text))
export const decodeNullable = (stored: string | null): string | null => (stored === null ? null : decode(stored))
