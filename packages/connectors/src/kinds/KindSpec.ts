import type { ConnectorConfig, ConnectorError } from "@agent-arena/core/connector/Connector"
import type { LanguageModelV4 } from "@ai-sdk/provider"
import type * as Effect from "effect/Effect"
import type { ExtraParams } from "../adapter/Call.ts"
import type { Answer } from "../adapter/Collect.ts"
import type { Fetch } from "../transport/Fetch.ts"

/** Everything a provider package is configured with. Secrets are plain here: it goes no further than the package. */
export interface Setup {
  readonly config: ConnectorConfig
  /** Address with version path, without trailing slash; null = the package's own. */
  readonly baseUrl: string | null
  readonly query: Readonly<Record<string, string>>
  readonly key: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: Fetch
}

/** One kind of provider, as data; what is heavy is loaded by `model`. */
export interface KindSpec {
  /** Name in configs, recorded as the provider of results. */
  readonly kind: string
  /** Variables that usually hold the key, the most common first; empty = none. */
  readonly keyVariables: ReadonlyArray<string>
  /** Whether there is no use in trying without a key. */
  readonly keyRequired: boolean
  /** Variables that usually hold another address. */
  readonly urlVariables: ReadonlyArray<string>
  /** Address when nothing else is said; null = the package's own. */
  readonly defaultUrl: string | null
  /** Version segment that is added to an address without one. */
  readonly versionPath: string
  /** Whether `GET {address}/models` tells if the server is there and has the model. */
  readonly probed: boolean
  /** Other variables whose values must never be shown. */
  readonly secretVariables?: ReadonlyArray<string>
  /** Where params without a common name go; null = into the package's options, under the model's provider name. */
  readonly extras: ExtraParams | null
  readonly reportedCost?: (answer: Answer) => number | null
  readonly model: (setup: Setup) => Effect.Effect<LanguageModelV4, ConnectorError>
}
