/** From a request and its params to the call options of the AI SDK specification, and back to names in a record. */

import type { GenerationRequest } from "@agent-arena/core/domain/Generation"
import { removes, ToolFilter } from "@agent-arena/core/domain/ToolFilter"
import type {
  JSONSchema7,
  LanguageModelV4CallOptions,
  SharedV4ProviderOptions,
  SharedV4Warning
} from "@ai-sdk/provider"
import * as Schema from "effect/Schema"

type CallSettings = Omit<LanguageModelV4CallOptions, "prompt" | "abortSignal">
type ResponseFormat = NonNullable<LanguageModelV4CallOptions["responseFormat"]>
type Json = Readonly<Record<string, unknown>>

/** A request taken apart. */
export interface Settings {
  readonly options: CallSettings
  /** Params without a common name, for the provider's own request body. */
  readonly extras: Json
  /** Names of everything that was asked for, as a config writes them. */
  readonly names: ReadonlyArray<string>
  readonly stream: boolean
}

/** A param of the wrong type: the person's mistake, and not worth a request. */
export class SettingError extends Error {
  override readonly name = "AI_InvalidArgumentError"
}

const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const wrong = (name: string, expected: string): never => {
  throw new SettingError(`params.${name} must be ${expected}`)
}

const number = (name: string, value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) ? value : wrong(name, "a number")

const strings = (name: string, value: unknown): Array<string> => {
  if (typeof value === "string") return [value]
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value
  return wrong(name, "a text or a list of texts")
}

const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const

const effort = (value: unknown): NonNullable<CallSettings["reasoning"]> =>
  efforts.find((known) => known === value) ?? wrong("reasoning_effort", `one of ${efforts.join(", ")}`)

/** A JSON Schema is passed through as it was written; the provider is the one who checks it. */
const schemaOf = (value: Json): JSONSchema7 => value as JSONSchema7

const jsonFormat = (schema: unknown, name: unknown): ResponseFormat => ({
  type: "json",
  ...(isRecord(schema) ? { schema: schemaOf(schema) } : {}),
  ...(typeof name === "string" ? { name } : {})
})

/** Reads `json`, `{type: json_object}`, `{type: json_schema, json_schema: {…}}`, `{type: json, schema}` or a bare schema. */
export const responseFormat = (value: unknown): ResponseFormat => {
  if (value === "json" || value === "json_object") return { type: "json" }
  if (value === "text") return { type: "text" }
  if (!isRecord(value)) return wrong("response_format", "`json`, `text`, or a JSON Schema")
  switch (value["type"]) {
    case "text":
      return { type: "text" }
    case "json_object":
      return { type: "json" }
    case "json":
      return jsonFormat(value["schema"], value["name"])
    case "json_schema": {
      const inner = isRecord(value["json_schema"]) ? value["json_schema"] : value
      return jsonFormat(inner["schema"], inner["name"])
    }
  }
  return jsonFormat(value, undefined)
}

const namespaces = (value: unknown): SharedV4ProviderOptions => {
  if (isRecord(value) && Object.values(value).every(isRecord)) return value as SharedV4ProviderOptions
  return wrong("provider_options", "a map of provider names to maps")
}

const tools = (value: unknown): NonNullable<CallSettings["tools"]> => {
  if (!Array.isArray(value)) return wrong("tools", "a list")
  return value.map((item) => {
    const tool = isRecord(item) && isRecord(item["function"]) ? item["function"] : item
    if (!isRecord(tool) || typeof tool["name"] !== "string")
      return wrong("tools", "a list of {name, description, parameters}")
    const schema = tool["parameters"] ?? tool["input_schema"]
    return {
      type: "function" as const,
      name: tool["name"],
      inputSchema: schemaOf(isRecord(schema) ? schema : { type: "object" }),
      ...(typeof tool["description"] === "string" ? { description: tool["description"] } : {})
    }
  })
}

const toolChoice = (value: unknown): NonNullable<CallSettings["toolChoice"]> => {
  if (value === "auto" || value === "none" || value === "required") return { type: value }
  if (isRecord(value)) {
    const name = isRecord(value["function"]) ? value["function"]["name"] : value["name"]
    if (typeof name === "string") return { type: "tool", toolName: name }
  }
  return wrong("tool_choice", "auto, none, required or {name}")
}

