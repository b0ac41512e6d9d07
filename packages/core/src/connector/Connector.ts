import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { ContestantSource } from "../domain/Contestant.ts"
import type { CellContext, Generation, GenerationRequest } from "../domain/Generation.ts"
import type { GenerationError } from "../domain/GenerationError.ts"
import type { ProviderProfile } from "../domain/Settings.ts"
import type { Params } from "../domain/TestCase.ts"

/** A connector that cannot be built: the contestant is skipped with this reason. Never contains a secret. */
export class ConnectorError extends Schema.TaggedError<ConnectorError>()("ConnectorError", {
  detail: Schema.String,
  /** The exact thing to do; null when the detail says it. */
  suggestion: Schema.NullOr(Schema.String)
}) {
  override get message(): string {
    return this.suggestion === null ? this.detail : `${this.detail} (${this.suggestion})`
  }
}

/** Everything a connector is built from. Plain data but for inline targets, so that it can cross a worker boundary. */
export interface ConnectorConfig<R = never> {
  readonly source: ContestantSource<R>
  /** Kind that was resolved from the profile, the entry or the model id: `mock`, `callable`, `command`, `url`, `anthropic`, … */
  readonly kind: string
  readonly profile: ProviderProfile | null
  /** Model id sent to the provider (prefix of the profile applied, routing prefix removed). */
  readonly model: string
  readonly params: Params
  /** Absolute project folder: module paths, `.env`, `node_modules` of the project. */
  readonly root: string
  /** Variables visible to this project: its `.env` under the process environment. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly exposeReference: boolean
  readonly blocking: boolean
  /** `run.idle_timeout_s`: a stream that stays silent for so long is cut; 0 = off, absent = 60. Seconds. */
  readonly idleTimeoutS?: number
  /** `run.request_timeout_s`, for clients that have a limit of their own; 0 or absent = the client's own default. Seconds. */
  readonly requestTimeoutS?: number
}

/** Talks to one provider account, or runs one target. One try per call: the engine alone retries, times out and limits. */
export class Connector extends Context.Service<
  Connector,
  {
    /** Name recorded as the result's `provider`. */
    readonly provider: string
    /** Fails with `GenerationError` only; must stop what it does when interrupted. */
    readonly generate: (request: GenerationRequest, cell: CellContext) => Effect.Effect<Generation, GenerationError>
    /** Why this contestant cannot run now; null = ready. Bounded (5 s), spends nothing. */
    readonly healthCheck: Effect.Effect<string | null>
    /** Secrets this connector knows, for scrubbing by value. */
    readonly secrets: ReadonlyArray<Redacted.Redacted<string>>
  }
>()("@agent-arena/core/connector/Connector") {}

/** Builds the Layer of one kind of connector. Must be cheap: heavy imports happen inside the Layer. */
export type ConnectorFactory = (config: ConnectorConfig) => Layer.Layer<Connector, ConnectorError>
