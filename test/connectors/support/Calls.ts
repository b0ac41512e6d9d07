import { layer } from "@agent-arena/connectors/Connectors"
import { Connector, type ConnectorConfig } from "@agent-arena/core/connector/Connector"
import { ConnectorRegistry } from "@agent-arena/core/connector/ConnectorRegistry"
import type { CellContext, Generation, GenerationRequest } from "@agent-arena/core/domain/Generation"
import * as GenerationError from "@agent-arena/core/domain/GenerationError"
import { CaseId, ContestantKey } from "@agent-arena/core/domain/Ids"
import type { ProviderProfile } from "@agent-arena/core/domain/Settings"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Shape of the keys used in tests: long enough to be scrubbed, and easy to find in a text. */
export const testKey = "sk-test-0123456789abcdef"

export const cell: CellContext = {
  contestant: ContestantKey.make("contestant"),
  caseId: CaseId.make("case"),
  trial: 1,
  attempt: 1,
  tags: [],
  metadata: {},
  generate: () => Effect.fail(GenerationError.make({ reason: "target", detail: "no inner calls here" }))
}

export const request = (fields: Partial<GenerationRequest> = {}): GenerationRequest => ({
  messages: [{ role: "user", content: "Where is my order?" }],
  prompt: "Where is my order?",
  system: null,
  maxTokens: null,
  temperature: null,
  seed: null,
  params: {},
  ...fields
})

export const profile = (fields: Partial<ProviderProfile> & { readonly kind: string }): ProviderProfile => ({
  id: "p",
  baseUrl: null,
  apiKeyRef: null,
  headers: {},
  timeoutS: null,
  verifyTls: true,
  caFile: null,
  proxy: null,
  modelPrefix: null,
  package: null,
  rateLimit: { rpm: null, tpm: null, concurrency: null, burst: null },
  retry: { attempts: null, backoffS: null },
  params: {},
  position: { file: "config.yaml", line: 1, column: 1 },
  ...fields
})

export interface ModelConfig {
  readonly kind: string
  readonly model: string
  readonly apiBase?: string
  readonly apiKeyEnv?: string
  readonly profile?: ProviderProfile
  readonly env?: Readonly<Record<string, string>>
  readonly root?: string
  readonly idleTimeoutS?: number
  readonly params?: Readonly<Record<string, unknown>>
}

export const config = (options: ModelConfig): ConnectorConfig => ({
  source: {
    _tag: "Model",
    model: options.model,
    provider: options.kind,
    apiKeyEnv: options.apiKeyEnv ?? null,
    apiBase: options.apiBase ?? null
  },
  kind: options.kind,
  profile: options.profile ?? null,
  model: options.model,
  params: options.params ?? {},
  root: options.root ?? import.meta.dirname,
  env: options.env ?? {},
  exposeReference: false,
  blocking: false,
  ...(options.idleTimeoutS === undefined ? {} : { idleTimeoutS: options.idleTimeoutS })
})

/** The connector of a model, built through the registry as the engine does. */
export const connect = (options: ModelConfig) =>
  Effect.gen(function* () {
    const registry = yield* ConnectorRegistry
    const factory = registry.get(options.kind)
    if (factory === undefined) return yield* Effect.die(new Error(`no kind ${options.kind}`))
    const context = yield* Layer.build(factory(config(options)))
    return yield* Effect.provideContext(Effect.service(Connector), context)
  }).pipe(Effect.provide(layer))

/** One request to a model. */
export const ask = (options: ModelConfig, fields: Partial<GenerationRequest> = {}) =>
  Effect.flatMap(
    connect(options),
    (connector): Effect.Effect<Generation, GenerationError.GenerationError> =>
      connector.generate(request({ ...fields, params: { ...options.params, ...fields.params } }), cell)
  )
