/** `GET /models` of OpenAI-compatible servers: is it there, and does it serve the model? */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Setup } from "../kinds/KindSpec.ts"

/** Time that the server has to answer, ms. */
const limitMs = 5000
/** Ids named in a reason. */
const mostNamed = 6

type Reply =
  | { readonly _tag: "Status"; readonly status: number }
  | { readonly _tag: "Models"; readonly ids: ReadonlyArray<string> }
  | { readonly _tag: "Unreadable" }

const headersOf = (setup: Setup): Record<string, string> => ({
  ...(setup.key === null ? {} : { authorization: `Bearer ${setup.key}` }),
  ...setup.headers
})

const idsOf = (body: unknown): ReadonlyArray<string> | null => {
  const list =
    typeof body === "object" && body !== null && "data" in body
      ? body.data
      : typeof body === "object" && body !== null && "models" in body
        ? body.models
        : body
  if (!Array.isArray(list)) return null
  return list.flatMap((item: unknown) => {
    if (typeof item === "string") return [item]
    if (typeof item !== "object" || item === null) return []
    if ("id" in item && typeof item.id === "string") return [item.id]
    return "name" in item && typeof item.name === "string" ? [item.name] : []
  })
}

const ask = async (setup: Setup, signal: AbortSignal): Promise<Reply> => {
  const url = new URL(`${setup.baseUrl}/models`)
  for (const [name, value] of Object.entries(setup.query)) url.searchParams.set(name, value)
  const response = await setup.fetch(url.href, { headers: headersOf(setup), signal })
  if (!response.ok) {
    await response.body?.cancel()
    return { _tag: "Status", status: response.status }
  }
  const text = await response.text()
  try {
    const ids = idsOf(JSON.parse(text))
    return ids === null ? { _tag: "Unreadable" } : { _tag: "Models", ids }
  } catch {
    return { _tag: "Unreadable" }
  }
}

/** The innermost message of an error says what happened to the connection. */
const words = (error: unknown): string => {
  let current = error
  for (let depth = 0; depth < 5; depth++) {
    if (!(current instanceof Error) || current.cause === undefined) break
    current = current.cause
  }
  if (current instanceof AggregateError) return words(current.errors[0])
  const code = current instanceof Error && "code" in current ? ` (${String(current.code)})` : ""
  return current instanceof Error
    ? (current.message || current.name) + (current.message.includes(code.slice(2, -1)) ? "" : code)
    : String(current)
}

const isOllama = ({ config, baseUrl }: Setup): boolean =>
  [config.kind, config.profile?.kind].includes("ollama") || /:11434(\/|$)/.test(baseUrl ?? "")

const unreachable = (setup: Setup, detail: string): string => {
  const hint = isOllama(setup) ? "; start it with `ollama serve`" : "; is the server running, and is base_url right?"
  return `${setup.baseUrl} is not reachable: ${detail}${hint}`
}

const serves = (ids: ReadonlyArray<string>, model: string): boolean =>
  ids.length === 0 || ids.some((id) => id === model || id.startsWith(`${model}:`) || id === `models/${model}`)

const judge = (setup: Setup, reply: Reply): string | null => {
  const { model } = setup.config
  if (reply._tag === "Status") {
    if (reply.status !== 401) return null
    return setup.key === null
      ? `${setup.baseUrl} asks for a key; set \`api_key_env\`, or \`api_key\` of its provider`
      : `${setup.baseUrl} refuses the key (401)`
  }
  if (reply._tag === "Unreadable" || serves(reply.ids, model)) return null
  const named = reply.ids.slice(0, mostNamed).join(", ")
  const more = reply.ids.length > mostNamed ? `, and ${reply.ids.length - mostNamed} more` : ""
  const hint = isOllama(setup) ? `; get it with \`ollama pull ${model}\`` : ""
  return `${setup.baseUrl} does not serve ${model}; it serves ${named}${more}${hint}`
}

/**
 * Why a compatible server cannot serve the model now; null = it can, or it does not say. A server without a model list,
 * or with an unreadable one, is given the benefit of the doubt. Takes 5 s at most.
 */
export const healthCheck = (setup: Setup, scrub: (text: string) => string): Effect.Effect<string | null> =>
  Effect.tryPromise({ try: (signal) => ask(setup, signal), catch: (error) => error }).pipe(
    Effect.map((reply) => judge(setup, reply)),
    Effect.catch((error) => Effect.succeed(unreachable(setup, words(error)))),
    Effect.timeoutOrElse({
      duration: Duration.millis(limitMs),
      orElse: () => Effect.succeed(unreachable(setup, `no answer within ${limitMs / 1000} s`))
    }),
    Effect.map((reason) => (reason === null ? null : scrub(reason)))
  )

/** The ids that a compatible server lists; fails with a message when it does not. Takes 5 s at most. */
export const discover = (setup: Setup, scrub: (text: string) => string): Effect.Effect<ReadonlyArray<string>, string> =>
  Effect.tryPromise({ try: (signal) => ask(setup, signal), catch: (error) => unreachable(setup, words(error)) }).pipe(
    Effect.flatMap((reply) => {
      if (reply._tag === "Models") return Effect.succeed(reply.ids)
      return Effect.fail(
        reply._tag === "Status"
          ? `${setup.baseUrl}/models answers ${reply.status}`
          : `${setup.baseUrl} has no readable model list`
      )
    }),
    Effect.timeoutOrElse({
      duration: Duration.millis(limitMs),
      orElse: () => Effect.fail(unreachable(setup, `no answer within ${limitMs / 1000} s`))
    }),
    Effect.mapError(scrub)
  )
