/** The grammar of `.env` files. */

export interface EnvFile {
  /** The last of several lines for one name wins. */
  readonly variables: Readonly<Record<string, string>>
  /** 1-based numbers of lines that are neither a variable nor a comment. */
  readonly ignored: ReadonlyArray<number>
}

const assignment = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/
const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", "\\": "\\", '"': '"', "'": "'" }
const doubleQuoted = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/
const singleQuoted = /^'([^']*)'\s*(?:#.*)?$/

const readValue = (text: string): string | null => {
  if (text.startsWith('"')) {
    const body = doubleQuoted.exec(text)?.[1]
    return body?.replaceAll(/\\(.)/g, (whole, letter: string) => escapes[letter] ?? whole) ?? null
  }
  if (text.startsWith("'")) return singleQuoted.exec(text)?.[1] ?? null
  for (let at = text.indexOf("#"); at !== -1; at = text.indexOf("#", at + 1)) {
    if (at === 0 || /\s/.test(text.charAt(at - 1))) return text.slice(0, at).trimEnd()
  }
  return text.trimEnd()
}

/**
 * Reads `NAME=value` lines; `export` before them is allowed.
 *
 * A `#` begins a comment at the start of a line, or after white space in a value without quotes. In double quotes `\n`,
 * `\r`, `\t`, `\\`, `\"` and `\'` are escapes; single quotes keep everything. Lines that are malformed, have text after a
 * closing quote or a quote that is not closed are left out and reported. Nothing is written into the process environment.
 */
export const parse = (text: string): EnvFile => {
  const variables = new Map<string, string>()
  const ignored: Array<number> = []
  for (const [index, line] of text.split(/\r\n|\n|\r/).entries()) {
    if (/^\s*(?:#.*)?$/.test(line)) continue
    const [, name, rest] = assignment.exec(line) ?? []
    const value = rest === undefined ? null : readValue(rest)
    if (name === undefined || value === null) ignored.push(index + 1)
    else variables.set(name, value)
  }
  return { variables: Object.fromEntries(variables), ignored }
}
