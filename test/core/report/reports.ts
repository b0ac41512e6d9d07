/** Hand-made reports: the leaderboard of three contestants on three cases, and results to go with it. */
import type { CallResult } from "@agent-arena/core/domain/CallResult"
import { unknownUsage } from "@agent-arena/core/domain/Generation"
import { CaseId, ContestantKey, RunId } from "@agent-arena/core/domain/Ids"
import type { Leaderboard, LeaderboardEntry, MetricValue } from "@agent-arena/core/domain/Leaderboard"
import type { RankingRules } from "@agent-arena/core/domain/Project"
import type { RunRecord } from "@agent-arena/core/domain/Run"
import type { RunReport } from "@agent-arena/core/domain/RunReport"

export const key = (text: string) => ContestantKey.make(text)
export const caseId = (text: string) => CaseId.make(text)

export const metric = (raw: number | null, fields: Partial<MetricValue> = {}): MetricValue => ({
  raw,
  normalised: raw,
  weight: 0.5,
  direction: "max",
  unit: "0-1",
  ...fields
})

export const entry = (name: string, fields: Partial<LeaderboardEntry> = {}): LeaderboardEntry => ({
  key: key(name),
  label: name,
  model: `model-${name}`,
  provider: "mock",
  status: "ranked",
  rank: 1,
  composite: 0.8,
  compositeInterval: { point: 0.8, low: 0.7, high: 0.9, confidence: 0.95 },
  accuracyInterval: { point: 0.9, low: 0.8, high: 1, confidence: 0.95 },
  metrics: { accuracy: metric(0.9), cost: metric(2.5, { normalised: 0.7, direction: "min", unit: "USD/1k calls" }) },
  failures: [],
  warnings: [],
  stats: {
    planned: 3,
    attempted: 3,
    completed: 3,
    errors: 0,
    timedOut: 0,
    interrupted: 0,
    graded: 3,
    totalCostUsd: 0.0075,
    costPricedCalls: 3,
    latencyP50Ms: 100,
    latencyMaxMs: 200,
    totalPromptTokens: 30,
    promptTokensCalls: 3,
    totalCompletionTokens: 6,
    completionTokensCalls: 3
  },
  byTag: { easy: 1, hard: 0.5 },
  errors: [],
  ...fields
})

export const run = (fields: Partial<RunRecord> = {}): RunRecord => ({
  runId: RunId.make("run_20260101_120000_abc123"),
  project: "triage",
  label: null,
  startedAt: "2026-01-01T12:00:00.000Z",
  finishedAt: "2026-01-01T12:00:02.500Z",
  status: "completed",
  stopReason: "completed",
  arenaVersion: "0.1.0",
  gitSha: null,
  counts: { planned: 9, finished: 9, interrupted: 0, notStarted: 0, errored: 1, timedOut: 0 },
  contestants: 3,
  cases: 3,
  trials: 1,
  winner: "alpha",
  totalCostUsd: 0.0225,
  limits: { requestTimeoutS: 120, idleTimeoutS: null, cellTimeoutS: 300, maxWallS: null },
  host: null,
  heartbeatAt: null,
  durationMs: 2500,
  ...fields
})

export const rules = (names: ReadonlyArray<string>, fields: Partial<RankingRules> = {}): RankingRules => ({
  metrics: { weights: { accuracy: 1, cost: 1 }, tieBreaker: "accuracy", specs: {} },
  constraints: {
    minAccuracy: null,
    maxErrorRate: null,
    maxCostPer1kCallsUsd: null,
    maxLatencyP95Ms: null,
    privacyRequired: [],
    requiredFeatures: [],
    minContextTokens: null,
    allowUnknownCard: true,
    allowUnknown: true
  },
  statistics: { enabled: true, resamples: 2000, confidence: 0.95, seed: 0, minMargin: 0.02 },
  contestants: names.map((name) => ({
    key: key(name),
    label: name,
    model: `model-${name}`,
    provider: "mock",
    card: null,
    skipped: null
  })),
  cases: ["c1", "c2", "c3"].map((id) => ({ id: caseId(id), weight: 1, tags: ["easy"] })),
  trials: 1,
  ...fields
})

export const leaderboard = (
  entries: ReadonlyArray<LeaderboardEntry>,
  fields: Partial<Leaderboard> = {}
): Leaderboard => ({
  weights: { accuracy: 0.5, cost: 0.5 },
  entries,
  verdict: { _tag: "Winner", winner: key("alpha"), margin: 0.1, sentence: "alpha is ahead of all others." },
  comparisons: [],
  notes: [],
  complete: true,
  ...fields
})

/** Alpha wins, beta follows, gamma broke a constraint. */
export const report = (fields: Partial<RunReport> = {}): RunReport => ({
  run: run(),
  leaderboard: leaderboard([
    entry("alpha"),
    entry("beta", { rank: 2, composite: 0.7 }),
    entry("gamma", {
      status: "disqualified",
      rank: null,
      composite: null,
      compositeInterval: null,
      failures: ["accuracy 50.0% is below 70.0%"]
    })
  ]),
  rules: rules(["alpha", "beta", "gamma"]),
  description: "Sorting messages",
  problems: [],
  ...fields
})

export const result = (
  contestant: string,
  testCase: string,
  trial: number,
  fields: Partial<CallResult> = {}
): CallResult => ({
  contestant: key(contestant),
  caseId: caseId(testCase),
  trial,
  status: "ok",
  stopReason: "answered",
  model: `model-${contestant}`,
  provider: "mock",
  servedModel: null,
  output: "billing",
  originalOutput: null,
  reasoning: null,
  score: 1,
  passed: true,
  reason: "",
  scores: [{ scorer: "exact_match", weight: 1, score: 1, passed: true, reason: "", detail: {}, metrics: {} }],
  error: null,
  latencyMs: 100,
  timeToFirstTokenMs: null,
  rateLimitWaitMs: 0,
  retryWaitMs: 0,
  durationMs: 101,
  usage: unknownUsage,
  costUsd: 0.0025,
  costSource: "price_book",
  attempts: [],
  steps: [],
  metrics: {},
  finishReason: null,
  responseId: null,
  requestId: null,
  toolCalls: [],
  settingsApplied: [],
  settingsDropped: [],
  trace: null,
  startedAt: 0,
  finishedAt: 101,
  ...fields
})

export const wrong = (contestant: string, testCase: string, trial: number, score: number, output = "nonsense") =>
  result(contestant, testCase, trial, { score, passed: false, output, reason: `expected billing, got ${output}` })

export const failed = (contestant: string, testCase: string, trial: number, message = "connection refused") =>
  result(contestant, testCase, trial, {
    status: "error",
    stopReason: "error",
    output: null,
    score: null,
    passed: null,
    scores: [],
    latencyMs: null,
    costUsd: null,
    costSource: null,
    error: { kind: "generation", reason: "connection", status: null, source: null, message }
  })
