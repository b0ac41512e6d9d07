/** Answers from a list instead of a model, for trying a scenario without spending anything. */
import * as Effect from "effect/Effect"
import { unknownUsage } from "../../domain/Generation.ts"
import type { GenerationError } from "../../domain/GenerationError.ts"
import * as GenerationErrors from "../../domain/GenerationError.ts"
import type { Respond, TurnAnswer } from "./PlayContext.ts"

/** One scripted answer: a text, or a failure. */
export type ScriptedAnswer =
  | string
  | { readonly error: string }
  | {
      readonly text: string
      readonly tool_calls?: ReadonlyArray<unknown>
      readonly tokens?: number
      readonly cost_usd?: number
    }

const answerOf = (item: Exclude<ScriptedAnswer, { readonly error: string }>): TurnAnswer => {
  const fields = typeof item === "string" ? { text: item } : item
  return {
    text: fields.text,
    usage: fields.tokens === undefined ? unknownUsage : { ...unknownUsage, prompt: 0, completion: fields.tokens },
    costUsd: fields.cost_usd ?? null,
    latencyMs: null,
    toolCalls: fields.tool_calls ?? []
  }
}

const fail = (detail: string): Effect.Effect<never, GenerationError> =>
  Effect.fail(GenerationErrors.make({ reason: "unknown", detail }))

/** Gives the answers in their order, one a call; then fails. */
export const scripted = (answers: ReadonlyArray<ScriptedAnswer>): Respond => {
  let next = 0
  return () =>
    Effect.suspend(() => {
      const item = answers[next]
      next += 1
      if (item === undefined) return fail(`there is no answer number ${next}: the script has ${answers.length}`)
      return typeof item === "object" && "error" in item ? fail(item.error) : Effect.succeed(answerOf(item))
    })
}

/** Replies of a scripted judge, in their order. */
export const scriptedJudge = (replies: ReadonlyArray<string>) => {
  let next = 0
  return (): Effect.Effect<string, GenerationError> =>
    Effect.suspend(() => {
      const reply = replies[next]
      next += 1
      return reply === undefined ? fail(`there is no judge's reply number ${next}`) : Effect.succeed(reply)
    })
}
