import type { CallResult } from "../domain/CallResult.ts"
import type { RankingRules } from "../domain/Project.ts"

/** The numbers of a result that ranking needs. */
export type MeasuredCell = Pick<
  CallResult,
  | "contestant"
  | "caseId"
  | "trial"
  | "status"
  | "stopReason"
  | "score"
  | "passed"
  | "latencyMs"
  | "costUsd"
  | "usage"
  | "metrics"
  | "error"
>

/** Compact, mutable table of measured cells (typed arrays): a few dozen bytes a cell, whatever the outputs weigh. */
export interface Measurements {
  readonly rules: RankingRules
  /** Records a cell, replacing what stood there. Cells that the rules do not know are ignored. */
  readonly add: (result: MeasuredCell) => void
}
