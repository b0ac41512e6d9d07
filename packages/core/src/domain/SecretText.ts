/** Which configured texts hold secrets, and what may be said of them. */
import * as Redacted from "effect/Redacted"

type Secret = Redacted.Redacted<string>

/** A header, variable or query parameter whose value gives access to something. */
export const isSensitiveName = (name: string): boolean =>
  /auth|(?:^|[-_]|api|access|private)key$|token(?!s|iz)|secret|cookie|passw|credential|signature/i.test(name)

/** Whether a text names its secret (`${env:NAME}`, `${file:path}`) instead of containing it. */
export const isReference = (text: string): boolean => /^\s*(?:[A-Za-z]+ )?\$\{\w+:[^}]*\}\s*$/.test(text)

/** How a configured header may be told or hashed: a literal secret is left out. */
export const tellableHeader = (name: string, value: string): string =>
  isSensitiveName(name) && !isReference(value) ? "(literal)" : value

/**
 * The values of headers or variables that are secrets by their names although they are written literally; of `Bearer x`
 * the `x`, too, because a server that refuses it repeats it alone.
 */
export const namedSecrets = (values: Readonly<Record<string, string>>): ReadonlyArray<Secret> =>
  Object.entries(values)
    .filter(([name]) => isSensitiveName(name))
    .flatMap(([, value]) => [Redacted.make(value), Redacted.make(value.replace(/^\S+ +/, ""))])

/** A percent-encoded part of an address; one that is not encoded properly stands for itself. */
const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The credentials of an address, and every secret in it. */
export interface UserInfo {
  /** `user:password` as the value of an Authorization header; null = the address has neither. */
  readonly authorization: string | null
  readonly secrets: ReadonlyArray<Secret>
}

/** Reads the credentials of an address: its user and password, and query parameters that are secrets by their names. */
export const userInfoOf = (url: URL): UserInfo => {
  const username = decoded(url.username)
  const password = decoded(url.password)
  const query = namedSecrets(Object.fromEntries(url.searchParams))
  if (username === "" && password === "") return { authorization: null, secrets: query }
  const encoded = Buffer.from(`${username}:${password}`).toString("base64")
  const own = password === "" ? [username] : [password, url.password]
  return {
    authorization: `Basic ${encoded}`,
    secrets: [...[...own, encoded].map((text) => Redacted.make(text)), ...query]
  }
}

const hidden = "***"

const userInfo = /([a-z][a-z\d+.-]*:\/\/)[^/?#\s"'`]*@/gi
const queryParameter = /([?&])([^=&#\s]+)=([^&#\s"'`]+)/g

/** A text in which the addresses are without user, password and secret query parameters; references stay. */
export const withoutUrlSecrets = (text: string): string =>
  text
    .replace(userInfo, (whole, scheme: string) =>
      isReference(whole.slice(scheme.length, -1)) ? whole : `${scheme}${hidden}@`
    )
    .replace(queryParameter, (whole, mark: string, name: string, value: string) =>
      isSensitiveName(name) && !isReference(value) ? `${mark}${name}=${hidden}` : whole
    )
