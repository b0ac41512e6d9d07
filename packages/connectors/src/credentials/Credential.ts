/** The key of one contestant: from its profile, its entry, or the usual variable of its provider. */
import { type ConnectorConfig, ConnectorError } from "@agent-arena/core/connector/Connector"
import { namedSecrets } from "@agent-arena/core/domain/SecretText"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Reference from "./Reference.ts"

type Secret = Redacted.Redacted<string>

const context = (config: ConnectorConfig): Reference.ReferenceContext => ({ env: config.env, root: config.root })

const fromReference = Effect.fnUntraced(function* (config: ConnectorConfig, reference: string) {
  const { text } = yield* Reference.resolve(reference.trim(), context(config))
  if (text !== "") return Redacted.make(text)
  return yield* new ConnectorError({ detail: "the credential is empty", suggestion: "set `api_key`" })
})

const fromVariable = (config: ConnectorConfig, name: string): Secret | null => {
  const value = config.env[name]?.trim() ?? ""
  return value === "" ? null : Redacted.make(value)
}

const missing = (name: string): ConnectorError =>
  new ConnectorError({
    detail: `${name} is not set`,
    suggestion: `export ${name}=…, or put it into the project's .env`
  })

/**
 * The credential in force: that of the profile, else the entry's `api_key_env`, else the first of `usual` that is set.
 * Null = none is named and none is usual. Fails when one is named, or `required`, and it is not there.
 */
export const find = Effect.fnUntraced(function* (
  config: ConnectorConfig,
  usual: ReadonlyArray<string>,
  required: boolean
): Effect.fn.Return<Secret | null, ConnectorError> {
  const reference = config.profile?.apiKeyRef ?? null
  if (reference !== null) {
    return yield* fromReference(config, Redacted.value(reference)).pipe(
      Effect.mapError(
        (error) =>
          new ConnectorError({
            detail: `provider ${config.profile?.id}: ${error.detail}`,
            suggestion: error.suggestion
          })
      )
    )
  }
  const named = config.source._tag === "Model" ? config.source.apiKeyEnv : null
  if (named !== null) return fromVariable(config, named) ?? (yield* missing(named))
  for (const name of usual) {
    const found = fromVariable(config, name)
    if (found !== null) return found
  }
  return required && usual[0] !== undefined ? yield* missing(usual[0]) : null
})

/**
 * Extra headers of the profile with their references replaced, and every secret in them: what was put in, and literals
 * that are secrets by the names of their headers. Other literals must not be cut out of answers.
 */
export const headers = Effect.fnUntraced(function* (config: ConnectorConfig) {
  const values: Record<string, string> = {}
  const secrets: Array<Secret> = []
  for (const [name, value] of Object.entries(config.profile?.headers ?? {})) {
    const resolved = yield* Reference.resolve(Redacted.value(value), context(config))
    values[name] = resolved.text
    secrets.push(...resolved.secrets)
  }
  secrets.push(...namedSecrets(values))
  return { values, secrets }
})
