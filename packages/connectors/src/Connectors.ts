import type { ConnectorConfig, ConnectorFactory } from "@agent-arena/core/connector/Connector"
import { ConnectorRegistry } from "@agent-arena/core/connector/ConnectorRegistry"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

type SpecModule = () => Promise<{ readonly spec: (kind: string) => import("./kinds/KindSpec.ts").KindSpec }>

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

/** Factories of every kind of provider by its name in configs. */
export const registry: ReadonlyMap<string, ConnectorFactory> = new Map(
  modules.flatMap(([kinds, load]) => kinds.map((kind) => [kind, lazily(kind, load)] as const))
)

/** Every provider as a connector; nothing of a provider is loaded until a contestant needs it. */
export const layer = Layer.succeed(ConnectorRegistry, registry)
