/** Texts with `{{path}}` in them, filled in from the state. `{{path | words}}` gives words for a missing value. */
import { textOf } from "../condition/Compared.ts"

/** A template taken apart once. */
export interface Template {
  readonly source: string
  readonly paths: ReadonlyArray<string>
  /** Paths without words for a missing value. */
  readonly required: ReadonlyArray<string>
  /** The text for a state; `missing` hears of paths without a value, which become nothing. */
  readonly render: (resolve: (path: string) => unknown, missing: (path: string) => void) => string
  /** The value itself when the template is one placeholder alone; else the text. */
  readonly value: (resolve: (path: string) => unknown, missing: (path: string) => void) => unknown
}

interface Placeholder {
  readonly path: string
  readonly fallback: string | null
}

const placeholder = /\{\{\s*([^{}|]+?)\s*(?:\|([^{}]*))?\}\}/g

const fill = (
  { fallback, path }: Placeholder,
  resolve: (path: string) => unknown,
  missing: (path: string) => void
): unknown => {
  const value = resolve(path)
  if (value !== undefined && value !== null) return value
  if (fallback !== null) return fallback
  missing(path)
  return value
}

const asText = (value: unknown): string => (value === undefined || value === null ? "" : textOf(value))

/** Takes a template apart. Braces that hold no path stay as they are. */
export const compileTemplate = (source: string): Template => {
  if (!source.includes("{{")) return { source, paths: [], required: [], render: () => source, value: () => source }
  const parts: Array<string | Placeholder> = []
  let end = 0
  for (const match of source.matchAll(placeholder)) {
    if (match.index > end) parts.push(source.slice(end, match.index))
    parts.push({ path: match[1] ?? "", fallback: match[2] === undefined ? null : match[2].trim() })
    end = match.index + match[0].length
  }
  if (end < source.length) parts.push(source.slice(end))
  const [only] = parts
  const render: Template["render"] = (resolve, missing) =>
    parts.map((part) => (typeof part === "string" ? part : asText(fill(part, resolve, missing)))).join("")
  return {
    source,
    paths: parts.flatMap((part) => (typeof part === "string" ? [] : [part.path])),
    required: parts.flatMap((part) => (typeof part === "string" || part.fallback !== null ? [] : [part.path])),
    render,
    value:
      parts.length === 1 && only !== undefined && typeof only !== "string"
        ? (resolve, missing) => fill(only, resolve, missing)
        : render
  }
}

const known = new Map<string, Template>()

/** `compileTemplate`, remembering what it has seen: templates are few and used often. */
export const templateOf = (source: string): Template => {
  const found = known.get(source)
  if (found !== undefined) return found
  const made = compileTemplate(source)
  if (known.size < 10_000) known.set(source, made)
  return made
}
