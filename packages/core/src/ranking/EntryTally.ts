import type { EntryStats } from "../domain/Leaderboard.ts"
import { type ContestantColumns, Kind } from "./ContestantColumns.ts"
import { forEachSlot, type MatrixView } from "./MatrixView.ts"
import { builtIn } from "./MetricDefinition.ts"
import { caseSums, cellValues } from "./MetricSums.ts"
import { ofUnsorted } from "./Percentile.ts"

/** A total of known quantities, and how many answered cells it covers. */
interface Coverage {
  total: number
  known: number
  answered: number
}

const cover = (coverage: Coverage, value: number | undefined, answered: boolean): void => {
  if (value === undefined || Number.isNaN(value)) return
  coverage.total += value
  coverage.known += 1
  if (answered) coverage.answered += 1
}

const totalOf = (coverage: Coverage): number | null => (coverage.known === 0 ? null : coverage.total)

const latencyMetric = builtIn("latency")
const plainAccuracy = { ...builtIn("accuracy"), caseWeighted: false }

/** Counts and totals of a contestant that has columns. */
export const statsOf = (view: MatrixView, columns: ContestantColumns, planned: number): EntryStats => {
  const kinds = [0, 0, 0, 0, 0]
  let graded = 0
  const cost: Coverage = { total: 0, known: 0, answered: 0 }
  const prompt: Coverage = { total: 0, known: 0, answered: 0 }
  const completion: Coverage = { total: 0, known: 0, answered: 0 }
  forEachSlot(view, (slot) => {
    const kind = columns.kind[slot] ?? Kind.none
    if (kind === Kind.none) return
    const answered = kind === Kind.ok
    kinds[kind] = (kinds[kind] ?? 0) + 1
    if (!Number.isNaN(columns.score[slot] ?? Number.NaN)) graded += 1
    cover(cost, columns.costUsd[slot], answered)
    cover(prompt, columns.promptTokens[slot], answered)
    cover(completion, columns.completionTokens[slot], answered)
  })
  const [, completed = 0, errors = 0, timedOut = 0, interrupted = 0] = kinds
  const latencies = cellValues(view, columns, latencyMetric)
  return {
    planned,
    attempted: completed + errors + timedOut,
    completed,
    errors,
    timedOut,
    interrupted,
    graded,
    totalCostUsd: totalOf(cost),
    costPricedCalls: cost.answered,
    latencyP50Ms: latencies.length === 0 ? null : ofUnsorted(latencies, 0.5),
    latencyMaxMs: latencies.length === 0 ? null : latencies.reduce((a, b) => Math.max(a, b)),
    totalPromptTokens: totalOf(prompt),
    promptTokensCalls: prompt.answered,
    totalCompletionTokens: totalOf(completion),
    completionTokensCalls: completion.answered
  }
}

/** The stats of a contestant of which nothing was recorded. */
export const noStats = (planned: number): EntryStats => ({
  planned,
  attempted: 0,
  completed: 0,
  errors: 0,
  timedOut: 0,
  interrupted: 0,
  graded: 0,
  totalCostUsd: null,
  costPricedCalls: 0,
  latencyP50Ms: null,
  latencyMaxMs: null,
  totalPromptTokens: null,
  promptTokensCalls: 0,
  totalCompletionTokens: null,
  completionTokensCalls: 0
})

/** Mean score of the graded cells of each tag, tags sorted; case weights play no part. */
export const meansByTag = (view: MatrixView, columns: ContestantColumns): Readonly<Record<string, number>> => {
  const { counts, totals } = caseSums(view, columns, plainAccuracy)
  const sums = new Map<string, { total: number; count: number }>()
  view.cases.forEach((ranked, index) => {
    for (const tag of new Set(ranked.tags)) {
      const sum = sums.get(tag) ?? { total: 0, count: 0 }
      sum.total += totals[index] ?? 0
      sum.count += counts[index] ?? 0
      sums.set(tag, sum)
    }
  })
  const graded = [...sums].filter(([, { count }]) => count > 0).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(graded.map(([tag, { count, total }]) => [tag, total / count]))
}
