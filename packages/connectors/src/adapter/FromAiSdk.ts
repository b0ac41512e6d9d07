import type { Connector } from "@agent-arena/core/connector/Connector"
import type { GenerationRequest } from "@agent-arena/core/domain/Generation"
import * as GenerationError from "@agent-arena/core/domain/GenerationError"
import { scrubber } from "@agent-arena/core/domain/Secrets"
import type { LanguageModelV4 } from "@ai-sdk/provider"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as CallNotes from "../transport/CallNotes.ts"
import type { Call, ExtraParams } from "./Call.ts"
import * as Calls from "./Call.ts"
import type * as Collect from "./Collect.ts"
import * as Errors from "./Errors.ts"
import * as Outcome from "./Outcome.ts"
import * as Settings from "./Settings.ts"

/** How to use a model of the AI SDK (specification v4) as a connector. Only `model` is needed. */
export interface AiSdkOptions {
  readonly model: LanguageModelV4
  /** Name recorded as the result's provider; the model's own by default. */
  readonly provider?: string
  /** Values that must never appear in an error. */
  readonly secrets?: ReadonlyArray<Redacted.Redacted<string>>
  /** Folder against which attachments are resolved; the working directory by default. */
  readonly root?: string
  /** A stream that stays silent for so long is cut; 0 = off; 60 by default. Seconds. */
  readonly idleTimeoutS?: number
  /** Limit of a whole call; 0 = off; 600 by default. The engine has limits of its own. Seconds. */
  readonly timeoutS?: number
  readonly extras?: ExtraParams
  /** Address to name in errors of the connection. */
  readonly address?: string
  readonly healthCheck?: Effect.Effect<string | null>
  /** Cost that the provider itself reported, USD; null = it did not. */
  readonly reportedCost?: (answer: Collect.Answer) => number | null
}

const defaultIdleS = 60
const defaultTimeoutS = 600

const timeoutError = (seconds: number): GenerationError.GenerationError =>
  GenerationError.make({ reason: "timeout", detail: `no complete answer within ${seconds} s` })

/** A connector over any AI SDK model. One try per call: the SDK's own retries are never used. */
export const fromAiSdk = (options: AiSdkOptions): Connector["Service"] => {
  const provider = options.provider ?? options.model.provider
  const secrets = options.secrets ?? []
  const scrub = scrubber(secrets)
  const extras: ExtraParams = options.extras ?? {
    _tag: "ProviderOptions",
    namespace: options.model.provider.split(".")[0] ?? options.model.provider
  }
  const root = options.root ?? "."
  const idleMs = (options.idleTimeoutS ?? defaultIdleS) * 1000
  const timeoutS = options.timeoutS ?? defaultTimeoutS

  const failure = (error: unknown, nowMs: number, call: Call | null) =>
    Errors.toGenerationError(error, {
      scrub,
      nowMs,
      headers: call?.notes.response?.headers ?? null,
      started: call?.notes.response != null,
      address: options.address ?? null
    })

  const run = Effect.fnUntraced(function* (request: GenerationRequest) {
    const clock = yield* Clock.Clock
    const nowMs = () => clock.currentTimeMillisUnsafe()
    const settings = yield* Effect.try({
      try: () => Settings.read(request),
      catch: (error) => failure(error, nowMs(), null)
    })
    const call = Calls.make(settings, extras, clock)
    const attempt = Effect.tryPromise({
      try: async (signal) => {
        CallNotes.attach(signal, call.notes)
        await Calls.exchange(options.model, call, await Calls.callOptions(call, request, extras, root, signal))
      },
      catch: (error) => error
    })
    const watched = idleMs > 0 ? Effect.raceFirst(attempt, Calls.watchIdle(call, idleMs)) : attempt
    yield* Effect.mapError(watched, (error) => failure(error, nowMs(), call))
    const wrong = Outcome.defectError(call)
    if (wrong !== null) return yield* wrong
    return Outcome.toGeneration(call, extras, options.reportedCost?.(call.answer) ?? null, nowMs())
  })

  return {
    provider,
    secrets,
    healthCheck: options.healthCheck ?? Effect.succeed(null),
    generate: (request) =>
      timeoutS > 0
        ? Effect.timeoutOrElse(run(request), {
            duration: Duration.seconds(timeoutS),
            orElse: () => Effect.fail(timeoutError(timeoutS))
          })
        : run(request)
  }
}
