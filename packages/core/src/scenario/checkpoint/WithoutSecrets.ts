/** Removes what may be a secret from data that is saved, wherever it hides. */
import type * as Redacted from "effect/Redacted"
import { scrubber } from "../../domain/Secrets.ts"
import { isReference, isSensitiveName, withoutUrlSecrets } from "../../domain/SecretText.ts"
import { isMapping } from "./SavedJson.ts"

/** Where anything may stand: names there are those of settings. Elsewhere they are names of nodes, fields and states. */
const freeForm = new Set(["metadata", "params", "arena:params"])

const bare = /^(?:.*[_-])?(?:api[_-]?key|passphrase|pwd|bearer)$/i

const camel = (name: string): string => name.replace(/([a-z])([A-Z])/g, "$1_$2")

const isSecretName = (name: string): boolean =>
  bare.test(camel(name)) || (isSensitiveName(camel(name)) && !/author(?!i)/i.test(name))

/** A text that could be the secret itself, not one that names it or is filled in later. */
const isLiteral = (value: unknown): boolean =>
  typeof value === "string" && value !== "" && !isReference(value) && !value.includes("{{")

/** `{name: Authorization, value: …}`, as lists of headers are written. */
const isSecretPair = (item: Readonly<Record<string, unknown>>): boolean =>
  isLiteral(item["value"]) && ["name", "key", "header"].some((key) => isSecretName(String(item[key] ?? "")))

/** Whether a value under a name that tells of secrets must go. Counts (`token_budget: 100`) and switches are none. */
const mustGo = (value: unknown, free: boolean): boolean => {
  if (!free) return isLiteral(value)
  return typeof value === "object" ? value !== null : isLiteral(value)
}

/**
 * A copy of a value without fields whose names tell of secrets, without credentials in addresses, and without the secrets
 * that are known, in any text or name. `removed` hears of every field that was left out.
 */
export const withoutSecrets = (
  value: unknown,
  secrets: Iterable<Redacted.Redacted<string>>,
  removed: (path: string) => void
): unknown => {
  const scrubKnown = scrubber(secrets)
  const scrub = (text: string): string => withoutUrlSecrets(scrubKnown(text))
  const fields = (item: Readonly<Record<string, unknown>>, path: string, free: boolean) =>
    Object.entries(item).flatMap(([name, inner]) => {
      const at = path === "" ? scrub(name) : `${path}.${scrub(name)}`
      const isSecret = (isSecretName(name) && mustGo(inner, free)) || (free && name === "value" && isSecretPair(item))
      if (!isSecret) return [[scrub(name), clean(inner, at, free || freeForm.has(name))]]
      removed(at)
      return []
    })
  const clean = (item: unknown, path: string, free: boolean): unknown => {
    if (typeof item === "string") return scrub(item)
    if (Array.isArray(item)) return item.map((inner, index) => clean(inner, `${path}[${index}]`, free))
    return isMapping(item) ? Object.fromEntries(fields(item, path, free)) : item
  }
  return clean(value, "", false)
}
