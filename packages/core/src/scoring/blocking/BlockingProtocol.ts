/** What the main thread and the worker of a blocking scorer say to each other. Plain data that can be cloned. */
import type { Score } from "../../domain/Score.ts"
import type { ScorerInput } from "../../domain/Scorer.ts"

/** Which scorer a worker runs: the project file, and the scorer's name in it. */
export interface BlockingStart {
  readonly root: string
  readonly file: string
  /** Name of a scorer that the file does not name itself. */
  readonly fallbackName: string
  readonly scorer: string
}

/** A scorer's input without what cannot be cloned: inner calls are not possible from a blocking scorer. */
export type BlockingInput = Omit<ScorerInput, "cell"> & { readonly cell: Omit<ScorerInput["cell"], "generate"> }

export type BlockingVerdict =
  | { readonly type: "scored"; readonly score: Score }
  | { readonly type: "failed"; readonly detail: string }
