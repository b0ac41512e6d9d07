import { type ConnectorConfig, ConnectorError, type ConnectorFactory } from "@agent-arena/core/connector/Connector"
import { ConnectorRegistry } from "@agent-arena/core/connector/ConnectorRegistry"
import { ShippedCatalogue } from "@agent-arena/core/pricing/PriceBook"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { catalogue } from "./catalogue/Catalogue.ts"
import type { KindSpec } from "./kinds/KindSpec.ts"

/** Loads the code of a kind. */
type SpecModule = () => Promise<{ readonly spec: (kind: string) => KindSpec }>

/** A factory that loads the provider's code when its Layer is built, not before. */
const lazily =
  (kind: string, load: SpecModule): ConnectorFactory =>
  (config: ConnectorConfig) =>
    Layer.unwrap(
      Effect.promise(async () => {
        const [{ make }, { spec }] = await Promise.all([import("./kinds/KindLayer.ts"), load()])
        return make(spec(kind), config)
      })
    )

const modules: ReadonlyArray<readonly [ReadonlyArray<string>, SpecModule]> = [
  [["anthropic"], () => import("./kinds/Anthropic.ts")],
  [["openai"], () => import("./kinds/OpenAi.ts")],
  [["google", "gemini"], () => import("./kinds/Google.ts")],
  [
    ["azure", "bedrock", "mistral", "groq", "xai", "deepseek", "openrouter", "cohere", "ai-sdk"],
    () => import("./kinds/Optional.ts")
  ],
  [["openai_compatible", "ollama", "lmstudio", "vllm", "llamacpp", "local"], () => import("./kinds/Compatible.ts")]
]

const moduleOf: ReadonlyMap<string, SpecModule> = new Map(
  modules.flatMap(([kinds, load]) => kinds.map((kind) => [kind, load] as const))
)

/** Factories of every kind of provider by its name in configs. */
export const registry: ReadonlyMap<string, ConnectorFactory> = new Map(
  [...moduleOf].map(([kind, load]) => [kind, lazily(kind, load)])
)

const noList = (kind: string): ConnectorError =>
  new ConnectorError({ detail: `kind ${kind} lists no models`, suggestion: null })

/**
 * The ids of the models that an OpenAI-compatible server offers (`GET /models`, with the key, 5 s at most). Other kinds
 * list none, and fail saying so.
 */
export const listModels = (config: ConnectorConfig): Effect.Effect<ReadonlyArray<string>, ConnectorError> =>
  Effect.gen(function* () {
    const load = moduleOf.get(config.kind)
    if (load === undefined) return yield* noList(config.kind)
    const [{ listModels: list }, { spec }] = yield* Effect.promise(() =>
      Promise.all([import("./kinds/KindLayer.ts"), load()])
    )
    return yield* list(spec(config.kind), config)
  })

/** The registry with more kinds, of the embedding program. A kind that is known already is replaced. */
export const layerWith = (kinds: Readonly<Record<string, ConnectorFactory>>) =>
  Layer.mergeAll(
    Layer.succeed(ConnectorRegistry, new Map([...registry, ...Object.entries(kinds)])),
    Layer.succeed(ShippedCatalogue, catalogue)
  )

/**
 * Every provider as a connector, and the shipped prices; nothing of a provider is loaded until a contestant needs it.
 */
export const layer = layerWith({})
