/** Anthropic's Messages API. */
import * as Effect from "effect/Effect"
import type { ExtraParams } from "../adapter/Call.ts"
import { mergeBody } from "../adapter/MergeBody.ts"
import type { KindSpec } from "./KindSpec.ts"

const extras: ExtraParams = {
  _tag: "Body",
  merge: (body, { effort, task_budget, ...rest }) => {
    const output = {
      ...(effort === undefined ? {} : { effort }),
      ...(task_budget === undefined ? {} : { task_budget })
    }
    return mergeBody(body, Object.keys(output).length === 0 ? rest : { ...rest, output_config: output })
  }
}

export const spec = (kind: string): KindSpec => ({
  kind,
  keyVariables: ["ANTHROPIC_API_KEY"],
  keyRequired: true,
  urlVariables: ["ANTHROPIC_BASE_URL"],
  defaultUrl: "https://api.anthropic.com/v1",
  versionPath: "/v1",
  probed: false,
  extras,
  model: Effect.fnUntraced(function* ({ config, baseUrl, key, headers, fetch }) {
    const { createAnthropic } = yield* Effect.promise(() => import("@ai-sdk/anthropic"))
    const provider = createAnthropic({
      headers: { ...headers },
      fetch,
      ...(baseUrl === null ? {} : { baseURL: baseUrl }),
      ...(key === null ? {} : { apiKey: key })
    })
    return provider(config.model)
  })
})
