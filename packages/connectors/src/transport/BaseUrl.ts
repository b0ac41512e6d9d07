import { userInfoOf } from "@agent-arena/core/domain/SecretText"
import type * as Redacted from "effect/Redacted"

/** An address split into what a provider package takes, and the credentials that must not stay in it. */
export interface BaseUrl {
  /** Without trailing slash, query and credentials. */
  readonly url: string
  readonly query: Readonly<Record<string, string>>
  /** `user:password` of the address, as the value of an Authorization header; null = none. */
  readonly authorization: string | null
  /** Every secret of the address: its password, and query parameters that are secrets by their names. */
  readonly secrets: ReadonlyArray<Redacted.Redacted<string>>
}

const endpoints = /\/(chat\/completions|responses|messages)$/

/**
 * Reads a `base_url`. A full endpoint (`…/chat/completions`) is taken as it is; else `version` (for example `/v1`) is
 * added unless the path already has a version segment. Null = not an http(s) address.
 */
export const parse = (text: string, version: string): BaseUrl | null => {
  const trimmed = text.trim()
  if (!URL.canParse(trimmed)) return null
  const url = new URL(trimmed)
  if (url.protocol !== "http:" && url.protocol !== "https:") return null
  const path = url.pathname.replace(/\/+$/, "")
  const explicit = endpoints.test(path)
  const versioned = /\/v\d+[a-z0-9]*(\/|$)/.test(path)
  return {
    url: `${url.origin}${explicit ? path.replace(endpoints, "") : versioned ? path : `${path}${version}`}`,
    query: Object.fromEntries(url.searchParams),
    ...userInfoOf(url)
  }
}
