import { isQuality } from "./MetricDefinition.ts"
import type { Standing } from "./Standing.ts"

/** Weights as shares of 1, in the order of the config; nothing written means accuracy alone. */
export const normalisedWeights = (written: Readonly<Record<string, number>>): Readonly<Record<string, number>> => {
  const entries = Object.entries(written)
  if (entries.length === 0) return { accuracy: 1 }
  const total = entries.reduce((sum, [, weight]) => sum + weight, 0)
  return Object.fromEntries(entries.map(([name, weight]) => [name, total > 0 ? weight / total : 0]))
}

/** The weights that are really used, the same for everyone. */
export interface Axes {
  /** Share of 1 by metric; only metrics that count. Empty when nothing can be weighed. */
  readonly shares: ReadonlyMap<string, number>
  /** Weighted metrics that do not count in this run, with the ranked contestants that lack them. */
  readonly removed: ReadonlyMap<string, ReadonlyArray<Standing>>
}

const lacks = (standing: Standing, metric: string): boolean => (standing.values.get(metric) ?? null) === null

/**
 * Contestants are only comparable on the same scale, so a metric that one ranked contestant lacks counts for nobody; its
 * weight goes to the other metrics in proportion. A metric of quality counts as soon as somebody has it: who lacks it
 * then has no composite.
 */
export const axesOf = (weights: Readonly<Record<string, number>>, ranked: ReadonlyArray<Standing>): Axes => {
  const weighted = Object.entries(weights).filter(([, weight]) => weight > 0)
  const removed = new Map<string, ReadonlyArray<Standing>>()
  for (const [name] of weighted) {
    const lacking = ranked.filter((standing) => lacks(standing, name))
    const enough = isQuality(name) ? lacking.length < ranked.length : lacking.length === 0
    if (!enough && ranked.length > 0) removed.set(name, lacking)
  }
  const kept = weighted.filter(([name]) => !removed.has(name))
  const total = kept.reduce((sum, [, weight]) => sum + weight, 0)
  return { shares: new Map(kept.map(([name, weight]) => [name, weight / total])), removed }
}
