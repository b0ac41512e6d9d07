/** The scorers of one cell, and the one score they make together. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { CellContext } from "../domain/Generation.ts"
import type { Score, ScorerResult } from "../domain/Score.ts"
import type { Scorer } from "../domain/Scorer.ts"
import { ScorerError } from "../domain/ScorerError.ts"
import type { Params, TestCase } from "../domain/TestCase.ts"

/** A scorer of a case with its share and options. */
export interface BoundScorer<R = never> {
  readonly scorer: Scorer<R>
  /** > 0. */
  readonly weight: number
  readonly params: Params
}

/** An answer that is to be scored. */
export interface Answer {
  /** After `post_process`. */
  readonly output: string
  readonly testCase: TestCase
  readonly cell: CellContext
}

/** The score of a cell. */
export interface CellScore {
  /** Weighted mean of the scorers, 0..1; null when one of them gave no score. */
  readonly score: number | null
  /** Whether every scorer passed; null when there is no score. */
  readonly passed: boolean | null
  readonly reason: string
  /** In the order of the case. */
  readonly scores: ReadonlyArray<ScorerResult>
  /** Metrics of all scorers; a name that several give is prefixed by the scorer's. */
  readonly metrics: Readonly<Record<string, number>>
}

const resultOf = (bound: BoundScorer<unknown>, score: Score): ScorerResult => ({
  scorer: bound.scorer.name,
  weight: bound.weight,
  score: score.score,
  passed: score.passed,
  reason: score.reason,
  detail: score.detail,
  metrics: score.metrics
})

const soleScore = (result: ScorerResult): CellScore => ({
  score: result.score,
  passed: result.passed,
  reason: result.reason,
  scores: [result],
  metrics: result.metrics
})

/** Names by which the results are told apart: `numeric`, and `numeric#2` for a second one of the same type. */
const labelsOf = (results: ReadonlyArray<ScorerResult>): ReadonlyArray<string> => {
  const seen = new Map<string, number>()
  return results.map(({ scorer }) => {
    const count = (seen.get(scorer) ?? 0) + 1
    seen.set(scorer, count)
    return count === 1 ? scorer : `${scorer}#${count}`
  })
}

const mergeMetrics = (results: ReadonlyArray<ScorerResult>, labels: ReadonlyArray<string>): CellScore["metrics"] => {
  const givers = new Map<string, number>()
  for (const { metrics } of results) {
    for (const name of Object.keys(metrics)) givers.set(name, (givers.get(name) ?? 0) + 1)
  }
  const merged: Record<string, number> = {}
  for (const [index, { metrics }] of results.entries()) {
    for (const [name, value] of Object.entries(metrics)) {
      merged[givers.get(name) === 1 ? name : `${labels[index]}.${name}`] = value
    }
  }
  return merged
}

const weightedMean = (results: ReadonlyArray<ScorerResult>): number | null => {
  let sum = 0
  let weights = 0
  for (const { score, weight } of results) {
    if (score === null) return null
    sum += score * weight
    weights += weight
  }
  // Rounding must not push a mean of equal scores beyond them.
  return weights === 0 ? null : Math.min(1, Math.max(0, sum / weights))
}

/** The score that several results make together. */
export const combine = (results: ReadonlyArray<ScorerResult>): CellScore => {
  const labels = labelsOf(results)
  const score = weightedMean(results)
  const reasons = results.flatMap(({ reason }, index) => (reason === "" ? [] : [`${labels[index]}: ${reason}`]))
  return {
    score,
    passed: score === null ? null : results.every(({ passed }) => passed === true),
    reason: reasons.join("; "),
    scores: results,
    metrics: mergeMetrics(results, labels)
  }
}

type Scored<R> = Score | Effect.Effect<Score, ScorerError, R>

/** Refuses what no scorer may give; only one that was not made by `Scorer.make` can. */
const sound = (scorer: string, score: Score): Score | ScorerError =>
  score.score === null || (score.score >= 0 && score.score <= 1)
    ? score
    : new ScorerError({ scorer, detail: `the score must lie in 0..1; got ${score.score}` })

