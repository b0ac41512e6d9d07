/** Foreign text inside Markdown: shown as it is, interpreted as nothing. */
import { sanitiseLine } from "./Sanitise.ts"

const htmlEntities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

/** One line of text that neither ends a table cell nor starts any markup. */
export const escape = (text: string): string =>
  sanitiseLine(text)
    .replace(/[&<>]/g, (character) => htmlEntities[character] ?? character)
    .replace(/[\\`*[\]|~$]/g, "\\$&")
    // Between letters or digits an underscore means nothing, and names are full of them.
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\_")
    // A link that was only mentioned must not become one.
    .replace(/(https?|ftp):(?=\/\/)/gi, "$1&#58;")
    .replace(/\bwww\./gi, "www&#46;")
    .replace(/@/g, "&#64;")

/** `escape`, clipped to `length` characters before escaping. */
export const escapeClipped = (text: string, length: number): string => {
  const line = sanitiseLine(text)
  const characters = [...line]
  return escape(characters.length <= length ? line : `${characters.slice(0, length - 1).join("")}…`)
}

export interface MarkdownColumn {
  readonly heading: string
  readonly align?: "right"
}

/** A GFM table; headings and cells are already escaped. */
export const table = (columns: ReadonlyArray<MarkdownColumn>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const line = (cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`
  return [
    line(columns.map(({ heading }) => heading)),
    line(columns.map(({ align }) => (align === "right" ? "---:" : "---"))),
    ...rows.map(line)
  ].join("\n")
}

/** Joins what is not empty by blank lines; a section without content has no heading either. */
export const section = (heading: string, ...parts: ReadonlyArray<string>): string => {
  const body = parts.filter((part) => part !== "")
  return body.length === 0 ? "" : [`## ${heading}`, ...body].join("\n\n")
}
