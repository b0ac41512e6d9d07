/** Small matrices written down cell by cell, for the tests of this folder. */
import { CaseId, ContestantKey } from "@agent-arena/core/domain/Ids"
import type { Leaderboard, LeaderboardEntry } from "@agent-arena/core/domain/Leaderboard"
import type { RankedCase, RankedContestant, RankingRules } from "@agent-arena/core/domain/Project"
import type { Constraints, MetricSpec, StatisticsSettings } from "@agent-arena/core/domain/Settings"
import * as Measurements from "@agent-arena/core/ranking/Measurements"
import { rank } from "@agent-arena/core/ranking/Rank"
import { assert } from "@effect/vitest"

export interface CellFields {
  readonly score?: number | null | undefined
  readonly passed?: boolean | null | undefined
  readonly latencyMs?: number | null | undefined
  readonly costUsd?: number | null | undefined
  readonly prompt?: number | null | undefined
  readonly completion?: number | null | undefined
  readonly metrics?: Readonly<Record<string, number>> | undefined
  readonly error?: string
  readonly timeout?: string
  readonly interrupted?: boolean
  readonly answeredFrom?: "cache" | "replay"
}

export const cell = (
  contestant: string,
  caseId: string,
  trial: number,
  fields: CellFields
): Measurements.MeasuredCell => {
  const failure = fields.error ?? fields.timeout ?? (fields.interrupted === true ? "stopped" : undefined)
  const answered = failure === undefined
  return {
    contestant: ContestantKey.make(contestant),
    caseId: CaseId.make(caseId),
    trial,
    status: answered ? "ok" : "error",
    stopReason: answered
      ? "answered"
      : fields.interrupted === true
        ? "run_stopped"
        : fields.timeout === undefined
          ? "error"
          : "timeout",
    score: fields.score ?? null,
    passed: fields.passed ?? null,
    latencyMs: fields.latencyMs ?? null,
    costUsd: fields.costUsd ?? null,
    usage: {
      prompt: fields.prompt ?? null,
      completion: fields.completion ?? null,
      cachedRead: null,
      cachedWrite: null,
      reasoning: null
    },
    metrics: fields.metrics ?? {},
    ...(fields.answeredFrom === undefined ? {} : { answeredFrom: fields.answeredFrom }),
    error: answered ? null : { kind: "generation", reason: null, status: null, source: null, message: failure }
  }
}

export interface RulesFields {
  readonly contestants?: ReadonlyArray<string | (Partial<Omit<RankedContestant, "key">> & { readonly key: string })>
  /** Number of cases (`t1`, `t2`, …), or the cases themselves. */
  readonly cases?: number | ReadonlyArray<Partial<Omit<RankedCase, "id">> & { readonly id: string }>
  readonly trials?: number
  readonly weights?: Readonly<Record<string, number>>
  readonly tieBreaker?: string
  readonly specs?: Readonly<Record<string, Partial<MetricSpec>>>
  readonly constraints?: Partial<Constraints>
  readonly statistics?: Partial<StatisticsSettings>
}

const noConstraints: Constraints = {
  minAccuracy: null,
  maxErrorRate: null,
  maxCostPer1kCallsUsd: null,
  maxLatencyP95Ms: null,
  privacyRequired: [],
  requiredFeatures: [],
  minContextTokens: null,
  allowUnknownCard: true,
  allowUnknown: true
}

const contestantOf = (given: NonNullable<RulesFields["contestants"]>[number]): RankedContestant => {
  const { key, ...rest } = typeof given === "string" ? { key: given } : given
  return {
    key: ContestantKey.make(key),
    label: key,
    model: `model-${key}`,
    provider: "mock",
    card: null,
    skipped: null,
    ...rest
  }
}

const casesOf = (given: NonNullable<RulesFields["cases"]>): ReadonlyArray<RankedCase> =>
  (typeof given === "number" ? Array.from({ length: given }, (_, index) => ({ id: `t${index + 1}` })) : given).map(
    ({ id, ...rest }) => ({ id: CaseId.make(id), weight: 1, tags: [], ...rest })
  )

export const rulesOf = (fields: RulesFields): RankingRules => ({
  metrics: {
    weights: fields.weights ?? { accuracy: 1 },
    tieBreaker: fields.tieBreaker ?? "accuracy",
    specs: Object.fromEntries(
      Object.entries(fields.specs ?? {}).map(([name, spec]) => [
        name,
        { direction: null, normalise: null, target: null, ...spec }
      ])
    )
  },
  constraints: { ...noConstraints, ...fields.constraints },
  statistics: { enabled: true, resamples: 2000, confidence: 0.95, seed: 0, minMargin: 0.02, ...fields.statistics },
  contestants: (fields.contestants ?? ["a"]).map(contestantOf),
  cases: casesOf(fields.cases ?? 1),
  trials: fields.trials ?? 1
})

/** One cell for each trial of each case, as `fields` says; `caseIndex` counts from 0, `trial` from 1. */
export const cellsOf = (
  rules: RankingRules,
  contestant: string,
  fields: (caseIndex: number, trial: number) => CellFields
): ReadonlyArray<Measurements.MeasuredCell> =>
  rules.cases.flatMap(({ id }, caseIndex) =>
    Array.from({ length: rules.trials }, (_, index) => cell(contestant, id, index + 1, fields(caseIndex, index + 1)))
  )

export const measure = (rules: RankingRules, cells: Iterable<Measurements.MeasuredCell>): Measurements.Measurements => {
  const measurements = Measurements.make(rules)
  for (const each of cells) measurements.add(each)
  return measurements
}

/** The board of a complete run. */
export const boardOf = (rules: RankingRules, cells: Iterable<Measurements.MeasuredCell>): Leaderboard =>
  rank(rules, measure(rules, cells), { complete: true })

export const entryOf = (board: Leaderboard, key: string): LeaderboardEntry => {
  const entry = board.entries.find((entry) => entry.key === key)
  if (entry === undefined) throw new Error(`no entry ${key}`)
  return entry
}

export const raw = (board: Leaderboard, key: string, metric: string): number | null =>
  entryOf(board, key).metrics[metric]?.raw ?? null

export const normalised = (board: Leaderboard, key: string, metric: string): number | null =>
  entryOf(board, key).metrics[metric]?.normalised ?? null

export const key = (name: string) => ContestantKey.make(name)
export const caseId = (name: string) => CaseId.make(name)

/** The fields named in `expected` are those of `actual`; the others may be anything. */
export const assertFields = (actual: object | undefined, expected: Readonly<Record<string, unknown>>): void => {
  const fields = new Map(Object.entries(actual ?? {}))
  assert.deepStrictEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, fields.get(name)])), expected)
}
