// What `JSON.stringify` leaves as it is although a terminal would act on it: C1 controls, DEL, bidi and line separators.
const active = /[\u007f-\u009f\p{Bidi_Control}\u2028\u2029\ufeff]/gu

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** JSON that means the same as that of `JSON.stringify` and is safe to print on a terminal. */
export const stringify = (value: unknown, indent = 0): string =>
  (JSON.stringify(value, null, indent) ?? "null").replace(active, escaped)
