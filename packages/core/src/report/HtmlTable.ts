/** Tables of the HTML report. */
import { escapeMarkup } from "./MarkupText.ts"

/** `html` is already escaped. */
export interface Cell {
  readonly html: string
  readonly className?: string
}

export const text = (value: string, className?: string): Cell =>
  className === undefined ? { html: escapeMarkup(value) } : { html: escapeMarkup(value), className }

/** Aligned to the right. */
export const number = (value: string): Cell => text(value, "n")

const tag = (name: "td" | "th", { className, html }: Cell): string =>
  className === undefined ? `<${name}>${html}</${name}>` : `<${name} class="${className}">${html}</${name}>`

export const table = (headings: ReadonlyArray<Cell>, rows: ReadonlyArray<ReadonlyArray<Cell>>): string =>
  [
    "<table>",
    `<thead><tr>${headings.map((cell) => tag("th", cell)).join("")}</tr></thead>`,
    "<tbody>",
    ...rows.map((row) => `<tr>${row.map((cell) => tag("td", cell)).join("")}</tr>`),
    "</tbody></table>"
  ].join("\n")

/** Nothing without a body. */
export const section = (heading: string, body: string): string => (body === "" ? "" : `<h2>${heading}</h2>\n${body}`)
