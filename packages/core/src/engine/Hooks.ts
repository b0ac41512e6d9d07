import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CallResult } from "../domain/CallResult.ts"
import type { CellContext, GenerationRequest } from "../domain/Generation.ts"
import * as Message from "../domain/Message.ts"
import type { TestCase } from "../domain/TestCase.ts"

/** A hook that failed or returned what it must not; makes that cell an error with the hook's name. */
export class HookError extends Schema.TaggedError<HookError>()("HookError", {
  hook: Schema.Literals(["pre_request", "post_process", "on_result"]),
  detail: Schema.String
}) {
  override get message(): string {
    return `hook '${this.hook}': ${this.detail}`
  }
}

/** The functions of the project, as its module exports them; null = not configured. */
export interface Hooks {
  readonly preRequest: HookFunction | null
  readonly postProcess: HookFunction | null
  readonly onResult: HookFunction | null
}

/** A function of a project module: synchronous, async, or returning an `Effect`. */
export type HookFunction = (...args: ReadonlyArray<unknown>) => unknown

export const none: Hooks = { preRequest: null, postProcess: null, onResult: null }

/** What `post_process` may say about an answer; an absent field changes nothing. */
const Verdict = Schema.Struct({
  output: Schema.optionalKey(Schema.String),
  score: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))),
  passed: Schema.optionalKey(Schema.Boolean),
  reason: Schema.optionalKey(Schema.String),
  metrics: Schema.optionalKey(Schema.Record(Schema.String, Schema.Finite)),
  detail: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
})
export type PostProcessed = typeof Verdict.Type

const decodeVerdict = Schema.decodeUnknownEffect(Verdict, { onExcessProperty: "error" })

const decodeRequest = Schema.decodeUnknownEffect(
  Schema.Struct({
    messages: Schema.NonEmptyArray(Message.Message),
    system: Schema.NullOr(Schema.String),
    maxTokens: Schema.NullOr(Schema.Int),
    temperature: Schema.NullOr(Schema.Finite),
    seed: Schema.NullOr(Schema.Int),
    params: Schema.Record(Schema.String, Schema.Unknown)
  })
)

const describe = (cause: unknown): string =>
  cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

/** Calls a hook and waits for what it returns; every way of failing becomes a `HookError`. */
const invoke = (
  hook: HookError["hook"],
  run: HookFunction,
  args: ReadonlyArray<unknown>
): Effect.Effect<unknown, HookError> => {
  const failed = (cause: unknown) => new HookError({ hook, detail: describe(cause) })
  return Effect.suspend((): Effect.Effect<unknown, HookError> => {
    let value: unknown
    try {
      value = run(...args)
    } catch (cause) {
      return Effect.fail(failed(cause))
    }
    if (Effect.isEffect(value)) return Effect.mapError(value as Effect.Effect<unknown, unknown>, failed)
    return isPromise(value) ? Effect.tryPromise({ try: () => value, catch: failed }) : Effect.succeed(value)
  })
}

/** `pre_request(request, case, contestant key)`: the request to send instead, or null for "unchanged". */
export const preRequest = (
  run: HookFunction,
  request: GenerationRequest,
  testCase: TestCase,
  cell: Pick<CellContext, "contestant">
): Effect.Effect<GenerationRequest, HookError> =>
  Effect.flatMap(invoke("pre_request", run, [request, testCase, cell.contestant]), (value) => {
    if (value === null || value === undefined || value === request) return Effect.succeed(request)
    const changed = typeof value === "object" ? { ...request, ...value } : value
    return Effect.matchEffect(decodeRequest(changed), {
      onFailure: (issue) =>
        Effect.fail(new HookError({ hook: "pre_request", detail: `returned an unusable request: ${issue.message}` })),
      onSuccess: (decoded) => Effect.succeed({ ...decoded, prompt: Message.toPrompt(decoded.messages) })
    })
  })

/** `post_process(output, case, context)`: null = unchanged, a string = the new output, an object = output and verdict. */
export const postProcess = (
  run: HookFunction,
  output: string,
  testCase: TestCase,
  cell: CellContext
): Effect.Effect<PostProcessed, HookError> =>
  Effect.flatMap(invoke("post_process", run, [output, testCase, cell]), (value) => {
    if (value === null || value === undefined) return Effect.succeed({})
    if (typeof value === "string") return Effect.succeed({ output: value })
    return Effect.mapError(
      decodeVerdict(value),
      (issue) => new HookError({ hook: "post_process", detail: `returned an unusable value: ${issue.message}` })
    )
  })

/** `on_result(result)`: a side effect on a finished record; its return value is ignored. */
export const onResult = (run: HookFunction, result: CallResult): Effect.Effect<void, HookError> =>
  Effect.asVoid(invoke("on_result", run, [result]))
