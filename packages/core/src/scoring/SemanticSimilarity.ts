/** How alike two texts are: by the words they share, or by vectors that somebody else computes. */
import { foldCase, foldTypography } from "./TextNormalisation.ts"
import { unspacedScripts } from "./WordBoundary.ts"

/** English words that say nothing about a text's subject. */
const stopWords = new Set(
  "a an and are as at be but by for from has have in is it its of on or that the this to was were will with".split(" ")
)

/** A word, or one character of a script that sets no spaces between words. */
const token = new RegExp(`${unspacedScripts}|(?:(?!${unspacedScripts})[\\p{L}\\p{M}\\p{N}])+`, "gu")

/** The distinct words of a text, stop words left out unless there is nothing else. */
export const wordsOf = (text: string): ReadonlySet<string> => {
  const all = new Set(foldCase(foldTypography(text)).replaceAll("'", "").match(token) ?? [])
  const content = new Set([...all].filter((word) => !stopWords.has(word)))
  return content.size > 0 ? content : all
}

/** Share of common words, 0..1: |A ∩ B| / √(|A|·|B|), the cosine of two sets. Zero when a text has no words. */
export const lexicalSimilarity = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  if (a.size === 0 || b.size === 0) return 0
  let common = 0
  for (const word of a) if (b.has(word)) common += 1
  return Math.min(1, common / Math.sqrt(a.size * b.size))
}

/** Numbers that stand for a text. */
export type Vector = ReadonlyArray<number>

/** A vector from what an embedding function returned, or what is wrong with it. */
export const readVector = (value: unknown): Vector | string => {
  const items: unknown =
    ArrayBuffer.isView(value) && !(value instanceof DataView) ? Array.from(Object.values(value)) : value
  if (!Array.isArray(items)) return "the embedding must be a list of numbers"
  if (items.length === 0) return "the embedding is empty"
  const numbers: ReadonlyArray<unknown> = items
  const isFinite = (item: unknown): item is number => typeof item === "number" && Number.isFinite(item)
  return numbers.every(isFinite) ? numbers : "the embedding contains something that is not a finite number"
}

/** Cosine of two vectors of one length, clamped to 0..1 (what points away from each other is not alike at all). */
export const cosineSimilarity = (a: Vector, b: Vector): number => {
  let dot = 0
  let squareA = 0
  let squareB = 0
  for (let i = 0; i < a.length; i++) {
    const x = a[i] ?? 0
    const y = b[i] ?? 0
    dot += x * y
    squareA += x * x
    squareB += y * y
  }
  const length = Math.sqrt(squareA) * Math.sqrt(squareB)
  return length > 0 && Number.isFinite(length) ? Math.min(1, Math.max(0, dot / length)) : 0
}
