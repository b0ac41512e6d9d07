/** OpenAI-compatible servers: Ollama, LM Studio, vLLM, llama.cpp, gateways. */
import { ConnectorError } from "@agent-arena/core/connector/Connector"
import * as Effect from "effect/Effect"
import type { ExtraParams } from "../adapter/Call.ts"
import type { Answer } from "../adapter/Collect.ts"
import { mergeBody } from "../adapter/MergeBody.ts"
import * as WholeAnswers from "../transport/WholeAnswers.ts"
import type { KindSpec } from "./KindSpec.ts"

/** Addresses on which local servers listen by default. */
const defaultUrls: Readonly<Record<string, string>> = {
  ollama: "http://localhost:11434/v1",
  local: "http://localhost:11434/v1",
  lmstudio: "http://localhost:1234/v1",
  vllm: "http://localhost:8000/v1",
  llamacpp: "http://localhost:8080/v1"
}

/** Params go into the body as they were written; they win over what the package put there. */
const body: ExtraParams = { _tag: "Body", merge: mergeBody }

/** Gateways such as OpenRouter report what they charge, USD, in `usage.cost`. */
const reportedCost = (answer: Answer): number | null => {
  const cost = answer.usage?.raw?.["cost"]
  return typeof cost === "number" && Number.isFinite(cost) && cost >= 0 ? cost : null
}

const needsUrl = new ConnectorError({
  detail: "kind openai_compatible needs an address",
  suggestion: "set `base_url` of the provider, or `api_base` of the contestant"
})

/** The spec of one of the compatible kinds. */
export const spec = (kind: string): KindSpec => ({
  kind,
  keyVariables: [],
  keyRequired: false,
  urlVariables: kind === "ollama" ? ["OLLAMA_BASE_URL"] : [],
  defaultUrl: defaultUrls[kind] ?? null,
  versionPath: "/v1",
  probed: true,
  extras: body,
  reportedCost,
  model: Effect.fnUntraced(function* ({ config, baseUrl, query, key, headers, fetch }) {
    if (baseUrl === null) return yield* needsUrl
    const { createOpenAICompatible } = yield* Effect.promise(() => import("@ai-sdk/openai-compatible"))
    return createOpenAICompatible({
      name: kind,
      baseURL: baseUrl,
      headers: { ...headers },
      fetch: WholeAnswers.accept(fetch),
      // Streams carry token counts only when asked.
      includeUsage: true,
      supportsStructuredOutputs: true,
      ...(key === null ? {} : { apiKey: key }),
      ...(Object.keys(query).length === 0 ? {} : { queryParams: { ...query } })
    })(config.model)
  })
})

export const kinds = ["openai_compatible", "ollama", "lmstudio", "vllm", "llamacpp", "local"] as const
