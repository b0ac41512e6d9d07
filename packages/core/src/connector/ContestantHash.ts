import * as Redacted from "effect/Redacted"
import { ofValue } from "../domain/ContentHash.ts"
import type { ContestantSource } from "../domain/Contestant.ts"
import type { PriceCard } from "../domain/PriceCard.ts"
import { isReference, tellableHeader, withoutUrlSecrets } from "../domain/SecretText.ts"
import type { ProviderProfile } from "../domain/Settings.ts"
import type { ConnectorConfig } from "./Connector.ts"

const headersOf = (headers: Readonly<Record<string, string | Redacted.Redacted<string>>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      tellableHeader(name, typeof value === "string" ? value : Redacted.value(value))
    ])
  )

const addressOf = (address: string | null): string | null => (address === null ? null : withoutUrlSecrets(address))

const variablesOf = (env: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, tellableHeader(name, value)]))

/** Limits, retries and the place in the file change how a call is made, not what comes back. */
const profileInput = (profile: ProviderProfile) => {
  const reference = profile.apiKeyRef === null ? null : Redacted.value(profile.apiKeyRef)
  return {
    kind: profile.kind,
    baseUrl: addressOf(profile.baseUrl),
    apiKey: reference === null || isReference(reference) ? reference : "(literal)",
    headers: headersOf(profile.headers),
    package: profile.package
  }
}

const sourceInput = <R>(source: ContestantSource<R>): unknown => {
  switch (source._tag) {
    case "Url":
      return { ...source, url: withoutUrlSecrets(source.url), headers: headersOf(source.headers) }
    case "Command":
      return { ...source, env: variablesOf(source.env) }
    case "Model":
      return { ...source, apiBase: addressOf(source.apiBase) }
    case "Inline":
      // The text of the function is the best there is; what it closes over cannot be seen.
      return { _tag: source._tag, run: String(source.run) }
    default:
      return source
  }
}

/**
 * Hash of everything that can change an answer, or the price, of a contestant: source, kind, profile, model, params,
 * its own card and the content of its module (`moduleHash`, null when it has none). Secrets take part by the text of
 * their reference only, so a rotated key changes nothing.
 */
export const contestantHash = <R>(
  config: ConnectorConfig<R>,
  card: PriceCard | null,
  moduleHash: string | null
): string =>
  ofValue({
    source: sourceInput(config.source),
    kind: config.kind,
    profile: config.profile === null ? null : profileInput(config.profile),
    model: config.model,
    params: config.params,
    exposeReference: config.exposeReference,
    card,
    moduleHash
  })
