/** Keeps secrets that are written into a config out of its snapshot. */
import { withoutUrlSecrets } from "../../domain/SecretText.ts"

const hidden = "***"

/** `${env:NAME}` and its like: says where a secret is, and may be kept. */
export const isReference = (value: string): boolean => /^\s*\$\{\w+:[^}]*\}\s*$/.test(value)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const hide = (value: unknown): unknown => {
  if (typeof value === "string") return value.trim() === "" || isReference(value) ? value : hidden
  if (Array.isArray(value)) return value.map(hide)
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hide(item)])) : value
}

/** Keys whose values are secrets wherever they stand. Whole words at the end: `max_tokens` and `api_key_env` are none. */
const secretKey =
  /(?:^|[-_])(?:api[-_]?key(?:[-_]ref)?|access[-_]?key|private[-_]?key|authorization|headers|password|passwd|secret|token|credentials?|webhook)$/i

/** `env` of a command holds secrets as often as not. */
const isSecretKey = (key: string, value: unknown): boolean => secretKey.test(key) || (key === "env" && isRecord(value))

/** A copy of a config in which literal secrets are replaced by `***`: keys, headers, variables, passwords in URLs. */
export const withoutSecrets = (value: unknown): unknown => {
  if (typeof value === "string") return withoutUrlSecrets(value)
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, isSecretKey(key, item) ? hide(item) : withoutSecrets(item)])
  )
}
