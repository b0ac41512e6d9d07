/** What turns have in common: how they went, and what they took. Pure, with memory that does not grow with the turns. */
import type { TurnRecord } from "../model/Turn.ts"

/** Sums over turns. Means are over the turns where the quantity is known; null = known of none. */
export interface TurnMetrics {
  readonly turns: number
  /** Turns whose check passed or failed; the others had none, or no answer. */
  readonly passed: number
  readonly failed: number
  /** Turns without an answer. */
  readonly errors: number
  /** Tries beyond the first. */
  readonly retries: number
  /** 0..1 */
  readonly meanScore: number | null
  /** ms */
  readonly meanLatencyMs: number | null
  /** Prompt and answer together. */
  readonly meanTokens: number | null
  /** USD, of the turns whose cost is known. */
  readonly costUsd: number | null
  readonly costKnown: number
}

export interface TurnCollector {
  readonly add: (turn: TurnRecord) => void
  readonly metrics: () => TurnMetrics
}

/** A sum and how many values went into it. */
export const makeMean = () => {
  let sum = 0
  let count = 0
  return {
    add: (value: number | null): void => {
      if (value === null) return
      sum += value
      count += 1
    },
    sum: (): number | null => (count === 0 ? null : sum),
    mean: (): number | null => (count === 0 ? null : sum / count),
    count: (): number => count
  }
}

const tokensOf = ({ usage }: TurnRecord): number | null =>
  usage.prompt === null || usage.completion === null ? null : usage.prompt + usage.completion

export const collectTurns = (): TurnCollector => {
  const [score, latency, tokens, cost] = [makeMean(), makeMean(), makeMean(), makeMean()]
  const counts = { turns: 0, passed: 0, failed: 0, errors: 0, retries: 0 }
  return {
    add: (turn) => {
      counts.turns += 1
      if (turn.verifyResult === true) counts.passed += 1
      if (turn.verifyResult === false) counts.failed += 1
      if (turn.output === null) counts.errors += 1
      counts.retries += Math.max(0, turn.tries - 1)
      score.add(turn.score)
      latency.add(turn.latencyMs)
      tokens.add(tokensOf(turn))
      cost.add(turn.costUsd)
    },
    metrics: () => ({
      ...counts,
      meanScore: score.mean(),
      meanLatencyMs: latency.mean(),
      meanTokens: tokens.mean(),
      costUsd: cost.sum(),
      costKnown: cost.count()
    })
  }
}
