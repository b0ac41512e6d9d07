import type { Comparison } from "../domain/Leaderboard.ts"
import type { RankedCase } from "../domain/Project.ts"
import { epsilon } from "./Figures.ts"
import type { CaseSums } from "./MetricSums.ts"

/** Two contestants case by case: mean scores of the trials, on cases where both were graded. */
export interface PairedCases {
  readonly shared: number
  readonly wins: number
  readonly losses: number
  readonly ties: number
  readonly discriminating: Comparison["discriminating"]
  /** Weighted differences of the mean scores by case, and the weights: accuracy's difference is one over the other. */
  readonly differences: CaseSums
}

const mostDiscriminating = 10

/** `leader` and `other` are the accuracy of both, by case of `cases`. */
export const pairCases = (cases: ReadonlyArray<RankedCase>, leader: CaseSums, other: CaseSums): PairedCases => {
  const totals = new Float64Array(cases.length)
  const counts = new Float64Array(cases.length)
  const found: Array<Comparison["discriminating"][number]> = []
  const tally = { shared: 0, wins: 0, losses: 0, ties: 0 }
  cases.forEach(({ id, weight }, index) => {
    const mine = leader.counts[index] ?? 0
    const theirs = other.counts[index] ?? 0
    if (!(mine > 0 && theirs > 0)) return
    const delta = (leader.totals[index] ?? 0) / mine - (other.totals[index] ?? 0) / theirs
    totals[index] = delta * weight
    counts[index] = weight
    tally.shared += 1
    if (Math.abs(delta) <= epsilon) {
      tally.ties += 1
      return
    }
    tally[delta > 0 ? "wins" : "losses"] += 1
    found.push({ caseId: id, delta })
  })
  const discriminating = found.toSorted((a, b) => Math.abs(b.delta) - Math.abs(a.delta)).slice(0, mostDiscriminating)
  return { ...tally, discriminating, differences: { totals, counts } }
}
