/** One call of a model: what is asked, how it runs, and when it is too silent. */
import type { GenerationRequest } from "@agent-arena/core/domain/Generation"
import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as CallNotes from "../transport/CallNotes.ts"
import * as Collect from "./Collect.ts"
import * as Prompt from "./Prompt.ts"
import type * as Settings from "./Settings.ts"

type Json = Readonly<Record<string, unknown>>

/** Where params without a common name go. */
export type ExtraParams =
  /** Into the JSON body of the request, by a function of body and params. */
  | { readonly _tag: "Body"; readonly merge: (body: Record<string, unknown>, extras: Json) => Record<string, unknown> }
  /** Into the provider package's own options, under its name, and there in `field` if one is given. */
  | { readonly _tag: "ProviderOptions"; readonly namespace: string; readonly field?: string }

/** One call while it runs. */
export interface Call {
  readonly answer: Collect.Answer
  readonly notes: CallNotes.CallNotes
  readonly settings: Settings.Settings
  readonly now: () => number
  readonly startedAt: number
  /** When something last arrived; null = nothing yet. */
  lastActivityAt: number | null
  /** The request as the package says it sent it; undefined = it does not say. */
  sent: unknown
}

const editBody = (extras: ExtraParams, params: Json): CallNotes.CallNotes["editBody"] =>
  extras._tag === "Body" && Object.keys(params).length > 0 ? (body) => extras.merge(body, params) : null

export const make = (settings: Settings.Settings, extras: ExtraParams, clock: Clock.Clock): Call => {
  const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
  const call: Call = {
    answer: Collect.emptyAnswer(),
    settings,
    now,
    startedAt: now(),
    lastActivityAt: null,
    sent: undefined,
    notes: {
      editBody: editBody(extras, settings.extras),
      onActivity: () => {
        call.lastActivityAt = now()
      },
      wasWhole: false,
      response: null
    }
  }
  return call
}

/** The options of the call; reads the files that its messages name. */
export const callOptions = async (
  call: Call,
  request: GenerationRequest,
  extras: ExtraParams,
  root: string,
  signal: AbortSignal
): Promise<LanguageModelV4CallOptions> => {
  const { options, extras: params } = call.settings
  const base = { ...options, prompt: await Prompt.make(request, root, signal), abortSignal: signal }
  if (extras._tag === "Body" || Object.keys(params).length === 0) return base
  const placed = extras.field === undefined ? params : { [extras.field]: params }
  const merged = { ...placed, ...options.providerOptions?.[extras.namespace] }
  // Params are JSON by construction (they come from a config file), which the type of the loader does not say.
  const own = { [extras.namespace]: merged } as NonNullable<LanguageModelV4CallOptions["providerOptions"]>
  return { ...base, providerOptions: { ...options.providerOptions, ...own } }
}

/** Sends the request and reads the answer to its end. */
export const exchange = async (
  model: LanguageModelV4,
  call: Call,
  options: LanguageModelV4CallOptions
): Promise<void> => {
  if (!call.settings.stream) {
    const result = await model.doGenerate(options)
    call.sent = result.request?.body
    return Collect.readWhole(result, call.answer)
  }
  const { stream, request, response } = await model.doStream(options)
  call.sent = request?.body
  if (call.notes.response === null && response?.headers !== undefined) {
    call.notes.response = { status: 200, headers: response.headers }
  }
  call.notes.onActivity()
  await Collect.readStream(stream, call.answer, call.now, call.notes.onActivity)
}

class IdleError extends Error {
  readonly code = "ARENA_IDLE"
}

/** Fails when nothing arrives for `limitMs` once the answer has begun; never succeeds. */
export const watchIdle = Effect.fnUntraced(function* (call: Call, limitMs: number) {
  while (true) {
    const silence = call.lastActivityAt === null ? 0 : call.now() - call.lastActivityAt
    if (silence >= limitMs) {
      return yield* Effect.fail<unknown>(new IdleError(`the answer stopped: nothing arrived for ${limitMs / 1000} s`))
    }
    yield* Effect.sleep(Duration.millis(limitMs - silence))
  }
})
