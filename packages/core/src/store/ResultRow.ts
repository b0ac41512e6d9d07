/**
 * A `CallResult` as a row and back, exactly.
 *
 * Every scalar has a column, numbers in their binary form, because that is what makes a row cheap; only what has no
 * column, or does not fit it exactly (minus zero, lone surrogates, NUL), goes into the JSON object `record`, whose
 * members win over the columns when the row is read.
 */
import type { Attempt, CallResult } from "../domain/CallResult.ts"
import type { TokenUsage } from "../domain/Generation.ts"
import * as ExactJson from "./ExactJson.ts"
import type { ResultRow } from "./ResultColumns.ts"
import type { SqliteParams } from "./SqliteClient.ts"
import { isPlain } from "./TextColumn.ts"

/** Where a result belongs, and what its contestant says of it anyway. */
export interface Place {
  readonly run: number
  readonly caseIx: number
  readonly contestantIx: number
  readonly segment: number
  readonly model: string
  readonly provider: string
}

const isMinusZero = (value: number | null): boolean => value === 0 && 1 / value < 0

const isEmpty = (value: object): boolean => {
  for (const _ in value) return false
  return true
}

/** A text has a column only for reading; the whole error is in the record. */
const errorColumn = (result: CallResult): string | null =>
  result.error === null ? null : result.error.message.toWellFormed().replaceAll("\0", "")

/** The scorer's name when the result itself says everything that its only scorer said; else null. */
const soleScorer = (result: CallResult): string | null => {
  const only = result.scores.length === 1 ? result.scores[0] : undefined
  return only !== undefined &&
    only.weight === 1 &&
    only.score === result.score &&
    !isMinusZero(only.score) &&
    !isMinusZero(result.score) &&
    only.passed === result.passed &&
    only.reason === result.reason &&
    isPlain(only.reason) &&
    isPlain(only.scorer) &&
    isEmpty(only.detail) &&
    isEmpty(only.metrics)
    ? only.scorer
    : null
}

/** Whether the columns say everything about the attempts. */
const isPlainAttempts = (attempts: ReadonlyArray<Attempt>): boolean => {
  const [first] = attempts
  if (first === undefined) return true
  return (
    attempts.length === 1 &&
    first.error === null &&
    first.usage === undefined &&
    first.costUsd === undefined &&
    first.waitMs === 0 &&
    !isMinusZero(first.waitMs) &&
    !isMinusZero(first.startedAt) &&
    !isMinusZero(first.durationMs)
  )
}

const isExactUsage = (usage: TokenUsage): boolean =>
  !(
    isMinusZero(usage.prompt) ||
    isMinusZero(usage.completion) ||
    isMinusZero(usage.cachedRead) ||
    isMinusZero(usage.cachedWrite) ||
    isMinusZero(usage.reasoning)
  )

type Fields = { -readonly [K in keyof CallResult]?: CallResult[K] }

/** Fields without a column, each with the test for the value that is left out; `fromRow` fills in the same values. */
const isNull = (value: unknown) => value === null || value === undefined
const isNone = (value: ReadonlyArray<unknown>) => value.length === 0
const isNothing = (value: number) => value === 0 && !isMinusZero(value)

const addUncolumned = (result: CallResult, fields: Fields): void => {
  if (!isNull(result.servedModel)) fields.servedModel = result.servedModel
  if (!isNull(result.originalOutput)) fields.originalOutput = result.originalOutput
  if (!isNull(result.reasoning)) fields.reasoning = result.reasoning
  if (!isNull(result.error)) fields.error = result.error
  if (!isNothing(result.rateLimitWaitMs)) fields.rateLimitWaitMs = result.rateLimitWaitMs
  if (!isNothing(result.retryWaitMs)) fields.retryWaitMs = result.retryWaitMs
  if (!isNone(result.steps)) fields.steps = result.steps
  if (!isEmpty(result.metrics)) fields.metrics = result.metrics
  if (!isNull(result.finishReason)) fields.finishReason = result.finishReason
  if (!isNull(result.responseId)) fields.responseId = result.responseId
  if (!isNull(result.requestId)) fields.requestId = result.requestId
  if (!isNone(result.toolCalls)) fields.toolCalls = result.toolCalls
  if (!isNone(result.settingsApplied)) fields.settingsApplied = result.settingsApplied
  if (!isNone(result.settingsDropped)) fields.settingsDropped = result.settingsDropped
  if (!isNull(result.trace)) fields.trace = result.trace
  if (result.answeredFrom !== undefined) fields.answeredFrom = result.answeredFrom
  if (result.scoringSteps !== undefined) fields.scoringSteps = result.scoringSteps
}

