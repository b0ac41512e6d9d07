import { connect } from "node:net"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ContestantSource } from "../../domain/Contestant.ts"
import type { Generation } from "../../domain/Generation.ts"
import * as Generations from "../../domain/Generation.ts"
import type { GenerationError } from "../../domain/GenerationError.ts"
import * as GenerationErrors from "../../domain/GenerationError.ts"
import { scrubber } from "../../domain/Secrets.ts"
import { namedSecrets, userInfoOf, withoutUrlSecrets } from "../../domain/SecretText.ts"
import { Connector, type ConnectorConfig, ConnectorError } from "../Connector.ts"
import { resolveEnv } from "../EnvReferences.ts"
import { boundedDetail, requestId } from "../HttpErrors.ts"
import { visibleCell } from "../InlineConnector.ts"
import { fromReturned, isAnswerObject, reportedUsage } from "../TargetResult.ts"
import { bodyTemplate } from "./BodyTemplate.ts"
import { makeHttpPoster, type Reply } from "./HttpExchange.ts"
import { parsePath, valueAt } from "./ResponsePath.ts"

type UrlSource = Extract<ContestantSource, { readonly _tag: "Url" }>
type Path = NonNullable<ReturnType<typeof parsePath>>

/** How long the health check waits for a connection, seconds. */
const healthLimitSeconds = 5

const malformed = (detail: string): GenerationError => GenerationErrors.make({ reason: "malformed_response", detail })

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const describe = (value: unknown): string => {
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (!isRecord(value)) return boundedDetail(JSON.stringify(value) ?? "nothing").slice(0, 80)
  return `an object with ${Object.keys(value).slice(0, 8).join(", ") || "no keys"}`
}

const parseJson = (text: string): { readonly value: unknown } | null => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return null
  }
}

const mediaType = (reply: Reply): string => (reply.headers.get("content-type") ?? "").split(";")[0]?.trim() ?? ""

const notJson = (reply: Reply): GenerationError => {
  const type = mediaType(reply)
  return malformed(
    `the reply is not JSON${type === "" ? "" : ` (${type})`}: ${boundedDetail(reply.text).slice(0, 120)}`
  )
}

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

const readPath = (reply: Reply, path: Path, written: string): Effect.Effect<Generation, GenerationError> => {
  const parsed = parseJson(reply.text)
  if (parsed === null) return Effect.fail(notJson(reply))
  const found = valueAt(parsed.value, path)
  if (found === undefined || found === null) {
    return Effect.fail(malformed(`the reply has nothing at "${written}"; it is ${describe(parsed.value)}`))
  }
  return Effect.succeed(Generations.make({ text: asText(found), usage: reportedUsage(parsed.value) }))
}

/** Without a path: `output`, `text` or `answer` of a JSON object, a JSON text, or plain text. */
const readAnswer = (reply: Reply): Effect.Effect<Generation, GenerationError> => {
  const type = mediaType(reply)
  const parsed = parseJson(reply.text)
  if (parsed === null) {
    const isText = type === "" || (type.startsWith("text/") && type !== "text/html")
    return isText ? Effect.succeed(Generations.make({ text: reply.text })) : Effect.fail(notJson(reply))
  }
  if (isAnswerObject(parsed.value) || !(typeof parsed.value === "object")) {
    return Effect.fromResult(fromReturned(parsed.value))
  }
  return Effect.fail(
    malformed(`the reply has no output, text or answer; set response_path (it is ${describe(parsed.value)})`)
  )
}

/** Says the address as it is written: with its variables filled in it may hold a secret. */
const wrongUrl = (written: string, why: string) =>
  new ConnectorError({
    detail: `"${boundedDetail(withoutUrlSecrets(written))}" ${why}`,
    suggestion: 'write url: "https://HOST/PATH"'
  })

