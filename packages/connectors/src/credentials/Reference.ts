/** Credential references: `${env:NAME}`, `${file:path}`, `${keyring:service/account}`, `${cmd:program args}`. */

import { ConnectorError } from "@agent-arena/core/connector/Connector"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as SecretSource from "./SecretSource.ts"

/** Where references are looked up. */
export interface ReferenceContext {
  /** Variables of the process over those of the project's `.env`. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute project folder, for relative paths. */
  readonly root: string
}

const pattern = /\$\{([a-z]+):([^}]*)\}/g
const schemes = ["env:NAME", "file:path", "keyring:service/account", "cmd:program args"]
  .map((form) => `\${${form}}`)
  .join(", ")

const fail = (detail: string, suggestion: string) => new ConnectorError({ detail, suggestion })

const lookUp = (scheme: string, name: string, context: ReferenceContext): Effect.Effect<string, ConnectorError> => {
  switch (scheme) {
    case "env": {
      const value = context.env[name]?.trim() ?? ""
      return value === ""
        ? Effect.fail(fail(`${name} is not set`, `export ${name}=…, or put it into the project's .env`))
        : Effect.succeed(value)
    }
    case "file":
      return SecretSource.fromFile(name, context)
    case "keyring":
      return SecretSource.fromKeyring(name, context)
    case "cmd":
      return SecretSource.fromCommand(name, context)
  }
  return Effect.fail(fail(`\${${scheme}:…} is not a known reference`, `use ${schemes}`))
}

/** Whether a text contains a reference. */
export const isReference = (text: string): boolean => text.search(pattern) !== -1

/** A text whose references were replaced, and the secrets that went into it. */
export interface Resolved {
  readonly text: string
  readonly secrets: ReadonlyArray<Redacted.Redacted<string>>
}

/**
 * Replaces every reference of a text (`Bearer ${env:TOKEN}` works); a text without any is itself. Fails with
 * `ConnectorError` naming the reference, never a value, when one resolves to nothing.
 */
export const resolve = Effect.fnUntraced(function* (text: string, context: ReferenceContext) {
  const secrets: Array<Redacted.Redacted<string>> = []
  let resolved = ""
  let end = 0
  for (const match of text.matchAll(pattern)) {
    const [whole, scheme = "", name = ""] = match
    const value = yield* lookUp(scheme, name.trim(), context)
    secrets.push(Redacted.make(value))
    resolved += text.slice(end, match.index) + value
    end = match.index + whole.length
  }
  const result: Resolved = { text: resolved + text.slice(end), secrets }
  return result
})