const readers: Readonly<Record<string, (value: unknown) => Partial<CallSettings>>> = {
  max_tokens: (value) => ({ maxOutputTokens: number("max_tokens", value) }),
  temperature: (value) => ({ temperature: number("temperature", value) }),
  seed: (value) => ({ seed: number("seed", value) }),
  top_p: (value) => ({ topP: number("top_p", value) }),
  top_k: (value) => ({ topK: number("top_k", value) }),
  presence_penalty: (value) => ({ presencePenalty: number("presence_penalty", value) }),
  frequency_penalty: (value) => ({ frequencyPenalty: number("frequency_penalty", value) }),
  stop: (value) => ({ stopSequences: strings("stop", value) }),
  reasoning_effort: (value) => ({ reasoning: effort(value) }),
  response_format: (value) => ({ responseFormat: responseFormat(value) }),
  tools: (value) => ({ tools: tools(value) }),
  tool_choice: (value) => ({ toolChoice: toolChoice(value) }),
  provider_options: (value) => ({ providerOptions: namespaces(value) })
}

/** Params that speak to this program, not to the provider. */
const own: ReadonlySet<string> = new Set(["mode", "stream", "api", "tool_filter"])

const isFilter = Schema.is(ToolFilter)

/** `tools` and `tool_choice` without the tools that `tool_filter` takes away; none at all when no tool is left. */
const filtered = (params: Json): Json => {
  const { tool_choice: choice, tool_filter: filter, tools: given, ...rest } = params
  if (filter === undefined || filter === null || given === undefined || given === null) return params
  if (!isFilter(filter)) return wrong("tool_filter", "{remove: [{server, tool}]}")
  if (!Array.isArray(given)) return params
  const left = given.filter((item: unknown) => {
    const tool = isRecord(item) && isRecord(item["function"]) ? item["function"] : item
    if (!isRecord(tool) || typeof tool["name"] !== "string") return true
    const server = [item, tool].flatMap((one: unknown) =>
      isRecord(one) && typeof one["server"] === "string" ? one["server"] : []
    )
    return !removes(filter, { name: tool["name"], ...(server[0] === undefined ? {} : { server: server[0] }) })
  })
  if (left.length === 0) return rest
  return choice === undefined ? { ...rest, tools: left } : { ...rest, tools: left, tool_choice: choice }
}

/** Params of a request, apart from its own settings: `max_tokens` and the like of the request win over params. */
export const read = (request: GenerationRequest): Settings => {
  const asked: Record<string, unknown> = {
    ...filtered(request.params),
    ...(request.maxTokens === null ? {} : { max_tokens: request.maxTokens }),
    ...(request.temperature === null ? {} : { temperature: request.temperature }),
    ...(request.seed === null ? {} : { seed: request.seed })
  }
  const options: CallSettings = {}
  const extras: Record<string, unknown> = {}
  const names: Array<string> = []
  for (const [name, value] of Object.entries(asked)) {
    if (value === null || value === undefined || own.has(name)) continue
    const reader = readers[name]
    if (reader === undefined) extras[name] = value
    else Object.assign(options, reader(value))
    names.push(name)
  }
  return { options, extras, names, stream: request.params["stream"] !== false }
}

const configName: Readonly<Record<string, string>> = {
  maxOutputTokens: "max_tokens",
  topP: "top_p",
  topK: "top_k",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  stopSequences: "stop",
  reasoning: "reasoning_effort",
  reasoningEffort: "reasoning_effort",
  responseFormat: "response_format",
  toolChoice: "tool_choice"
}

/**
 * What became of the settings: those in force, and what the provider left out or changed, in its own words. `unsent` are
 * names that never reached the provider.
 */
export const outcome = (
  names: ReadonlyArray<string>,
  warnings: ReadonlyArray<SharedV4Warning>,
  unsent: ReadonlyArray<string> = []
): { readonly applied: ReadonlyArray<string>; readonly dropped: ReadonlyArray<string> } => {
  const dropped = new Map(unsent.map((name) => [name, `${name}: not sent by the provider's package`]))
  for (const warning of warnings) {
    if (warning.type === "unsupported") {
      const name = configName[warning.feature] ?? warning.feature
      dropped.set(name, warning.details === undefined ? name : `${name}: ${warning.details}`)
    } else if (warning.type === "compatibility") {
      const name = configName[warning.feature] ?? warning.feature
      dropped.set(`${name} (changed)`, `${name}: ${warning.details ?? "used in a compatibility mode"}`)
    } else if (warning.type === "other") dropped.set(warning.message, warning.message)
  }
  return { applied: names.filter((name) => !dropped.has(name)), dropped: [...dropped.values()] }
}
