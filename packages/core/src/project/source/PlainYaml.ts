/**
 * A quick reader for the plain part of YAML that case files are mostly written in: block mappings and lists, scalars on
 * one line, literal blocks, short flow lists and mappings. Whatever is not plainly that is declined, never guessed, and
 * is left to the real parser, which is thirty times slower.
 */

interface Line {
  indent: number
  text: string
}

/** Deeper values are left to the real parser, which knows how to complain. */
const maxPlainDepth = 20

class Declined extends Error {}

const decline = (): never => {
  throw new Declined()
}

const keyed = /^([A-Za-z_][\w.-]*):(?: +(.*))?$/
const quickString = /^"[^"\\]*"$/
const jsonString = /^"(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"$/
const singleQuoted = /^'(?:[^']|'')*'$/
const indicator = /^[?:,[\]{}#&*!|>'"%@`]/
/** Everything that YAML's core schema could read as a number, and more. */
const numberLike = /^(?:[-+]?[\d.]+(?:e[-+]?\d+)?|0[ox][\da-f]+|[-+]?\.(?:inf|nan))$/i
const integer = /^[-+]?\d{1,15}$/
const decimal = /^[-+]?(?:\.\d+|\d+\.\d*)$/
const word = /^(?:~|null|true|false)$/i

/** Only numbers that are written as JavaScript writes them, so that the text of an id or input is not lost. */
const plainNumber = (text: string): number => {
  const value = integer.test(text) || decimal.test(text) ? Number(text) : decline()
  return String(value) === text ? value : decline()
}

const plainScalar = (text: string): unknown => {
  if (text === "" || text === "-" || text.startsWith("- ") || indicator.test(text)) return decline()
  if (text.includes(": ") || text.includes(" #") || text.includes("\t") || text.endsWith(":")) return decline()
  if (numberLike.test(text)) return plainNumber(text)
  if (!word.test(text)) return text
  switch (text) {
    case "~":
    case "null":
      return null
    case "true":
      return true
    default:
      return text === "false" ? false : decline()
  }
}

/** Without the spaces around it; other white space is content. */
const trimSpaces = (text: string): string => text.replace(/^ +/, "").replace(/(?<! ) +$/, "")

/** What follows a dash. */
const afterDash = (text: string): string => text.slice(1).replace(/^ +/, "")

const isScalarList = (value: unknown): value is ReadonlyArray<unknown> =>
  Array.isArray(value) &&
  value.every(
    (item) => typeof item === "string" || typeof item === "boolean" || item === null || Number.isSafeInteger(item)
  )

const flowScalar = (text: string): unknown => (/[[\]{}"'`,]/.test(text) ? decline() : plainScalar(text))

const flowList = (text: string): unknown => {
  const body = trimSpaces(text.slice(1, -1))
  if (body === "") return []
  if (body.includes('"')) {
    const value: unknown = /^[^\\\t]*$/.test(body) ? parseJson(text) : decline()
    return isScalarList(value) ? value : decline()
  }
  return body.split(",").map((item) => flowScalar(trimSpaces(item)))
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return decline()
  }
}

const flowMap = (text: string): unknown => {
  const body = trimSpaces(text.slice(1, -1))
  const map: Record<string, unknown> = {}
  for (const pair of body === "" ? [] : body.split(",")) {
    const [, key, value] = keyed.exec(trimSpaces(pair)) ?? []
    if (key === undefined || value === undefined || Object.hasOwn(map, key)) return decline()
    map[key] = flowScalar(trimSpaces(value))
  }
  return map
}

const inline = (text: string): unknown => {
  switch (text.charAt(0)) {
    case '"':
      if (quickString.test(text)) return text.includes("\t") ? decline() : text.slice(1, -1)
      return jsonString.test(text) ? parseJson(text) : decline()
    case "'":
      return singleQuoted.test(text) ? text.slice(1, -1).replaceAll("''", "'") : decline()
    case "[":
      return text.endsWith("]") ? flowList(text) : decline()
    case "{":
      return text.endsWith("}") ? flowMap(text) : decline()
    default:
      return plainScalar(text)
  }
}

class Reader {
  #at = 0
  #depth = 0
  readonly #lines: Array<Line>

  constructor(lines: Array<Line>) {
    this.#lines = lines
  }

  get done(): boolean {
    this.#skip()
    return this.#at >= this.#lines.length
  }

  #skip(): void {
    for (let line = this.#lines[this.#at]; line !== undefined; line = this.#lines[++this.#at]) {
      if (line.text !== "" && !line.text.startsWith("#")) return
    }
  }

  /** The next line with content, which is not consumed. */
  #peek(): Line | undefined {
    this.#skip()
    return this.#lines[this.#at]
  }

  /** A mapping or list whose lines begin at `indent`. */
  block(indent: number): unknown {
    const line = this.#peek()
    if (line === undefined || line.indent !== indent || this.#depth > maxPlainDepth) return decline()
    this.#depth++
    const value = line.text.startsWith("- ")
      ? this.#list(indent)
      : keyed.test(line.text)
        ? this.#map(indent)
        : decline()
    this.#depth--
    return value
  }

  #list(indent: number): unknown {
    const items: Array<unknown> = []
    for (let line = this.#peek(); line?.indent === indent && line.text.startsWith("- "); line = this.#peek()) {
      const text = afterDash(line.text)
      if (text.startsWith("- ") || text.startsWith("#")) return decline()
      line.indent += line.text.length - text.length
      line.text = text
      if (keyed.test(text)) items.push(this.block(line.indent))
      else {
        this.#at++
        items.push(inline(text))
        if ((this.#peek()?.indent ?? 0) > indent) return decline()
      }
    }
    return items
  }

  #map(indent: number): unknown {
    const map: Record<string, unknown> = {}
    for (let line = this.#peek(); line?.indent === indent; line = this.#peek()) {
      const [, key, value = ""] = keyed.exec(line.text) ?? []
      if (key === undefined) break
      if (key === "__proto__" || Object.hasOwn(map, key)) return decline()
      this.#at++
      map[key] = this.#value(indent, value)
    }
    return map
  }

  #value(indent: number, text: string): unknown {
    if (text === "|" || text === "|-") return this.#literal(indent, text === "|")
    const next = text === "" || text.startsWith("#") ? this.#peek() : undefined
    if (text.startsWith("#")) return decline()
    if (text === "") {
      if (next === undefined || next.indent < indent) return null
      if (next.indent === indent) return next.text.startsWith("- ") ? this.block(indent) : null
      return this.block(next.indent)
    }
    const value = inline(text)
    return (this.#peek()?.indent ?? 0) > indent ? decline() : value
  }

  /** A literal block under a key at `indent`; with `clip` it ends with one line break. */
  #literal(indent: number, clip: boolean): string {
    const first = this.#lines[this.#at]
    if (first === undefined || first.text === "" || first.indent <= indent) return decline()
    const margin = first.indent
    const body: Array<string> = []
    for (let line = this.#lines[this.#at]; line !== undefined; line = this.#lines[++this.#at]) {
      if (line.text === "") {
        if (line.indent > margin) return decline()
        body.push("")
      } else if (line.indent <= indent) break
      else if (line.indent < margin) return decline()
      else body.push(" ".repeat(line.indent - margin) + line.text)
    }
    while (body.at(-1) === "") body.pop()
    return body.join("\n") + (clip ? "\n" : "")
  }
}

