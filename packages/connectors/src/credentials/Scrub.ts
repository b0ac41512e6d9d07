import * as Redacted from "effect/Redacted"

/** Shorter values would be found inside ordinary words. */
const shortest = 8

const escaped = (secret: string): ReadonlyArray<string> => {
  const json = JSON.stringify(secret).slice(1, -1)
  return [secret, json, encodeURIComponent(secret), Buffer.from(secret).toString("base64")]
}

/**
 * A function that replaces every occurrence of the secrets' values with `***`: as they are, as JSON or a URL writes
 * them, and in base64. Longest first, so that no part of a longer secret stays.
 */
export const make = (secrets: ReadonlyArray<Redacted.Redacted<string>>): ((text: string) => string) => {
  const forms = new Set(
    secrets
      .map(Redacted.value)
      .filter((secret) => secret.length >= shortest)
      .flatMap(escaped)
  )
  const ordered = [...forms].sort((left, right) => right.length - left.length)
  return (text) => ordered.reduce((clean, form) => clean.replaceAll(form, "***"), text)
}
