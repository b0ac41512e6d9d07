import * as Redacted from "effect/Redacted"

/** Shorter values would hit ordinary words. */
const minimumLength = 8

/** Removes every occurrence of a known secret from a text, by value. Longest first, so that no part of one survives. */
export const scrubber = (secrets: Iterable<Redacted.Redacted<string>>): ((text: string) => string) => {
  const values = [...new Set([...secrets].map((secret) => Redacted.value(secret)))]
    .filter((value) => value.length >= minimumLength)
    .toSorted((left, right) => right.length - left.length)
  if (values.length === 0) return (text) => text
  return (text) => values.reduce((clean, value) => clean.replaceAll(value, "***"), text)
}
