import { hash } from "node:crypto"

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const hasToJson = (value: object): value is { readonly toJSON: () => unknown } =>
  "toJSON" in value && typeof value.toJSON === "function"

const writeNumber = (value: number): string =>
  Number.isFinite(value) ? JSON.stringify(value === 0 ? 0 : value) : `{"number":"${value}"}`

const writeObject = (value: object): string => {
  if (hasToJson(value)) return write(value.toJSON())
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`
  if (value instanceof Map) return `{"map":${write([...value])}}`
  if (value instanceof Set) return `{"set":${write([...value])}}`
  let text = ""
  for (const [key, entry] of Object.entries(value).sort(([a], [b]) => compare(a, b))) {
    if (entry === undefined || typeof entry === "function") continue
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${write(entry)}`
  }
  return `{${text}}`
}

const write = (value: unknown): string => {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value)
    case "number":
      return writeNumber(value)
    case "boolean":
      return String(value)
    case "bigint":
      return `{"bigint":"${value}"}`
    case "object":
      return value === null ? "null" : writeObject(value)
    default:
      return "null"
  }
}

/**
 * JSON with sorted keys and without white space: equal for values that are equal as data, whatever order their keys
 * were written in. Absent and undefined fields are the same; -0 is 0; what JSON cannot hold has a form of its own.
 */
export const canonicalJson = (value: unknown): string => write(value)

/** SHA-256 (hex) of the canonical JSON of a value; decides whether something has changed since it was measured. */
export const ofValue = (value: unknown): string => hash("sha256", write(value), "hex")

/** SHA-256 (hex) of bytes or of a text as UTF-8. */
export const ofBytes = (content: string | Uint8Array): string => hash("sha256", content, "hex")
