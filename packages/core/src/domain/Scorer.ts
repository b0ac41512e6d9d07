import type * as Effect from "effect/Effect"
import type { CellContext } from "./Generation.ts"
import type { Score } from "./Score.ts"
import type { ScorerError } from "./ScorerError.ts"
import type { Params, TestCase } from "./TestCase.ts"

/** What a scorer sees besides the output. */
export interface ScorerInput {
  /** The answer, after `post_process`. */
  readonly output: string
  /** Undefined when the case has none. A list means any-of, for every scorer where that makes sense. */
  readonly reference: unknown
  /** `scorers.options.<type>` overlaid by the case's params. */
  readonly params: Params
  readonly testCase: TestCase
  readonly cell: CellContext
}

/** One option of a scorer, for people. */
export interface ScorerParamDoc {
  readonly name: string
  /** What may be written, such as `true | false` or `number 0..1`. */
  readonly type: string
  /** As it would be written in YAML; null = nothing. */
  readonly fallback: string | null
  readonly description: string
}

/** Judges one answer. Total: data errors that can be known beforehand are found by `check`. */
export interface Scorer<R = never> {
  /** Name used as `eval_type`, `scorer` or `scorers[].type`. */
  readonly name: string
  /** One line for `arena scorers`. */
  readonly description: string
  readonly requiresReference: boolean
  /**
   * Judges one answer. A scorer that is synchronous may return the `Score` itself, which is the fast path.
   *
   * @throws nothing; fails with `ScorerError`, which makes the cell an error with the scorer's name.
   */
  readonly score: (input: ScorerInput) => Score | Effect.Effect<Score, ScorerError, R>
  /** Problems with a case that can be known before anything is spent; empty = fine. */
  readonly check: (testCase: TestCase, params: Params) => ReadonlyArray<string>
  /** Where it comes from: `built-in` or the project file. */
  readonly source: string
  /** Whether it may block the event loop, and therefore runs in a worker thread when its file can be loaded there. */
  readonly blocking?: boolean
  /** Its options, when it declares them. */
  readonly params?: ReadonlyArray<ScorerParamDoc>
}
