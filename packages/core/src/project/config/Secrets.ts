/** Keeps secrets that are written into a config out of its snapshot. */

const hidden = "***"

/** `${env:NAME}` and its like: says where a secret is, and may be kept. */
export const isReference = (value: string): boolean => /^\s*\$\{\w+:[^}]*\}\s*$/.test(value)

const withoutUserInfo = (text: string): string => text.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/@\s]*@/i, `$1${hidden}@`)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const hide = (value: unknown): unknown => {
  if (typeof value === "string") return value.trim() === "" || isReference(value) ? value : hidden
  if (Array.isArray(value)) return value.map(hide)
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hide(item)])) : value
}

/** Keys whose values are secrets wherever they stand. Exact names: `max_tokens` is none. */
const secretKeys: ReadonlySet<string> = new Set([
  "api_key",
  "api_key_ref",
  "apikey",
  "authorization",
  "headers",
  "password",
  "secret",
  "token",
  "webhook"
])

/** `env` of a command holds secrets as often as not. */
const isSecretKey = (key: string, value: unknown): boolean =>
  secretKeys.has(key.toLowerCase()) || (key === "env" && isRecord(value))

/** A copy of a config in which literal secrets are replaced by `***`: keys, headers, variables, passwords in URLs. */
export const withoutSecrets = (value: unknown): unknown => {
  if (typeof value === "string") return withoutUserInfo(value)
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, isSecretKey(key, item) ? hide(item) : withoutSecrets(item)])
  )
}