/** The address without its credentials, which `fetch` refuses, and the header that carries them instead. */
const readAddress = (written: string, text: string) => {
  if (!URL.canParse(text)) return Effect.fail(wrongUrl(written, "is not a URL"))
  const address = new URL(text)
  if (address.protocol !== "http:" && address.protocol !== "https:") {
    return Effect.fail(wrongUrl(written, "is neither an http nor an https URL"))
  }
  const { authorization, secrets } = userInfoOf(address)
  address.username = ""
  address.password = ""
  return Effect.succeed({ address, headers: authorization === null ? {} : { authorization }, secrets })
}

const readPathSetting = (text: string | null) => {
  if (text === null) return Effect.succeed(null)
  const path = parsePath(text)
  if (path !== null) return Effect.succeed(path)
  return Effect.fail(
    new ConnectorError({
      detail: `response_path "${text}" is not a path`,
      suggestion: "write it as choices[0].message.content"
    })
  )
}

const lowerCaseNames = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** Whether somebody listens there. Nothing is sent, so nothing is spent. */
const whyUnreachable = (address: URL): Effect.Effect<string | null> => {
  const port = Number(address.port) || (address.protocol === "https:" ? 443 : 80)
  const host = address.hostname.replace(/^\[|\]$/g, "")
  return Effect.callback<string | null>((resume) => {
    const socket = connect({ host, port })
    const settle = (reason: string | null) => {
      socket.destroy()
      resume(Effect.succeed(reason))
    }
    socket.once("connect", () => settle(null))
    socket.once("error", (error) => settle(`${address.origin} cannot be reached: ${error.message}`))
    return Effect.sync(() => socket.destroy())
  }).pipe(
    Effect.timeoutOrElse({
      duration: `${healthLimitSeconds} seconds`,
      orElse: () => Effect.succeed(`${address.origin} does not accept a connection within ${healthLimitSeconds} s`)
    })
  )
}

const readSettings = Effect.fnUntraced(function* (source: UrlSource, env: ConnectorConfig["env"]) {
  const headers = yield* Effect.fromResult(resolveEnv(source.headers, env, "headers of the url"))
  const resolved = yield* Effect.fromResult(resolveEnv({ url: source.url }, env, "the url"))
  const { address, ...credentials } = yield* readAddress(source.url, resolved.value["url"] ?? "")
  return {
    address,
    body: yield* Effect.fromResult(bodyTemplate(source.body)),
    path: yield* readPathSetting(source.responsePath),
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      "user-agent": "agent-arena",
      ...credentials.headers,
      ...lowerCaseNames(headers.value)
    },
    secrets: [...headers.secrets, ...resolved.secrets, ...credentials.secrets, ...namedSecrets(headers.value)]
  }
})

const makeUrl = Effect.fnUntraced(function* (config: ConnectorConfig) {
  const source = config.source
  if (source._tag !== "Url") {
    const detail = `"${config.model}" is not a url`
    return yield* new ConnectorError({ detail, suggestion: 'write url: "https://HOST/PATH"' })
  }
  const { address, body, path, headers, secrets } = yield* readSettings(source, config.env)
  const scrub = scrubber(secrets)
  const { post } = yield* makeHttpPoster(scrub)
  const read = (reply: Reply) =>
    Effect.map(path === null ? readAnswer(reply) : readPath(reply, path, source.responsePath ?? ""), (answer) => ({
      ...answer,
      requestId: requestId(reply.headers)
    }))
  return Connector.of({
    provider: "url",
    generate: (request, cell) => {
      const content = JSON.stringify(body(request, visibleCell(cell, config.exposeReference)))
      return Effect.flatMap(post({ url: address.href, headers, body: content }), read)
    },
    healthCheck: whyUnreachable(address),
    secrets
  })
})

/**
 * An HTTP endpoint (`url:`): a JSON document is posted for each attempt, and the answer read from the reply. Redirects
 * to another host are refused, replies are bounded, and connections end with the connector's scope.
 */
export const layerUrl = (config: ConnectorConfig): Layer.Layer<Connector, ConnectorError> =>
  Layer.effect(Connector, makeUrl(config))
