/** Foreign text inside HTML and XML. */
import { sanitise } from "./Sanitise.ts"

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Text for an element or a quoted attribute: no markup, no characters that XML forbids. */
export const escapeMarkup = (text: string): string =>
  sanitise(text)
    .replace(/[\ufffe\uffff]/g, "")
    .replace(/[&<>"']/g, (character) => entities[character] ?? character)

/** `escapeMarkup` of at most `length` characters. */
export const escapeMarkupClipped = (text: string, length: number): string => {
  const characters = [...sanitise(text)]
  return escapeMarkup(characters.length <= length ? text : `${characters.slice(0, length - 1).join("")}…`)
}
