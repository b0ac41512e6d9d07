/** The kinds of connectors that can be written in a project, and how a bare model id finds its kind. */

/** Kinds that run a target instead of calling a provider; chosen by the form of the entry (`run`, `command`, `url`). */
const targetKinds = ["callable", "command", "url", "inline"] as const

/** Kinds of providers, by their canonical name. */
const providerKinds = [
  "mock",
  "anthropic",
  "openai",
  "google",
  "openai_compatible",
  "azure",
  "bedrock",
  "mistral",
  "groq",
  "xai",
  "deepseek",
  "openrouter",
  "cohere",
  "ai-sdk"
] as const

/** Servers on this machine that speak the OpenAI protocol, with the base URL each one uses unless told otherwise. */
export const localServers: Readonly<Record<string, string>> = {
  local: "http://localhost:11434/v1",
  ollama: "http://localhost:11434/v1",
  lmstudio: "http://localhost:1234/v1",
  llamacpp: "http://localhost:8080/v1",
  vllm: "http://localhost:8000/v1"
}

const aliases: Readonly<Record<string, string>> = {
  gemini: "google",
  pipeline: "callable",
  local: "openai_compatible",
  ollama: "openai_compatible",
  lmstudio: "openai_compatible",
  llamacpp: "openai_compatible",
  vllm: "openai_compatible"
}

/** Every name that `provider:` and `providers[].kind` accept, canonical names and aliases, in the order to list them. */
export const kindNames: ReadonlyArray<string> = [
  ...providerKinds,
  ...Object.keys(aliases).filter((name) => name !== "pipeline"),
  ...targetKinds.filter((name) => name !== "inline"),
  "pipeline"
]

const known: ReadonlySet<string> = new Set([...kindNames, "inline"])

/** The canonical name of a kind (`ollama` -> `openai_compatible`); null when no such kind exists. */
export const canonicalKind = (name: string): string | null =>
  Object.hasOwn(aliases, name) ? (aliases[name] ?? null) : known.has(name) ? name : null

/** Where a bare model id goes: to a kind, or to a server on this machine (`server` is a key of `localServers`). */
export interface ModelRoute {
  readonly kind: string
  readonly server: string | null
  /** The id without its routing prefix. */
  readonly model: string
}

/** First match decides; compared with the id in lower case. */
const hostedPatterns: ReadonlyArray<readonly [RegExp, string]> = [
  [/^mock($|[:-])/, "mock"],
  [/^(claude[-.]|anthropic\.)/, "anthropic"],
  [/^(gpt[-.]|chatgpt|text-davinci|ft:gpt|o\d+($|-))/, "openai"],
  [/^(gemini-|models\/gemini)/, "google"],
  [/^(open-)?(mistral|mixtral|ministral|codestral|pixtral|magistral|devstral)-[^:]*$/, "mistral"],
  [/^deepseek-[^:]*$/, "deepseek"],
  [/^grok-/, "xai"],
  [/^command-[^:]*$/, "cohere"]
]

/** Families whose bare name with an optional version (`llama3.2`, `phi4`, `mistral`) is how Ollama names a model. */
const localFamily = /^(llama|codellama|tinyllama|qwen|qwq|phi|gemma|codegemma|mistral|mixtral)[\d.]*$/

/** `name:tag` with a size, a quantisation or `latest` as its tag is how Ollama names a model: `qwen2.5:7b`. */
const localTag = /^[^/:]+:(latest|\d+(\.\d+)?[bm]\b.*|.*[-_]?q\d[\w.-]*|.*-(instruct|chat|text|base)\b.*)$/

/**
 * Decides the provider from the model id alone; null when the id does not say. An id with a slash never names one of
 * its own accord (`meta-llama/...` is served by many), but for the prefixes of the local servers.
 */
export const routeModel = (id: string): ModelRoute | null => {
  const lower = id.toLowerCase()
  const slash = lower.indexOf("/")
  const prefix = slash > 0 ? lower.slice(0, slash) : ""
  if (Object.hasOwn(localServers, prefix)) {
    return { kind: "openai_compatible", server: prefix, model: id.slice(slash + 1) }
  }
  for (const [pattern, kind] of hostedPatterns) if (pattern.test(lower)) return { kind, server: null, model: id }
  if (localFamily.test(lower) || localTag.test(lower)) return { kind: "openai_compatible", server: "ollama", model: id }
  return null
}