/** Fields whose column would not give back the same value. */
const addInexact = (result: CallResult, fields: Fields): void => {
  if (isMinusZero(result.score)) fields.score = result.score
  if (isMinusZero(result.latencyMs)) fields.latencyMs = result.latencyMs
  if (isMinusZero(result.timeToFirstTokenMs)) fields.timeToFirstTokenMs = result.timeToFirstTokenMs
  if (isMinusZero(result.durationMs)) fields.durationMs = result.durationMs
  if (isMinusZero(result.costUsd)) fields.costUsd = result.costUsd
  if (isMinusZero(result.startedAt)) fields.startedAt = result.startedAt
  if (isMinusZero(result.finishedAt)) fields.finishedAt = result.finishedAt
  if (!isExactUsage(result.usage)) fields.usage = result.usage
  if (!isPlain(result.reason)) fields.reason = result.reason
  if (result.output !== null && !isPlain(result.output)) fields.output = result.output
}

const recordOf = (place: Place, result: CallResult, scorer: string | null): string | null => {
  const fields: Fields = {}
  if (result.model !== place.model) fields.model = result.model
  if (result.provider !== place.provider) fields.provider = result.provider
  if (scorer === null && result.scores.length > 0) fields.scores = result.scores
  if (!isPlainAttempts(result.attempts)) fields.attempts = result.attempts
  addUncolumned(result, fields)
  addInexact(result, fields)
  return isEmpty(fields) ? null : ExactJson.stringify(fields)
}

/** The parameters of `ResultColumns.write`. `paidUsd` is what the run has paid for it now; null = unknown. */
export const toParams = (place: Place, result: CallResult, paidUsd: number | null): SqliteParams => {
  const { usage } = result
  const scorer = soleScorer(result)
  const first = result.attempts[0]
  return [
    place.run,
    place.caseIx,
    place.contestantIx,
    result.trial,
    place.segment,
    result.status,
    result.stopReason,
    result.score,
    result.passed === null ? null : result.passed ? 1 : 0,
    result.latencyMs,
    result.timeToFirstTokenMs,
    result.durationMs,
    result.costUsd,
    result.costSource,
    paidUsd,
    usage.prompt,
    usage.completion,
    usage.cachedRead,
    usage.cachedWrite,
    usage.reasoning,
    result.attempts.length,
    first === undefined ? null : first.startedAt,
    first === undefined ? null : first.durationMs,
    result.startedAt,
    result.finishedAt,
    scorer,
    result.reason,
    errorColumn(result),
    result.output,
    recordOf(place, result, scorer)
  ]
}

const attemptsOf = (row: ResultRow): CallResult["attempts"] =>
  row.attempts === 1 && row.attempt_at !== null && row.attempt_ms !== null
    ? [{ startedAt: row.attempt_at, durationMs: row.attempt_ms, error: null, waitMs: 0 }]
    : []

const passedOf = (row: ResultRow): boolean | null => (row.passed === null ? null : row.passed === 1)

const scoresOf = (row: ResultRow): CallResult["scores"] =>
  row.scorer === null
    ? []
    : [
        {
          scorer: row.scorer,
          weight: 1,
          score: row.score,
          passed: passedOf(row),
          reason: row.reason,
          detail: {},
          metrics: {}
        }
      ]

/** The result that was written. `place` names the row's case and contestant. */
export const fromRow = (
  place: Pick<CallResult, "contestant" | "caseId" | "model" | "provider">,
  row: ResultRow
): CallResult => {
  const result: CallResult = {
    contestant: place.contestant,
    caseId: place.caseId,
    trial: row.trial,
    status: row.status,
    stopReason: row.stop_reason,
    model: place.model,
    provider: place.provider,
    servedModel: null,
    output: row.output,
    originalOutput: null,
    reasoning: null,
    score: row.score,
    passed: passedOf(row),
    reason: row.reason,
    scores: scoresOf(row),
    error: null,
    latencyMs: row.latency_ms,
    timeToFirstTokenMs: row.first_token_ms,
    rateLimitWaitMs: 0,
    retryWaitMs: 0,
    durationMs: row.duration_ms,
    usage: {
      prompt: row.prompt_tokens,
      completion: row.completion_tokens,
      cachedRead: row.cached_read_tokens,
      cachedWrite: row.cached_write_tokens,
      reasoning: row.reasoning_tokens
    },
    costUsd: row.cost_usd,
    costSource: row.cost_source,
    attempts: attemptsOf(row),
    steps: [],
    metrics: {},
    finishReason: null,
    responseId: null,
    requestId: null,
    toolCalls: [],
    settingsApplied: [],
    settingsDropped: [],
    trace: null,
    startedAt: row.started_at,
    finishedAt: row.finished_at
  }
  return row.record === null ? result : Object.assign(result, JSON.parse(row.record))
}
