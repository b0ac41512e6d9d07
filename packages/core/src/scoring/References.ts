/** References as lists: a list in a case means that any of its items is right. */
import { scalarText } from "./ScorerParams.ts"

/** The alternatives of a reference. */
export const alternatives = (reference: unknown): ReadonlyArray<unknown> =>
  Array.isArray(reference) ? reference : [reference]

/** The alternatives as texts. Reports an empty list, and items that are no text, number or boolean. */
export const textAlternatives = (reference: unknown, problem: (text: string) => void): ReadonlyArray<string> => {
  const items = alternatives(reference)
  if (items.length === 0) problem("the reference is an empty list, which nothing can match")
  return items.flatMap((item) => {
    const text = scalarText(item)
    if (text === null)
      problem(`the reference must be text, a number, true or false, or a list of them; got ${kind(item)}`)
    return text === null ? [] : [text]
  })
}

const kind = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "a list in a list"
  return typeof value === "object" ? "a mapping" : String(value)
}
