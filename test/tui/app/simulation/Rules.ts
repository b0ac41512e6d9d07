/** A project's rules made up for tests and benchmarks of the screen. */
import { CaseId, ContestantKey } from "@agent-arena/core/domain/Ids"
import type { RankingRules } from "@agent-arena/core/domain/Project"

export interface Shape {
  readonly contestants: number
  readonly cases: number
  readonly trials: number
}

const names = ["haiku-fast", "sonnet-balanced", "opus-deep", "mini-cheap", "rag-pipeline", "local-llama"]
const topics = ["billing", "login", "refund", "outage", "upgrade", "privacy"]

export const contestantKey = (index: number): string =>
  index < names.length ? (names[index] ?? "") : `contestant-${index + 1}`

export const caseId = (index: number): string =>
  `${topics[index % topics.length]}-${String(index + 1).padStart(4, "0")}`

export const makeRules = (shape: Shape): RankingRules => ({
  metrics: { weights: { accuracy: 0.55, cost: 0.25, latency: 0.2 }, tieBreaker: "accuracy", specs: {} },
  constraints: {
    minAccuracy: 0.7,
    maxErrorRate: null,
    maxCostPer1kCallsUsd: null,
    maxLatencyP95Ms: null,
    privacyRequired: [],
    requiredFeatures: [],
    minContextTokens: null,
    allowUnknownCard: true,
    allowUnknown: true
  },
  statistics: { enabled: true, resamples: 200, confidence: 0.95, seed: 7, minMargin: 0.02 },
  contestants: Array.from({ length: shape.contestants }, (_, index) => ({
    key: ContestantKey.make(contestantKey(index)),
    label: contestantKey(index),
    model: `model-${index + 1}`,
    provider: index % 2 === 0 ? "anthropic" : "openai",
    card: null,
    skipped: null
  })),
  cases: Array.from({ length: shape.cases }, (_, index) => ({
    id: CaseId.make(caseId(index)),
    weight: 1,
    tags: [topics[index % topics.length] ?? "", index % 3 === 0 ? "hard" : "easy"]
  })),
  trials: shape.trials
})
