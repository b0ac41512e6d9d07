/** Values as they are compared: text forms, numbers. Nothing here throws. */
import type { Normaliser } from "./Primitive.ts"

/** A comparison that could not be made: it counts as "no", and the reason is kept. */
export class Fault {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

/** What a comparison said. */
export type Compared = boolean | Fault

/** A value named for a message. */
export const named = (value: unknown): string => {
  if (value === undefined) return "a missing value"
  if (value === null) return "null"
  if (Array.isArray(value)) return `a list of ${value.length}`
  return typeof value === "object" ? "a mapping" : `${typeof value} ${JSON.stringify(String(value).slice(0, 60))}`
}

/** A value as text: texts as they are, everything else as JSON. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

/** A number, or a text or boolean that stands for one; null when it is none. */
export const numberOf = (value: unknown): number | null => {
  if (typeof value === "number") return Number.isFinite(value) ? value : null
  if (typeof value === "boolean") return value ? 1 : 0
  if (typeof value !== "string") return null
  const trimmed = value.trim()
  return decimal.test(trimmed) ? Number(trimmed) : null
}

const asciiPunctuation = /[!-/:-@[-`{-~]/g

const step = (text: string, normaliser: Normaliser): string => {
  switch (normaliser) {
    case "lowercase":
      return text.toLowerCase()
    case "strip":
      return text.trim()
    case "remove_punctuation":
      return text.replace(asciiPunctuation, "")
    case "collapse_whitespace":
      return text.replace(/\s+/g, " ").trim()
    default:
      return Object.hasOwn(normaliser.synonyms, text) ? (normaliser.synonyms[text] ?? text) : text
  }
}

/** The text after all steps, in their order. */
export const normalised = (text: string, steps: ReadonlyArray<Normaliser>): string => {
  let result = text
  for (const normaliser of steps) result = step(result, normaliser)
  return result
}

/** Whether two values are equal as data. */
export const sameData = (left: unknown, right: unknown): boolean => {
  if (Object.is(left, right) || left === right) return true
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false
  if (Array.isArray(left) !== Array.isArray(right)) return false
  const keys = Object.keys(left)
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && sameData(Reflect.get(left, key), Reflect.get(right, key)))
  )
}
