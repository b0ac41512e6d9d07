import type { ModelConfig } from "./Calls.ts"
import { profile, testKey } from "./Calls.ts"

/** A provider as tests reach it: at an address of their own, with a key that is easy to find. */
export interface TestProvider {
  readonly name: string
  readonly at: (url: string) => ModelConfig
  /** npm package it needs; null = comes with the program. */
  readonly package: string | null
}

const at = (
  kind: string,
  model: string,
  path: string,
  env: Readonly<Record<string, string>>,
  params: Readonly<Record<string, unknown>> = {}
): TestProvider["at"] => {
  return (url) => ({ kind, model, env, params, profile: profile({ kind, baseUrl: `${url}${path}` }) })
}

/** Providers whose packages come with the program. */
export const bundled: ReadonlyArray<TestProvider> = [
  {
    name: "anthropic",
    package: null,
    at: at("anthropic", "claude-haiku-4-5", "", { ANTHROPIC_API_KEY: testKey })
  },
  {
    name: "openai, Responses",
    package: null,
    at: at("openai", "gpt-5-mini", "/v1", { OPENAI_API_KEY: testKey }, { api: "responses" })
  },
  { name: "openai, Chat", package: null, at: at("openai", "gpt-4o-mini", "", { OPENAI_API_KEY: testKey }) },
  { name: "google", package: null, at: at("google", "gemini-2.5-flash", "", { GEMINI_API_KEY: testKey }) },
  {
    name: "openai_compatible",
    package: null,
    at: (url) => ({
      kind: "openai_compatible",
      model: "qwen3:8b",
      apiBase: url,
      apiKeyEnv: "GATEWAY_KEY",
      env: { GATEWAY_KEY: testKey }
    })
  }
]

/** Providers whose packages a project installs. */
export const optional: ReadonlyArray<TestProvider> = [
  {
    name: "azure",
    package: "@ai-sdk/azure",
    at: at("azure", "gpt-4o", "/openai?api-version=2024-10-21", { AZURE_API_KEY: testKey }, { api: "chat" })
  },
  {
    name: "bedrock",
    package: "@ai-sdk/amazon-bedrock",
    at: at("bedrock", "anthropic.claude-3-5-sonnet-20241022-v2:0", "", {
      AWS_REGION: "us-east-1",
      AWS_BEARER_TOKEN_BEDROCK: testKey
    })
  },
  {
    name: "mistral",
    package: "@ai-sdk/mistral",
    at: at("mistral", "mistral-small-latest", "", { MISTRAL_API_KEY: testKey })
  },
  {
    name: "groq",
    package: "@ai-sdk/groq",
    at: at("groq", "llama-3.3-70b-versatile", "/openai", { GROQ_API_KEY: testKey })
  },
  { name: "xai", package: "@ai-sdk/xai", at: at("xai", "grok-4", "", { XAI_API_KEY: testKey }) },
  {
    name: "deepseek",
    package: "@ai-sdk/deepseek",
    at: at("deepseek", "deepseek-chat", "/v1", { DEEPSEEK_API_KEY: testKey })
  },
  {
    name: "openrouter",
    package: "@openrouter/ai-sdk-provider",
    at: at("openrouter", "openai/gpt-4o-mini", "/api", { OPENROUTER_API_KEY: testKey })
  },
  { name: "cohere", package: "@ai-sdk/cohere", at: at("cohere", "command-r-plus", "", { COHERE_API_KEY: testKey }) }
]
