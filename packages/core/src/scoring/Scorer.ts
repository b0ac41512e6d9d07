import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { CellContext } from "../domain/Generation.ts"
import type { Score } from "../domain/Score.ts"
import type { Scorer, ScorerInput } from "../domain/Scorer.ts"
import { ScorerError } from "../domain/ScorerError.ts"
import type { Params, TestCase } from "../domain/TestCase.ts"
import { readScore, type ScoreValue } from "./ScoreReading.ts"

export type { Scorer } from "../domain/Scorer.ts"

/** What a scoring function sees besides the answer and the reference. */
export interface ScorerContext {
  /** `scorers.options.<name>` overlaid by the case's params. */
  readonly params: Params
  readonly testCase: TestCase
  /** Which cell it is, and `generate` for calls through the arena. */
  readonly cell: CellContext
}

/** Judges one answer: synchronous, async, or an Effect. `reference` is undefined when the case has none. */
export type ScoreFunction<R = never> = (
  output: string,
  reference: unknown,
  context: ScorerContext
) => ScoreValue | PromiseLike<ScoreValue> | Effect.Effect<ScoreValue, unknown, R>

export interface ScorerOptions {
  readonly description?: string
  /** Whether a case without a reference is a data error; default false. */
  readonly requiresReference?: boolean
  /** Runs in a worker thread that can be terminated; for scorers in project files only. */
  readonly blocking?: boolean
  /** Problems with a case that can be known before anything is spent. */
  readonly check?: (testCase: TestCase, params: Params) => ReadonlyArray<string>
  /** Where it comes from, for messages; default `program`. */
  readonly source?: string
}

/** Marks scorers made here, so that another copy of this module knows them from plain objects with a `score`. */
const brand = Symbol.for("@agent-arena/core/scoring/Scorer")

/** Whether a value is a scorer made by `make`, in whichever copy of this module. */
export const isScorer = (value: unknown): value is Scorer =>
  typeof value === "object" && value !== null && Reflect.has(value, brand)

const messageOf = (cause: unknown): string => {
  if (cause instanceof Error) return cause.message === "" ? cause.name : cause.message
  return typeof cause === "string" ? cause : String(cause)
}

const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

const safeCheck = (options: ScorerOptions, testCase: TestCase, params: Params): ReadonlyArray<string> => {
  const missing =
    options.requiresReference === true && testCase.reference === undefined ? ["the case has no reference"] : []
  if (options.check === undefined) return missing
  try {
    return [...missing, ...options.check(testCase, params)]
  } catch (cause) {
    return [...missing, `its check failed: ${messageOf(cause)}`]
  }
}

/**
 * A scorer from a function. Whatever the function does (throws, rejects, dies, returns something that is no score)
 * becomes a `ScorerError` with the scorer's name.
 */
export const make = <R = never>(name: string, score: ScoreFunction<R>, options: ScorerOptions = {}): Scorer<R> => {
  const failed = (cause: unknown) => new ScorerError({ scorer: name, detail: messageOf(cause) })
  const read = (value: unknown): Score | Effect.Effect<never, ScorerError> => {
    const result = readScore(value)
    return Result.isSuccess(result) ? result.success : Effect.fail(failed(result.failure))
  }
  const readLater = (value: unknown): Effect.Effect<Score, ScorerError> => {
    const result = readScore(value)
    return Result.isSuccess(result) ? Effect.succeed(result.success) : Effect.fail(failed(result.failure))
  }
  const settle = <E>(effect: Effect.Effect<unknown, E, R>): Effect.Effect<Score, ScorerError, R> =>
    Effect.flatMap(
      Effect.catchCause(
        effect,
        (cause): Effect.Effect<never, ScorerError> =>
          Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.fail(failed(Cause.squash(cause)))
      ),
      readLater
    )

  const scorer: Scorer<R> = {
    name,
    description: options.description ?? "",
    requiresReference: options.requiresReference ?? false,
    source: options.source ?? "program",
    ...(options.blocking === true ? { blocking: true } : {}),
    check: (testCase, params) => safeCheck(options, testCase, params),
    score: ({ output, reference, params, testCase, cell }: ScorerInput) => {
      try {
        const value = score(output, reference, { params, testCase, cell })
        if (Effect.isEffect(value)) return settle(value)
        if (isPromiseLike(value)) return settle(Effect.tryPromise({ try: () => value, catch: (cause) => cause }))
        return read(value)
      } catch (cause) {
        return Effect.fail(failed(cause))
      }
    }
  }
  return Object.assign(scorer, { [brand]: true })
}
