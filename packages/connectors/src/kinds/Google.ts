/** Google's Gemini API. */
import * as Effect from "effect/Effect"
import type { ExtraParams } from "../adapter/Call.ts"
import { mergeBody } from "../adapter/MergeBody.ts"
import type { KindSpec } from "./KindSpec.ts"

/** Fields of the request itself; any other param belongs to its `generationConfig`. */
const requestFields: ReadonlySet<string> = new Set([
  "safetySettings",
  "safety_settings",
  "cachedContent",
  "cached_content",
  "toolConfig",
  "tool_config",
  "generationConfig",
  "labels",
  "serviceTier"
])

const extras: ExtraParams = {
  _tag: "Body",
  merge: (body, params) => {
    const entries = Object.entries(params)
    const own = Object.fromEntries(entries.filter(([name]) => requestFields.has(name)))
    const generationConfig = Object.fromEntries(entries.filter(([name]) => !requestFields.has(name)))
    return mergeBody(mergeBody(body, { generationConfig }), own)
  }
}

export const spec = (): KindSpec => ({
  kind: "google",
  keyVariables: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "GOOGLE_API_KEY"],
  keyRequired: true,
  urlVariables: [],
  defaultUrl: "https://generativelanguage.googleapis.com/v1beta",
  versionPath: "/v1beta",
  probed: false,
  extras,
  model: Effect.fnUntraced(function* ({ config, baseUrl, key, headers, fetch }) {
    const { createGoogleGenerativeAI } = yield* Effect.promise(() => import("@ai-sdk/google"))
    const provider = createGoogleGenerativeAI({
      headers: { ...headers },
      fetch,
      ...(baseUrl === null ? {} : { baseURL: baseUrl }),
      ...(key === null ? {} : { apiKey: key })
    })
    return provider(config.model)
  })
})
