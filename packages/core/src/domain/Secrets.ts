import * as Redacted from "effect/Redacted"

/** Shorter values would be found inside ordinary words. */
const shortest = 8

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
