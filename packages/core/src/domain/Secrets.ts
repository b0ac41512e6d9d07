import * as Redacted from "effect/Redacted"

/** Shorter values would be found inside ordinary words, so they are not replaced. */
const shortest = 8

/** Whether one of the secrets is too short to be replaced where it is repeated. */
export const hasTooShort = (secrets: Iterable<Redacted.Redacted<string>>): boolean =>
  [...secrets].map(Redacted.value).some(({ length }) => length > 0 && length < shortest)

const forms = (secret: string): ReadonlyArray<string> => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret),
  Buffer.from(secret).toString("base64")
]

/**
 * A function that replaces every occurrence of the secrets' values with `***`: as they are, as JSON or a URL writes
 * them, and in base64. Longest first, so that no part of a longer secret stays.
 */
export const scrubber = (secrets: Iterable<Redacted.Redacted<string>>): ((text: string) => string) => {
  const values = [...secrets].map(Redacted.value).filter((secret) => secret.length >= shortest)
  const found = [...new Set(values.flatMap(forms))].toSorted((left, right) => right.length - left.length)
  if (found.length === 0) return (text) => text
  return (text) => found.reduce((clean, form) => clean.replaceAll(form, "***"), text)
}

/** The same value with every text in it scrubbed, however deep; for data without cycles. */
export const scrubTexts = <A>(value: A, scrub: (text: string) => string): A => {
  const clean = (part: unknown): unknown => {
    if (typeof part === "string") return scrub(part)
    if (Array.isArray(part)) return part.map(clean)
    if (typeof part !== "object" || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, clean(inner)]))
  }
  // Only texts change, so the shape is what it was.
  return clean(value) as A
}
