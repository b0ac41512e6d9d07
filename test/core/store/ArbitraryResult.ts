/** Results with everything in them that a careless store would change. */
import type { Attempt, CallResult, CellError } from "@agent-arena/core/domain/CallResult"
import type { Step, TokenUsage } from "@agent-arena/core/domain/Generation"
import { CaseId, ContestantKey } from "@agent-arena/core/domain/Ids"
import type { ScorerResult } from "@agent-arena/core/domain/Score"
import * as fc from "fast-check"

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "",
    "\0",
    "a\0b",
    "\ud800",
    "\udc00x",
    '\u0001"quoted"',
    "\u2028",
    "é😀",
    "null",
    '{"a":1}',
    "x".repeat(100_000)
  )
)

/** Any number but NaN and infinities; minus zero and integers beyond 2^53 included. */
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 1, 2 ** 53, 2 ** 60, 1e300, 5e-324, 0.1 + 0.2, -1)
)
const orNull = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: null })
const json = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom({ deep: [-0, { a: "\ud800" }] }, { toJSON: "no function" }, [[], {}])
)
const metrics = fc.dictionary(text, number, { maxKeys: 3 })
const few = { maxLength: 2 }

const usage: fc.Arbitrary<TokenUsage> = fc.record({
  prompt: orNull(number),
  completion: orNull(number),
  cachedRead: orNull(number),
  cachedWrite: orNull(number),
  reasoning: orNull(number)
})

const error: fc.Arbitrary<CellError> = fc.record({
  kind: fc.constantFrom("generation", "scorer", "hook", "timeout", "cancelled", "internal"),
  reason: orNull(fc.constantFrom("rate_limited", "server", "unknown")),
  status: orNull(fc.integer({ min: 100, max: 599 })),
  source: orNull(text),
  message: text
})

const attempt: fc.Arbitrary<Attempt> = fc.record({
  startedAt: number,
  durationMs: number,
  error: orNull(error),
  waitMs: fc.oneof(fc.constant(0), number)
})

const score: fc.Arbitrary<ScorerResult> = fc.record({
  scorer: text,
  weight: fc.oneof(fc.constant(1), number),
  score: orNull(number),
  passed: orNull(fc.boolean()),
  reason: text,
  detail: fc.dictionary(text, json, { maxKeys: 3 }),
  metrics
})

const step: fc.Arbitrary<Step> = fc.record({
  contestant: fc.constant(ContestantKey.make("inner")),
  model: text,
  prompt: text,
  output: orNull(text),
  error: orNull(text),
  usage,
  costUsd: orNull(number),
  latencyMs: orNull(number),
  attempts: fc.nat()
})

/** A result of the given cell. */
export const arbitraryResult = (contestant: string, caseId: string): fc.Arbitrary<CallResult> =>
  fc.record({
    contestant: fc.constant(ContestantKey.make(contestant)),
    caseId: fc.constant(CaseId.make(caseId)),
    trial: fc.integer({ min: 1, max: 1_000_000 }),
    status: fc.constantFrom("ok", "error"),
    stopReason: fc.constantFrom("answered", "timeout", "error", "run_stopped"),
    model: fc.oneof(fc.constant(`model-of-${contestant}`), text),
    provider: fc.oneof(fc.constant("mock"), text),
    servedModel: orNull(text),
    output: orNull(text),
    originalOutput: orNull(text),
    reasoning: orNull(text),
    score: orNull(number),
    passed: orNull(fc.boolean()),
    reason: text,
    scores: fc.array(score, few),
    error: orNull(error),
    latencyMs: orNull(number),
    timeToFirstTokenMs: orNull(number),
    rateLimitWaitMs: number,
    retryWaitMs: number,
    durationMs: number,
    usage,
    costUsd: orNull(number),
    costSource: orNull(fc.constantFrom("provider", "price_book")),
    attempts: fc.array(attempt, few),
    steps: fc.array(step, few),
    metrics,
    finishReason: orNull(text),
    responseId: orNull(text),
    requestId: orNull(text),
    toolCalls: fc.array(json, few),
    settingsApplied: fc.array(text, few),
    settingsDropped: fc.array(text, few),
    trace: json,
    startedAt: number,
    finishedAt: number
  })

/** The same, with the only scorer's verdict as the result's own, which the store writes more briefly. */
export const arbitrarySoleScore = (contestant: string, caseId: string): fc.Arbitrary<CallResult> =>
  fc.tuple(arbitraryResult(contestant, caseId), text, fc.boolean()).map(([result, scorer, exact]) => ({
    ...result,
    scores: [
      {
        scorer,
        weight: 1,
        score: result.score,
        passed: exact ? result.passed : null,
        reason: result.reason,
        detail: {},
        metrics: {}
      }
    ]
  }))
