import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as GenerationErrors from "../../domain/GenerationError.ts"
import { GenerationError } from "../../domain/GenerationError.ts"
import { errorFromResponse } from "../HttpErrors.ts"
import { errorFromThrown } from "../ThrownError.ts"

/** Largest reply that is read, bytes after decompression. */
const maxReplyBytes = 10 * 1024 * 1024
const maxRedirects = 3
/** A connection that is not made within this time is not going to be, ms. */
const connectTimeoutMs = 10_000

export interface Exchange {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Posts over connections of its own, which are closed with the scope in which it was made. */
export interface HttpPoster {
  /** A reply with status 2xx; anything else fails. Interruption closes the connection. */
  readonly post: (exchange: Exchange) => Effect.Effect<Reply, GenerationError>
}

type Phase = { isAnswering: boolean }

const readBody = async (body: AsyncIterable<Uint8Array> | null): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size > maxReplyBytes) {
      const detail = `the reply is larger than ${maxReplyBytes / 1024 / 1024} MB`
      throw GenerationErrors.make({ reason: "malformed_response", detail })
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

/** Where a redirect may be followed to: the same origin, with a status that keeps the method. Anything else fails. */
const followed = (from: string, status: number, location: string | null): string => {
  const refuse = (why: string) =>
    GenerationErrors.make({ reason: "invalid_request", detail: `the server redirects ${why}`, status })
  if (location === null) throw refuse("without saying where to")
  const target = new URL(location, from)
  if (target.origin !== new URL(from).origin)
    throw refuse(`to ${target.origin}; write that address as url if it is meant`)
  if (status !== 307 && status !== 308) throw refuse(`to ${target.pathname} with a GET; write that address as url`)
  return target.href
}

/** A connection that breaks while the reply arrives has truncated it. */
const networkError = (thrown: unknown, phase: Phase, now: number): GenerationError => {
  const error = errorFromThrown(thrown, now, "connection")
  if (!phase.isAnswering || error.reason !== "connection") return error
  return GenerationErrors.make({ reason: "truncated", detail: `the reply broke off: ${error.detail}` })
}

/**
 * Makes a poster. The HTTP client is loaded here, so that a project without HTTP targets never pays for it. `scrub`
 * removes secrets from replies before anything is quoted from them: a piece of one would no longer be recognised.
 */
export const makeHttpPoster = Effect.fnUntraced(function* (scrub: (text: string) => string) {
  const { Agent, fetch } = yield* Effect.promise(() => import("./HttpClient.ts"))
  const dispatcher = yield* Effect.acquireRelease(
    // The time limits of a call are the engine's.
    Effect.sync(() => new Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: connectTimeoutMs } })),
    (agent) => Effect.promise(() => agent.destroy())
  )

  const exchange = async ({ url, headers, body }: Exchange, signal: AbortSignal, phase: Phase): Promise<Reply> => {
    let address = url
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      const init = { method: "POST", headers, body, signal, dispatcher, redirect: "manual" } as const
      const response = await fetch(address, init)
      phase.isAnswering = true
      if (response.status < 300 || response.status > 399 || response.status === 304) {
        const text = await readBody(response.body)
        return { status: response.status, headers: new Headers([...response.headers]), text }
      }
      await response.body?.cancel()
      phase.isAnswering = false
      address = followed(address, response.status, response.headers.get("location"))
    }
    throw GenerationErrors.make({ reason: "invalid_request", detail: `more than ${maxRedirects} redirects` })
  }

  const post = (request: Exchange): Effect.Effect<Reply, GenerationError> =>
    Effect.flatMap(Clock.Clock, (clock) => {
      const phase: Phase = { isAnswering: false }
      const reply = Effect.tryPromise({
        try: (signal) => exchange(request, signal, phase),
        catch: (thrown) =>
          thrown instanceof GenerationError ? thrown : networkError(thrown, phase, clock.currentTimeMillisUnsafe())
      })
      return Effect.flatMap(reply, ({ status, headers, text }) => {
        const body = scrub(text)
        return status >= 200 && status <= 299
          ? Effect.succeed({ status, headers, text: body })
          : Effect.fail(errorFromResponse({ status, headers, body, nowMs: clock.currentTimeMillisUnsafe() }))
      })
    })
  return { post } satisfies HttpPoster
})
