import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { CellContext, TokenUsage } from "../domain/Generation.ts"
import type { GenerationError } from "../domain/GenerationError.ts"
import type { JudgeSettings } from "../domain/Settings.ts"
import type { Params } from "../domain/TestCase.ts"
import { unfence } from "./Fences.ts"

/**
 * Name under which the judge of a project is called through `CellContext.generate`: the engine answers it with the model
 * of `judge:`, whatever contestants are called.
 */
export const judgeName = "@judge"

/** A question to a judge. */
export interface JudgeRequest {
  readonly system: string | null
  readonly prompt: string
  /** JSON Schema of the reply, asked for as structured output where the provider can. */
  readonly schema: Params
}

/** What a judge replied, as it came. */
export interface JudgeReply {
  readonly text: string
  readonly usage: TokenUsage
  /** USD; null = unknown. */
  readonly costUsd: number | null
  /** Of the successful attempt, ms. */
  readonly latencyMs: number
}

/**
 * Answers questions about answers. A program may provide its own; without one, the judge of the project is asked through
 * the arena, so that its calls are retried, limited, priced and recorded like any other.
 */
export class Judge extends Context.Service<
  Judge,
  { readonly ask: (request: JudgeRequest) => Effect.Effect<JudgeReply, GenerationError> }
>()("@agent-arena/core/scoring/Judge") {}

/** The judge of a project, asked from inside a cell. */
export const inCell = (settings: JudgeSettings, cell: CellContext): Judge["Service"] => ({
  ask: ({ system, prompt, schema }) =>
    cell.generate(judgeName, {
      prompt,
      system,
      maxTokens: settings.maxTokens,
      temperature: settings.temperature,
      params: {
        ...settings.params,
        response_format: { type: "json_schema", json_schema: { name: "verdict", schema } }
      }
    })
})

/** What a judge decided. */
export interface JudgeVerdict {
  /** 0..1. */
  readonly score: number
  /** Null = the threshold decides. */
  readonly passed: boolean | null
  readonly reason: string
}

/** The reply that is asked for. The reason comes first, so that it is written before the score is. */
export const verdictSchema: Params = {
  type: "object",
  properties: {
    reason: { type: "string", description: "One sentence." },
    score: { type: "number", minimum: 0, maximum: 1 },
    passed: { type: "boolean" }
  },
  required: ["reason", "score"],
  additionalProperties: false
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(unfence(text))
  } catch {
    return undefined
  }
}

const unusable = (why: string) => Result.fail(`the judge's reply is not usable: ${why}`)

/**
 * Reads a reply: one JSON object with a `score` of 0..1 and nothing around it but a fence. Anything else is refused:
 * a verdict is never guessed from prose, rescaled, or taken from something the judge only quotes.
 */
export const readVerdict = (reply: string): Result.Result<JudgeVerdict, string> => {
  const value = parse(reply)
  if (typeof value !== "object" || value === null || Array.isArray(value)) return unusable("it is not one JSON object")
  const fields = new Map(Object.entries(value))
  const score: unknown = fields.get("score")
  if (typeof score !== "number") return unusable("it has no number as score")
  if (!(score >= 0 && score <= 1)) return unusable(`its score ${score} is outside of 0..1`)
  const passed: unknown = fields.get("passed") ?? null
  if (passed !== null && typeof passed !== "boolean") return unusable("passed is neither true nor false")
  const reason: unknown = fields.get("reason") ?? ""
  if (typeof reason !== "string") return unusable("its reason is not text")
  return Result.succeed({ score, passed, reason })
}
