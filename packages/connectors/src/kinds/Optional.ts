/** Providers whose packages a project installs when it needs them. */
import { type ConnectorConfig, ConnectorError } from "@agent-arena/core/connector/Connector"
import * as Effect from "effect/Effect"
import type { ExtraParams } from "../adapter/Call.ts"
import type { Answer } from "../adapter/Collect.ts"
import { mergeBody } from "../adapter/MergeBody.ts"
import type { KindSpec, Setup } from "./KindSpec.ts"
import { chosenApi, unknownApi } from "./OpenAi.ts"
import * as ProjectPackage from "./ProjectPackage.ts"

type Json = Readonly<Record<string, unknown>>

/** What differs between the providers. */
interface Provider {
  readonly package: string
  /** Major version whose models follow specification v4. */
  readonly major: number
  readonly factory: string
  readonly keyVariables: ReadonlyArray<string>
  readonly defaultUrl: string | null
  readonly versionPath: string
}

/** Simple providers: a key, an address, one kind of model. */
const simple: Readonly<Record<string, Provider>> = {
  mistral: {
    package: "@ai-sdk/mistral",
    major: 4,
    factory: "createMistral",
    keyVariables: ["MISTRAL_API_KEY"],
    defaultUrl: "https://api.mistral.ai/v1",
    versionPath: "/v1"
  },
  groq: {
    package: "@ai-sdk/groq",
    major: 4,
    factory: "createGroq",
    keyVariables: ["GROQ_API_KEY"],
    defaultUrl: "https://api.groq.com/openai/v1",
    versionPath: "/v1"
  },
  xai: {
    package: "@ai-sdk/xai",
    major: 5,
    factory: "createXai",
    keyVariables: ["XAI_API_KEY"],
    defaultUrl: "https://api.x.ai/v1",
    versionPath: "/v1"
  },
  deepseek: {
    package: "@ai-sdk/deepseek",
    major: 3,
    factory: "createDeepSeek",
    keyVariables: ["DEEPSEEK_API_KEY"],
    defaultUrl: "https://api.deepseek.com",
    versionPath: ""
  },
  openrouter: {
    package: "@openrouter/ai-sdk-provider",
    major: 3,
    factory: "createOpenRouter",
    keyVariables: ["OPENROUTER_API_KEY"],
    defaultUrl: "https://openrouter.ai/api/v1",
    versionPath: "/v1"
  },
  cohere: {
    package: "@ai-sdk/cohere",
    major: 4,
    factory: "createCohere",
    keyVariables: ["COHERE_API_KEY", "CO_API_KEY"],
    defaultUrl: "https://api.cohere.com/v2",
    versionPath: "/v2"
  }
}

const intoBody: ExtraParams = { _tag: "Body", merge: mergeBody }

const settingsOf = ({ baseUrl, key, headers, fetch }: Setup): Json => ({
  headers,
  fetch,
  ...(baseUrl === null ? {} : { baseURL: baseUrl }),
  ...(key === null ? {} : { apiKey: key })
})

/** OpenRouter reports what it charges, USD. */
const openRouterCost = (answer: Answer): number | null => {
  const usage = answer.metadata?.["openrouter"]?.["usage"]
  const cost = typeof usage === "object" && usage !== null && "cost" in usage ? usage.cost : undefined
  return typeof cost === "number" && Number.isFinite(cost) && cost >= 0 ? cost : null
}

const simpleSpec = (kind: string, provider: Provider): KindSpec => ({
  kind,
  keyVariables: provider.keyVariables,
  keyRequired: true,
  urlVariables: [],
  defaultUrl: provider.defaultUrl,
  versionPath: provider.versionPath,
  probed: false,
  extras: intoBody,
  ...(kind === "openrouter" ? { reportedCost: openRouterCost } : {}),
  model: (setup) =>
    ProjectPackage.model({
      name: provider.package,
      install: `${provider.package}@${provider.major}`,
      factory: provider.factory,
      root: setup.config.root,
      // OpenRouter's package asks for usage and cost in streams only in this mode.
      settings: { ...settingsOf(setup), ...(kind === "openrouter" ? { compatibility: "strict" } : {}) },
      methods: kind === "openrouter" ? ["chat"] : ["languageModel"],
      model: setup.config.model
    })
})

const variable = (config: ConnectorConfig, ...names: ReadonlyArray<string>): string | null =>
  names.map((name) => config.env[name]?.trim() ?? "").find((value) => value !== "") ?? null

