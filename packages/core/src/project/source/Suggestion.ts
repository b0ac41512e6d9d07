/** Wording of problems: what a person probably meant, and how a wrong value is shown. */
import { didYouMean } from "../../domain/DidYouMean.ts"

const longestShown = 60

/** Longer words are not compared: the distance is quadratic. */
const longestWord = 100
/** Among more words than this the search would take too long. */
const mostCompared = 5000
/** More words are not listed. */
const mostListed = 20

/** `did you mean "constraints"?`, else the known words when they are few, else null. */
export const suggest = (word: string, known: ReadonlyArray<string>, listing: string): string | null => {
  const near = word.length > longestWord || known.length > mostCompared ? null : didYouMean(word, known)
  if (near !== null) return near
  return known.length === 0 || known.length > mostListed ? null : `${listing}: ${known.join(", ")}`
}

/** A value as it may stand in a message: short, on one line, without control characters. */
export const show = (value: unknown): string => {
  if (value === null || value === undefined) return "nothing"
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list"
  if (typeof value === "object") return "a mapping"
  if (typeof value !== "string") return String(value)
  return quote(value)
}

/** `"text"`, shortened and escaped. */
export const quote = (text: string): string =>
  JSON.stringify(text.length > longestShown ? `${text.slice(0, longestShown)}…` : text).replaceAll(
    /[\u007f-\u009f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )
