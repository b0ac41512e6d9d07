/** Headers and results to write, small and typed; tests change what they are about. */
import type { CallResult } from "@agent-arena/core/domain/CallResult"
import { unknownUsage } from "@agent-arena/core/domain/Generation"
import { CaseId, ContestantKey, RunId } from "@agent-arena/core/domain/Ids"
import type { RankingRules } from "@agent-arena/core/domain/Project"
import type { RunRecord } from "@agent-arena/core/domain/Run"
import type { RunFooter, RunHeader } from "@agent-arena/core/store/ResultStore"

const contestantOf = (key: string) => ({
  key: ContestantKey.make(key),
  label: key.toUpperCase(),
  model: `model-of-${key}`,
  provider: "mock",
  card: null,
  skipped: null
})

export const rulesOf = (
  contestants: ReadonlyArray<string>,
  cases: ReadonlyArray<string>,
  trials = 1
): RankingRules => ({
  metrics: { weights: { accuracy: 1 }, tieBreaker: "accuracy", specs: {} },
  constraints: {
    minAccuracy: null,
    maxErrorRate: null,
    maxCostPer1kCallsUsd: null,
    maxLatencyP95Ms: null,
    privacyRequired: [],
    requiredFeatures: [],
    minContextTokens: null,
    allowUnknownCard: false,
    allowUnknown: true
  },
  statistics: { enabled: true, resamples: 100, confidence: 0.95, seed: 1, minMargin: 0.02 },
  contestants: contestants.map(contestantOf),
  cases: cases.map((id, index) => ({
    id: CaseId.make(id),
    weight: 1 + index / 3,
    tags: index % 2 === 0 ? ["even"] : []
  })),
  trials
})

export const recordOf = (runId: string, rules: RankingRules): RunRecord => {
  const planned = rules.contestants.length * rules.cases.length * rules.trials
  return {
    runId: RunId.make(runId),
    project: "demo",
    label: null,
    startedAt: "2026-03-01T10:00:00.000Z",
    finishedAt: null,
    status: "running",
    stopReason: null,
    arenaVersion: "0.1.0",
    gitSha: null,
    counts: { planned, finished: 0, interrupted: 0, notStarted: planned, errored: 0, timedOut: 0 },
    contestants: rules.contestants.length,
    cases: rules.cases.length,
    trials: rules.trials,
    winner: null,
    totalCostUsd: null,
    limits: { requestTimeoutS: 120, idleTimeoutS: null, cellTimeoutS: 300, maxWallS: null },
    host: null,
    heartbeatAt: null,
    durationMs: null
  }
}

/** Hashes are those of unchanged contestants and cases unless the test says otherwise. */
export const headerOf = (
  runId: string,
  rules: RankingRules,
  changes: {
    readonly record?: Partial<RunRecord>
    readonly contestantHash?: (key: string) => string
    readonly caseHash?: (id: string) => { readonly input: string; readonly scoring: string }
  } = {}
): RunHeader => {
  const contestantHash = changes.contestantHash ?? ((key) => `hash-of-${key}`)
  const caseHash = changes.caseHash ?? ((id) => ({ input: `input-of-${id}`, scoring: `scoring-of-${id}` }))
  return {
    record: { ...recordOf(runId, rules), ...changes.record },
    rules,
    description: "which one answers best",
    contestantHashes: new Map(rules.contestants.map(({ key }) => [key, contestantHash(key)])),
    caseHashes: rules.cases.map(({ id }) => caseHash(id)),
    config: { project: "demo", models: rules.contestants.map(({ key }) => key) }
  }
}

export const resultOf = (
  contestant: string,
  caseId: string,
  trial = 1,
  changes: Partial<CallResult> = {}
): CallResult => ({
  contestant: ContestantKey.make(contestant),
  caseId: CaseId.make(caseId),
  trial,
  status: "ok",
  stopReason: "answered",
  model: `model-of-${contestant}`,
  provider: "mock",
  servedModel: null,
  output: `${contestant} says ${caseId}`,
  originalOutput: null,
  reasoning: null,
  score: 1,
  passed: true,
  reason: "",
  scores: [{ scorer: "exact_match", weight: 1, score: 1, passed: true, reason: "", detail: {}, metrics: {} }],
  error: null,
  latencyMs: 12.5,
  timeToFirstTokenMs: null,
  rateLimitWaitMs: 0,
  retryWaitMs: 0,
  durationMs: 13.25,
  usage: { ...unknownUsage, prompt: 12, completion: 4 },
  costUsd: 0.25,
  costSource: "price_book",
  attempts: [{ startedAt: 1_772_359_200_000, durationMs: 12.5, error: null, waitMs: 0 }],
  steps: [],
  metrics: {},
  finishReason: null,
  responseId: null,
  requestId: null,
  toolCalls: [],
  settingsApplied: [],
  settingsDropped: [],
  trace: null,
  startedAt: 1_772_359_200_000,
  finishedAt: 1_772_359_200_013,
  ...changes
})

/** A cell that a stop interrupted, with what it had cost until then. */
export const interruptedOf = (contestant: string, caseId: string, trial = 1): CallResult =>
  resultOf(contestant, caseId, trial, {
    status: "error",
    stopReason: "run_stopped",
    output: null,
    score: null,
    passed: null,
    scores: [],
    error: { kind: "cancelled", reason: null, status: null, source: null, message: "the run was stopped" }
  })

export const errorOf = (contestant: string, caseId: string, trial = 1): CallResult =>
  resultOf(contestant, caseId, trial, {
    status: "error",
    stopReason: "error",
    output: null,
    score: null,
    passed: null,
    scores: [],
    latencyMs: null,
    error: { kind: "generation", reason: "server", status: 500, source: null, message: "the server is on fire" }
  })

export const completedFooter = (header: RunHeader): RunFooter => ({
  ending: { status: "completed", stopReason: "completed" },
  counts: { ...header.record.counts, finished: header.record.counts.planned, notStarted: 0 },
  finishedAt: "2026-03-01T10:01:00.000Z",
  durationMs: 60_000,
  totalCostUsd: 1.5,
  winner: header.rules.contestants[0]?.key ?? null,
  leaderboard: {
    weights: { accuracy: 1 },
    entries: header.rules.contestants.map(({ key, label, model, provider }, index) => ({
      key,
      label,
      model,
      provider,
      status: "ranked",
      rank: index + 1,
      composite: 1 / (index + 1),
      compositeInterval: null,
      accuracyInterval: { point: 0.9, low: 0.8, high: 1, confidence: 0.95 },
      metrics: { accuracy: { raw: 0.9, normalised: 0.9, weight: 1, direction: "max", unit: "" } },
      failures: [],
      warnings: ["few cases"],
      stats: {
        planned: 2,
        attempted: 2,
        completed: 2,
        errors: 0,
        timedOut: 0,
        interrupted: 0,
        graded: 2,
        totalCostUsd: 0.5,
        costPricedCalls: 2,
        latencyP50Ms: 12.5,
        latencyMaxMs: 13,
        totalPromptTokens: 24,
        promptTokensCalls: 2,
        totalCompletionTokens: 8,
        completionTokensCalls: 2
      },
      byTag: { even: 0.9 },
      errors: []
    })),
    verdict: { _tag: "NoWinner", sentence: "nobody has won" },
    comparisons: [],
    notes: ["a note"],
    complete: true
  }
})
