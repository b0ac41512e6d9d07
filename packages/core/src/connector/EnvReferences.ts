import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { ConnectorError } from "./Connector.ts"

/** Texts with their `${env:NAME}` replaced, and the values that were put in, which are secrets. */
export interface Resolved<A> {
  readonly value: A
  readonly secrets: ReadonlyArray<Redacted.Redacted<string>>
}

const reference = /\$\{env:([A-Za-z_]\w*)\}/g

const resolveText = (
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  secrets: Array<Redacted.Redacted<string>>,
  missing: Set<string>
): string =>
  text.replace(reference, (_, name: string) => {
    const value = env[name]
    if (value === undefined || value === "") {
      missing.add(name)
      return ""
    }
    secrets.push(Redacted.make(value))
    return value
  })

/**
 * Replaces `${env:NAME}` anywhere in the values of a record (`Bearer ${env:TOKEN}` works). A variable that is unset or
 * empty fails with its name, never with a value; `where` says whose setting it is.
 */
export const resolveEnv = (
  record: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>>,
  where: string
): Result.Result<Resolved<Record<string, string>>, ConnectorError> => {
  const secrets: Array<Redacted.Redacted<string>> = []
  const missing = new Set<string>()
  const value = Object.fromEntries(
    Object.entries(record).map(([name, text]) => [name, resolveText(text, env, secrets, missing)])
  )
  if (missing.size === 0) return Result.succeed({ value, secrets })
  const names = [...missing].join(", ")
  return Result.fail(
    new ConnectorError({
      detail: `${where} refers to ${missing.size === 1 ? "a variable that is" : "variables that are"} not set: ${names}`,
      suggestion: `export ${names} or write ${missing.size === 1 ? "it" : "them"} in the project's .env`
    })
  )
}
