/** Cuts a YAML file into the items of its one big list and the frame around it, without parsing it. */

export interface YamlList {
  /** Key under which the list stands; null when the file is the list. */
  readonly key: string | null
  /** Offsets of the list in the text. */
  readonly start: number
  readonly end: number
  /** Offsets at which items begin (at the indentation of their dash); each ends where the next begins. */
  readonly items: ReadonlyArray<number>
}

/** Document markers and directives change what the lines mean. */
const marker = /^(?:---|\.\.\.|%)/m

const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf("\n", at)
  return end === -1 ? text.length : end + 1
}

/** Indentation of the line at `at` and the first character of its content; "" for blank lines and comments. */
const look = (text: string, at: number): { readonly indent: number; readonly first: string } => {
  let indent = 0
  while (text.charCodeAt(at + indent) === 0x20) indent++
  const first = text.charAt(at + indent)
  return { indent, first: first === "#" || first === "\n" || first === "\r" ? "" : first }
}

const nextContent = (text: string, from: number): number => {
  let at = from
  while (at < text.length && look(text, at).first === "") at = lineEnd(text, at)
  return at
}

const isDash = (text: string, at: number): boolean => text[at] === "-" && /[ \n]/.test(text[at + 1] ?? "\n")

const cut = (text: string, start: number, key: string | null): YamlList | null => {
  const { indent } = look(text, start)
  const items: Array<number> = []
  let at = start
  for (; at < text.length; at = lineEnd(text, at)) {
    const line = look(text, at)
    if (line.first === "" || line.indent > indent) continue
    if (line.indent === indent && isDash(text, at + indent)) items.push(at)
    else if (line.indent === 0 && key !== null) break
    else return null
  }
  return items.length === 0 ? null : { key, start, end: at, items }
}

/**
 * The list of a file that is a block list, or a mapping with a block list under one of `keys`; null when the text is
 * anything else. Lines of an item are always indented further than its dash, so that cutting at dashes of one
 * indentation is safe; what is wrong inside an item shows when it is parsed.
 */
export const findList = (text: string, keys: ReadonlyArray<string>): YamlList | null => {
  if (marker.test(text)) return null
  const begin = nextContent(text, 0)
  if (isDash(text, begin + look(text, begin).indent)) return cut(text, begin, null)
  for (let at = begin; at < text.length; at = lineEnd(text, at)) {
    const line = text.slice(at, lineEnd(text, at))
    const key = keys.find((name) => line.startsWith(`${name}:`))
    if (key === undefined) continue
    if (!/^\s*(?:#.*)?$/.test(line.slice(key.length + 1))) return null
    const start = nextContent(text, at + line.length)
    return start < text.length && isDash(text, start + look(text, start).indent) ? cut(text, start, key) : null
  }
  return null
}
