import * as Undici from "undici"
import * as BoundedBody from "./BoundedBody.ts"
import * as CallNotes from "./CallNotes.ts"

/** The type of `fetch` that provider packages take. */
export type Fetch = typeof globalThis.fetch

type Send = (
  url: string,
  init: Omit<RequestInit, "dispatcher"> & { readonly dispatcher: Undici.Dispatcher }
) => Promise<Response>

/** A redirect that was not followed: keys in headers must not travel to another address. */
export class RedirectError extends Error {
  readonly code = "ARENA_REDIRECT"
  readonly status: number
  constructor(status: number, location: string | null) {
    super(`the server redirects to ${location ?? "another address"}; set base_url to the final address`)
    this.status = status
  }
}

/** A successful response that cannot be an answer of a model API. */
export class ContentTypeError extends Error {
  readonly code = "ARENA_CONTENT_TYPE"
  constructor(contentType: string) {
    super(`the server answered with ${contentType} instead of JSON; check base_url`)
  }
}

const editedBody = (init: RequestInit | undefined, notes: CallNotes.CallNotes | undefined): string | undefined => {
  if (notes?.editBody == null || typeof init?.body !== "string") return undefined
  return JSON.stringify(notes.editBody(JSON.parse(init.body)))
}

const withoutUserInfo = (location: string | null, base: string): string | null => {
  if (location === null || !URL.canParse(location, base)) return null
  const url = new URL(location, base)
  return `${url.origin}${url.pathname}`
}

const isForeign = (contentType: string): boolean => /^(text\/html|image\/|audio\/|video\/)/i.test(contentType)

const bodyOf = (response: Response, notes: CallNotes.CallNotes | undefined): ReadableStream<Uint8Array> | null => {
  if (response.body === null) return null
  const onPiece = notes?.onActivity ?? (() => undefined)
  if (!response.ok) return BoundedBody.head(response.body, BoundedBody.errorBodyBytes)
  const streamed = (response.headers.get("content-type") ?? "").includes("event-stream")
  return BoundedBody.bound(response.body, streamed ? BoundedBody.eventStream : BoundedBody.wholeBody, onPiece)
}

const check = async (response: Response, url: string): Promise<void> => {
  const reject = async (error: Error): Promise<never> => {
    await response.body?.cancel().catch(() => undefined)
    throw error
  }
  if (response.status >= 300 && response.status < 400) {
    await reject(new RedirectError(response.status, withoutUserInfo(response.headers.get("location"), url)))
  }
  const contentType = response.headers.get("content-type") ?? ""
  if (response.ok && isForeign(contentType))
    await reject(new ContentTypeError(contentType.split(";")[0] ?? contentType))
}

/** A `fetch` that adds parameters to every address which does not say them itself. */
export const withQuery = (fetch: Fetch, query: Readonly<Record<string, string>>): Fetch => {
  const added = Object.entries(query)
  if (added.length === 0) return fetch
  return (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input))
    for (const [name, value] of added) if (!url.searchParams.has(name)) url.searchParams.set(name, value)
    return fetch(url, init)
  }
}

/**
 * A `fetch` over `dispatcher` that follows no redirects, bounds what it reads, and serves the notes of a call.
 */
export const make = (dispatcher: Undici.Dispatcher): Fetch => {
  // undici's own fetch: the one built into Node cannot be trusted with a dispatcher of another undici version. The two
  // sets of types describe the same standard, but do not know of each other.
  const send = Undici.fetch as unknown as Send
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    const notes = CallNotes.find(init?.signal)
    const body = editedBody(init, notes)
    const response = await send(url, {
      ...init,
      ...(body === undefined ? {} : { body }),
      redirect: "manual",
      dispatcher
    })
    if (notes !== undefined) notes.response = { status: response.status, headers: Object.fromEntries(response.headers) }
    await check(response, url)
    notes?.onActivity()
    return new Response(bodyOf(response, notes), {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers
    })
  }
}