const missing = (name: string, what: string): ConnectorError =>
  new ConnectorError({ detail: `${name} is not set`, suggestion: what })

const azure: KindSpec = {
  kind: "azure",
  keyVariables: ["AZURE_API_KEY", "AZURE_OPENAI_API_KEY"],
  keyRequired: true,
  urlVariables: ["AZURE_OPENAI_ENDPOINT"],
  defaultUrl: null,
  versionPath: "",
  probed: false,
  extras: intoBody,
  model: Effect.fnUntraced(function* (setup) {
    const { config, baseUrl, query } = setup
    const resourceName = variable(config, "AZURE_RESOURCE_NAME")
    if (baseUrl === null && resourceName === null) {
      return yield* missing(
        "AZURE_RESOURCE_NAME",
        "export it, or set `base_url` to https://NAME.openai.azure.com/openai"
      )
    }
    const api = chosenApi(config, "responses")
    if (api === null) return yield* unknownApi
    const apiVersion = query["api-version"]
    return yield* ProjectPackage.model({
      name: "@ai-sdk/azure",
      install: "@ai-sdk/azure@4",
      factory: "createAzure",
      root: config.root,
      settings: {
        ...settingsOf(setup),
        ...(baseUrl === null ? { resourceName } : {}),
        // A dated version belongs to the older form of addresses, with the deployment in the path.
        ...(apiVersion === undefined ? {} : { apiVersion, useDeploymentBasedUrls: /^\d/.test(apiVersion) })
      },
      methods: [api],
      model: config.model
    })
  })
}

/** Requests may be signed over their body, so params go through the package's own options. */
const bedrockExtras: ExtraParams = {
  _tag: "ProviderOptions",
  namespace: "bedrock",
  field: "additionalModelRequestFields"
}

const bedrock: KindSpec = {
  kind: "bedrock",
  keyVariables: ["AWS_BEARER_TOKEN_BEDROCK"],
  keyRequired: false,
  secretVariables: ["AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_ACCESS_KEY_ID"],
  urlVariables: [],
  defaultUrl: null,
  versionPath: "",
  probed: false,
  extras: bedrockExtras,
  model: Effect.fnUntraced(function* (setup) {
    const { config, key } = setup
    const region = variable(config, "AWS_REGION", "AWS_DEFAULT_REGION")
    if (region === null)
      return yield* missing("AWS_REGION", "export AWS_REGION=us-east-1, or the region of your models")
    const accessKeyId = variable(config, "AWS_ACCESS_KEY_ID")
    const secretAccessKey = variable(config, "AWS_SECRET_ACCESS_KEY")
    const sessionToken = variable(config, "AWS_SESSION_TOKEN")
    if (key === null && (accessKeyId === null || secretAccessKey === null)) {
      return yield* missing(
        accessKeyId === null ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY",
        "export AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
      )
    }
    const credentials = { accessKeyId, secretAccessKey, ...(sessionToken === null ? {} : { sessionToken }) }
    return yield* ProjectPackage.model({
      name: "@ai-sdk/amazon-bedrock",
      install: "@ai-sdk/amazon-bedrock@5",
      factory: "createAmazonBedrock",
      root: config.root,
      settings: { ...settingsOf(setup), region, ...(key === null ? credentials : {}) },
      methods: ["languageModel"],
      model: config.model
    })
  })
}

const anyPackage: KindSpec = {
  kind: "ai-sdk",
  keyVariables: [],
  keyRequired: false,
  urlVariables: [],
  defaultUrl: null,
  versionPath: "",
  probed: false,
  extras: null,
  model: Effect.fnUntraced(function* (setup) {
    const { config } = setup
    const name = config.profile?.package ?? null
    if (name === null) {
      return yield* new ConnectorError({
        detail: "kind ai-sdk needs a package",
        suggestion: 'write it in the profile: package: "@scope/provider"'
      })
    }
    return yield* ProjectPackage.model({
      name,
      install: name,
      factory: null,
      root: config.root,
      settings: settingsOf(setup),
      methods: ["languageModel", "chat"],
      model: config.model
    })
  })
}

/** The spec of one of the optional kinds. */
export const spec = (kind: string): KindSpec => {
  const provider = simple[kind]
  if (provider !== undefined) return simpleSpec(kind, provider)
  return kind === "azure" ? azure : kind === "bedrock" ? bedrock : anyPackage
}