const toEffect = (checked: Score | ScorerError): Effect.Effect<Score, ScorerError> =>
  checked instanceof ScorerError ? Effect.fail(checked) : Effect.succeed(checked)

const run = <R>(bound: BoundScorer<R>, { output, testCase, cell }: Answer): Scored<R> => {
  try {
    const { params, scorer } = bound
    const scored = scorer.score({ output, reference: testCase.reference, params, testCase, cell })
    if (Effect.isEffect(scored)) return Effect.flatMap(scored, (score) => toEffect(sound(scorer.name, score)))
    const checked = sound(scorer.name, scored)
    return checked instanceof ScorerError ? toEffect(checked) : checked
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause)
    return Effect.fail(new ScorerError({ scorer: bound.scorer.name, detail }))
  }
}

const failedResult = (bound: BoundScorer<unknown>, error: ScorerError): ScorerResult => ({
  scorer: bound.scorer.name,
  weight: bound.weight,
  score: null,
  passed: null,
  reason: error.detail,
  detail: error.evidence ?? {},
  metrics: {}
})

/** An error that carries what all scorers of the cell said, so that a paid judgement is not lost with it. */
const withScores = (error: ScorerError, scores: ReadonlyArray<ScorerResult>): ScorerError =>
  new ScorerError({
    scorer: error.scorer,
    detail: error.detail,
    scores,
    ...(error.evidence === undefined ? {} : { evidence: error.evidence })
  })

const settleAll = <R>(
  bound: ReadonlyArray<BoundScorer<R>>,
  scored: ReadonlyArray<Scored<R>>
): Effect.Effect<CellScore, ScorerError, R> => {
  const outcomes = Effect.forEach(
    scored,
    (one): Effect.Effect<Result.Result<Score, ScorerError>, never, R> =>
      Effect.isEffect(one) ? Effect.result(one) : Effect.succeed(Result.succeed(one)),
    { concurrency: scored.length > 1 ? "unbounded" : 1 }
  )
  return Effect.flatMap(outcomes, (all) => {
    let failure: ScorerError | null = null
    const results: Array<ScorerResult> = []
    for (const [index, outcome] of all.entries()) {
      const own = bound[index]
      if (own === undefined) continue
      if (Result.isSuccess(outcome)) results.push(resultOf(own, outcome.success))
      else {
        failure ??= outcome.failure
        results.push(failedResult(own, outcome.failure))
      }
    }
    if (failure !== null) return Effect.fail(withScores(failure, results))
    const [only] = results
    return Effect.succeed(only !== undefined && results.length === 1 ? soleScore(only) : combine(results))
  })
}

/**
 * Scores one answer with the scorers of its case: the score itself when all of them are synchronous (no fiber, no
 * Effect), else an Effect. Every scorer is run, whatever the others say.
 *
 * @throws nothing; fails with the `ScorerError` of the first scorer that failed, `scores` holding the results of all.
 */
export const scoreCellSync = <R>(
  scorers: ReadonlyArray<BoundScorer<R>>,
  answer: Answer
): CellScore | Effect.Effect<CellScore, ScorerError, R> => {
  const first = scorers[0]
  if (first !== undefined && scorers.length === 1) {
    const scored = run(first, answer)
    return Effect.isEffect(scored) ? settleAll(scorers, [scored]) : soleScore(resultOf(first, scored))
  }
  const scored = scorers.map((bound) => run(bound, answer))
  const results: Array<ScorerResult> = []
  for (const [index, one] of scored.entries()) {
    const own = scorers[index]
    if (own === undefined || Effect.isEffect(one)) return settleAll(scorers, scored)
    results.push(resultOf(own, one))
  }
  return combine(results)
}

/** `scoreCellSync` as an Effect, whatever the scorers are. */
export const scoreCell = <R>(
  scorers: ReadonlyArray<BoundScorer<R>>,
  answer: Answer
): Effect.Effect<CellScore, ScorerError, R> =>
  Effect.suspend(() => {
    const scored = scoreCellSync(scorers, answer)
    return Effect.isEffect(scored) ? scored : Effect.succeed(scored)
  })