/** Lines with their indentation; trailing blanks are kept in literal blocks, so they are declined elsewhere. */
const split = (text: string): Array<Line> =>
  text.split("\n").map((line) => {
    let indent = 0
    while (line.charCodeAt(indent) === 0x20) indent++
    return { indent, text: line.slice(indent) }
  })

/** Carriage returns, tabs at the start of lines, and blanks at the end of lines are for the real parser. */
const unusual = /\r|\n[ ]*\t|[ \t](?:\n|$)/

/**
 * The value of a list with one item, as it is cut out of a file: `  - id: x` and its further lines, with the final line
 * break. Undefined when the text is not plain; then only the real parser can tell what it means.
 */
export const readItem = (text: string): { readonly value: unknown; readonly offset: number } | undefined => {
  if (!text.endsWith("\n") || unusual.test(text)) return undefined
  const lines = split(text)
  const [first] = lines
  const content = first === undefined || !first.text.startsWith("- ") ? "" : afterDash(first.text)
  if (first === undefined || content === "") return undefined
  first.indent += first.text.length - content.length
  first.text = content
  try {
    const reader = new Reader(lines)
    const value = reader.block(first.indent)
    return reader.done ? { value, offset: first.indent } : undefined
  } catch (error) {
    if (error instanceof Declined) return undefined
    throw error
  }
}
