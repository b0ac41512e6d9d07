/** One result in the JSON report and one row of the CSV report: the same names for the same things. */
import type { CallResult, CellError } from "../domain/CallResult.ts"

const cellError = (error: CellError | null) =>
  error === null
    ? null
    : { kind: error.kind, reason: error.reason, status: error.status, source: error.source, message: error.message }

/** Names of the scorers that judged the cell, joined by `+`; null when none did. */
export const evalType = (result: CallResult): string | null =>
  result.scores.length === 0 ? null : result.scores.map(({ scorer }) => scorer).join("+")

/** `live`, `cache` or `replay`; null when nothing was answered. */
export const answeredFrom = (result: CallResult): string | null =>
  result.output === null ? null : (result.answeredFrom ?? "live")

export const toJson = (result: CallResult, tags: ReadonlyArray<string>) => ({
  model_key: result.contestant,
  model: result.model,
  provider: result.provider,
  served_model: result.servedModel,
  test_id: result.caseId,
  trial: result.trial,
  eval_type: evalType(result),
  status: result.status,
  stop_reason: result.stopReason,
  score: result.score,
  passed: result.passed,
  output: result.output,
  original_output: result.originalOutput,
  reason: result.reason,
  latency_ms: result.latencyMs,
  time_to_first_token_ms: result.timeToFirstTokenMs,
  rate_limit_wait_ms: result.rateLimitWaitMs,
  retry_wait_ms: result.retryWaitMs,
  input_tokens: result.usage.prompt,
  output_tokens: result.usage.completion,
  cached_read_tokens: result.usage.cachedRead,
  cached_write_tokens: result.usage.cachedWrite,
  reasoning_tokens: result.usage.reasoning,
  cost_usd: result.costUsd,
  cost_source: result.costSource,
  answered_from: answeredFrom(result),
  attempts: result.attempts.length,
  error: cellError(result.error),
  tags,
  metrics: result.metrics,
  scores: result.scores.map(({ passed, reason, score, scorer, weight }) => ({ scorer, weight, score, passed, reason }))
})
