/** What the header of a CSV file means. */
import { quote, suggest } from "../source/Suggestion.ts"
import { entryKeys } from "./CaseFile.ts"

/** Where the cells of a column go. `group` is set for `metadata.x` and `params.x`. */
export interface Column {
  readonly name: string
  readonly group: "metadata" | "params" | null
  readonly key: string
}

/** Keys of a case that a cell cannot hold. */
const notInCells: ReadonlySet<string> = new Set([
  "messages",
  "scorers",
  "metadata",
  "params",
  "options",
  "response_format"
])
const cellKeys = entryKeys.filter((key) => !notInCells.has(key))
const groups: Readonly<Record<string, "metadata" | "params">> = {
  metadata: "metadata",
  params: "params",
  options: "params"
}

/** A header's column, or what is wrong with its name. */
export const readColumn = (
  written: string
): Column | { readonly message: string; readonly suggestion: string | null } => {
  const name = written.trim()
  const dot = name.indexOf(".")
  const group = dot === -1 ? undefined : groups[name.slice(0, dot)]
  const key = group === undefined ? name : name.slice(dot + 1)
  if (name === "") return { message: "a column without a name", suggestion: null }
  if (key === "__proto__") return { message: `the name ${quote(name)} is not allowed`, suggestion: null }
  if (group !== undefined && key !== "") return { name, group, key }
  if (cellKeys.includes(name)) return { name, group: null, key: name }
  const advice = notInCells.has(name)
    ? "use a YAML or JSONL file for it"
    : (suggest(name, cellKeys, "known columns") ?? `did you mean "metadata.${name}"?`)
  return { message: `unknown column ${quote(name)}`, suggestion: advice }
}

const numbers: ReadonlySet<string> = new Set(["weight", "max_tokens", "temperature"])
const flags: ReadonlySet<string> = new Set(["enabled", "skip"])

/** JSON where it is JSON but a text: options of scorers are numbers, booleans and lists as often as texts. */
const parseOption = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The value of a cell that is not empty. What cannot be converted stays text, and the schema complains. */
export const readCell = (column: Column, text: string): unknown => {
  if (column.group === "params") return parseOption(text)
  if (column.group === "metadata") return text
  if (numbers.has(column.key)) {
    const value = Number(text)
    return text.trim() === "" || !Number.isFinite(value) ? text : value
  }
  if (flags.has(column.key)) return /^true$/i.test(text) ? true : /^false$/i.test(text) ? false : text
  if (column.key === "tags") return text.split(";").flatMap((tag) => (tag.trim() === "" ? [] : [tag.trim()]))
  return text
}
