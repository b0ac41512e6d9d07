/** Turns what is known of a cell into its record; nothing that is not known is filled in. */
import type { CallResult, CellError } from "../domain/CallResult.ts"
import type { Generation, Step } from "../domain/Generation.ts"
import { unknownUsage } from "../domain/Generation.ts"
import { scrubTexts } from "../domain/Secrets.ts"
import type { CellScore } from "../scoring/CellScore.ts"
import { keepGrade } from "../scoring/ManualGrades.ts"
import type { CellDraft, CellEnd, CellJob, CellServices } from "./Cell.ts"
import { scrubTrace } from "./ScrubTrace.ts"
import * as StepTotals from "./StepTotals.ts"

const stopped: CellError = {
  kind: "cancelled",
  reason: null,
  status: null,
  source: null,
  message: "the run was stopped while this call was in flight"
}

const unscored: CellScore = { score: null, passed: null, reason: "", scores: [], metrics: {} }

const endings = {
  Scored: { status: "ok", stopReason: "answered" },
  Failed: { status: "error", stopReason: "error" },
  TimedOut: { status: "error", stopReason: "timeout" },
  Stopped: { status: "error", stopReason: "run_stopped" }
} as const

const metricsOf = (answer: Generation | null, score: CellScore): Readonly<Record<string, number>> => {
  const own = answer?.metrics
  if (own === undefined || Object.keys(own).length === 0) return score.metrics
  return { ...own, ...score.metrics }
}

/** Nothing is recorded with a secret in it, wherever a server or a target may have put one. */
const withoutSecrets = (services: CellServices, result: CallResult): CallResult => {
  if (!services.knowsSecrets()) return result
  // A trace may be large; it is clean already.
  const { trace } = result
  return { ...scrubTexts({ ...result, trace: null }, services.scrub), trace }
}

/** What the cache answers took no time, so whatever contains such an answer has no latency. */
const isFromCache = ({ answeredFrom }: Pick<Generation | Step, "answeredFrom">): boolean => answeredFrom === "cache"

/** The record of a cell that ended. */
export const toResult = (services: CellServices, job: CellJob, draft: CellDraft, end: CellEnd): CallResult => {
  const { clock } = services
  const { outcome, steps } = draft
  const answer = outcome?.answer ?? null
  const score = end._tag === "Scored" ? end.score : unscored
  const costUsd =
    answer === null ? StepTotals.knownCost(steps) : StepTotals.costOf(services.costOf, job.runtime, answer, steps)
  return withoutSecrets(services, {
    contestant: job.runtime.contestant.key,
    caseId: job.prepared.testCase.id,
    trial: job.trial,
    ...endings[end._tag === "Failed" && end.timedOut ? "TimedOut" : end._tag],
    model: job.runtime.contestant.model,
    provider: job.runtime.provider,
    servedModel: answer?.servedModel ?? null,
    output: draft.output,
    originalOutput: draft.originalOutput,
    reasoning: answer?.reasoning ?? null,
    score: score.score,
    passed: score.passed,
    reason: score.reason,
    scores: end._tag === "Failed" && end.scores !== undefined ? end.scores : score.scores,
    error: end._tag === "Scored" ? null : end._tag === "Failed" ? end.error : stopped,
    latencyMs:
      answer === null || isFromCache(answer) || steps.some(isFromCache)
        ? null
        : (answer.latencyMs ?? outcome?.measuredMs ?? null),
    timeToFirstTokenMs: answer?.timeToFirstTokenMs ?? null,
    rateLimitWaitMs: outcome?.rateLimitWaitMs ?? 0,
    retryWaitMs: outcome?.retryWaitMs ?? 0,
    durationMs: Number(clock.monotonicTimeNanosUnsafe()) / 1e6 - draft.monotonicStart,
    usage: answer === null ? unknownUsage : StepTotals.usageOf(answer.usage, steps),
    costUsd,
    costSource: costUsd === null ? null : answer !== null && answer.costUsd !== null ? "provider" : "price_book",
    attempts: outcome?.attempts ?? [],
    steps,
    ...(draft.scoringSteps.length === 0 ? {} : { scoringSteps: draft.scoringSteps }),
    metrics: metricsOf(answer, score),
    finishReason: answer?.finishReason ?? null,
    responseId: answer?.responseId ?? null,
    requestId: answer?.requestId ?? outcome?.error?.requestId ?? null,
    toolCalls: answer?.toolCalls ?? [],
    settingsApplied: answer?.settingsApplied ?? [],
    settingsDropped: answer?.settingsDropped ?? [],
    ...(answer?.answeredFrom === undefined ? {} : { answeredFrom: answer.answeredFrom }),
    trace: scrubTrace(answer?.trace, services.scrub),
    startedAt: draft.startedAt,
    finishedAt: clock.currentTimeMillisUnsafe()
  })
}

/** A stored record whose answer was scored again. The answer, its times and its cost stay; nothing was asked. */
export const rescored = (services: CellServices, draft: CellDraft, stored: CallResult, end: CellEnd): CallResult => {
  const score = end._tag === "Scored" ? keepGrade(stored, end.score) : unscored
  const { scoringSteps: _, ...answer } = stored
  return withoutSecrets(services, {
    ...answer,
    ...endings[end._tag === "Failed" && end.timedOut ? "TimedOut" : end._tag],
    score: score.score,
    passed: score.passed,
    reason: score.reason,
    scores: end._tag === "Failed" && end.scores !== undefined ? end.scores : score.scores,
    error: end._tag === "Scored" ? null : end._tag === "Failed" ? end.error : stopped,
    metrics: { ...stored.metrics, ...score.metrics },
    ...(draft.scoringSteps.length === 0 ? {} : { scoringSteps: draft.scoringSteps })
  })
}
