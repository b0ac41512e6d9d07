import type { CallResult } from "../domain/CallResult.ts"
import type { RunEventBody } from "./RunEvents.ts"

/** What is told of a cell that has ended. `reused` = nothing was asked for it now. */
export const finishedEvent = (
  result: CallResult,
  reused: boolean
): RunEventBody & { readonly _tag: "CellFinished" } => ({
  _tag: "CellFinished",
  contestant: result.contestant,
  caseId: result.caseId,
  trial: result.trial,
  status: result.status,
  stopReason: result.stopReason,
  score: result.score,
  passed: result.passed,
  latencyMs: result.latencyMs,
  costUsd: result.costUsd,
  promptTokens: result.usage.prompt,
  completionTokens: result.usage.completion,
  attempts: result.attempts.length,
  error: result.error,
  reused
})
