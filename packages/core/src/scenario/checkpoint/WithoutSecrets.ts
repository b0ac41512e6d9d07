/** Removes what may be a secret from data that is saved, wherever it hides. */
import type * as Redacted from "effect/Redacted"
import { scrubber } from "../../domain/Secrets.ts"

const secretName =
  /^(?:.*[_-])?(?:api[_-]?key|access[_-]?key|secret(?:[_-]?key)?|password|passwd|authorization|bearer|auth[_-]?token|access[_-]?token|private[_-]?key|credentials?)$/i

const camel = (name: string): string => name.replace(/([a-z])([A-Z])/g, "$1_$2")

/** A copy of a value without fields whose names tell of secrets, and without the secrets that are known, in any text. */
export const withoutSecrets = (
  value: unknown,
  secrets: Iterable<Redacted.Redacted<string>>,
  removed: (path: string) => void
): unknown => {
  const scrub = scrubber(secrets)
  const clean = (item: unknown, path: string): unknown => {
    if (typeof item === "string") return scrub(item)
    if (Array.isArray(item)) return item.map((inner, index) => clean(inner, `${path}[${index}]`))
    if (typeof item !== "object" || item === null) return item
    return Object.fromEntries(
      Object.entries(item).flatMap(([name, inner]) => {
        const at = path === "" ? name : `${path}.${name}`
        if (!secretName.test(camel(name))) return [[name, clean(inner, at)]]
        removed(at)
        return []
      })
    )
  }
  return clean(value, "")
}
