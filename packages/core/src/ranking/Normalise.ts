import { epsilon } from "./Figures.ts"
import type { ProjectMetric } from "./MetricDefinition.ts"

/** Smallest and largest raw value of a metric among the ranked contestants. */
export interface Bounds {
  readonly low: number
  readonly high: number
}

/** Maps a raw value to 0..1 with 1 = best. `slope` is its derivative there, 0 where the scale ends. */
export interface Scale {
  readonly normalise: (value: number) => number
  readonly slope: (value: number) => number
}

const clamp = (value: number): number => Math.min(1, Math.max(0, value))

/** The straight line that is 0 at `worst` and 1 at `best`, cut to 0..1. */
const linear = (worst: number, best: number): Scale => {
  const place = (value: number) => (value - worst) / (best - worst)
  return {
    normalise: (value) => clamp(place(value)),
    slope: (value) => (place(value) >= -epsilon && place(value) <= 1 + epsilon ? 1 / (best - worst) : 0)
  }
}

const constant = (level: number): Scale => ({ normalise: () => level, slope: () => 0 })

/** 1 on the right side of the target, 0 on the other. */
const step = (metric: ProjectMetric, target: number): Scale => ({
  normalise: (value) => ((metric.direction === "min" ? value <= target + epsilon : value >= target - epsilon) ? 1 : 0),
  slope: () => 0
})

/** Spreads below this are no difference at all. */
const noSpread = 1e-12

/**
 * The scale of a metric. `raw`: the value itself (1 - value where less is better). `target` T: value / T, or 1 - value / T
 * where less is better; a T of 0 or less cannot divide, so the value either meets it or does not. `minmax`: the place
 * between worst and best of the ranked contestants, 1 for all when they are equal.
 */
export const scaleOf = (metric: ProjectMetric, bounds: Bounds | null): Scale => {
  const lessIsBetter = metric.direction === "min"
  if (metric.mode === "raw") return lessIsBetter ? linear(1, 0) : linear(0, 1)
  if (metric.mode === "target") {
    const target = metric.target ?? 0
    if (target <= 0) return step(metric, target)
    return lessIsBetter ? linear(target, 0) : linear(0, target)
  }
  if (bounds === null || bounds.high - bounds.low < noSpread) return constant(1)
  return lessIsBetter ? linear(bounds.high, bounds.low) : linear(bounds.low, bounds.high)
}
