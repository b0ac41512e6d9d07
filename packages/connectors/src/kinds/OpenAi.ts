/** OpenAI: the Responses API, and Chat Completions with `params: {api: chat}` or at any other address. */
import { type ConnectorConfig, ConnectorError } from "@agent-arena/core/connector/Connector"
import * as Effect from "effect/Effect"
import type { ExtraParams } from "../adapter/Call.ts"
import { mergeBody } from "../adapter/MergeBody.ts"
import type { KindSpec } from "./KindSpec.ts"

const officialUrl = "https://api.openai.com/v1"

/** `token_param` renames the limit of tokens, `send_temperature: false` leaves the temperature out; neither is sent. */
const extras: ExtraParams = {
  _tag: "Body",
  merge: (body, { token_param, send_temperature, ...rest }) => {
    const merged = mergeBody(body, rest)
    if (send_temperature === false) delete merged["temperature"]
    if (typeof token_param === "string") {
      for (const name of ["max_tokens", "max_completion_tokens", "max_output_tokens"]) {
        if (name === token_param || merged[name] === undefined) continue
        merged[token_param] = merged[name]
        delete merged[name]
      }
    }
    return merged
  }
}

/** Which of the two APIs a contestant uses; null = what was asked for does not exist. */
export const chosenApi = (config: ConnectorConfig, usual: "chat" | "responses"): "chat" | "responses" | null => {
  const asked = config.params["api"]
  if (asked === undefined || asked === null) return usual
  return asked === "chat" || asked === "responses" ? asked : null
}

export const unknownApi = new ConnectorError({ detail: "params.api must be `chat` or `responses`", suggestion: null })

export const spec = (kind: string): KindSpec => ({
  kind,
  keyVariables: ["OPENAI_API_KEY"],
  keyRequired: true,
  urlVariables: ["OPENAI_BASE_URL"],
  defaultUrl: officialUrl,
  versionPath: "/v1",
  probed: false,
  extras,
  model: Effect.fnUntraced(function* ({ config, baseUrl, key, headers, fetch }) {
    const api = chosenApi(config, baseUrl === null || baseUrl === officialUrl ? "responses" : "chat")
    if (api === null) return yield* unknownApi
    const { createOpenAI } = yield* Effect.promise(() => import("@ai-sdk/openai"))
    const provider = createOpenAI({
      headers: { ...headers },
      fetch,
      ...(baseUrl === null ? {} : { baseURL: baseUrl }),
      ...(key === null ? {} : { apiKey: key })
    })
    return api === "chat" ? provider.chat(config.model) : provider.responses(config.model)
  })
})
