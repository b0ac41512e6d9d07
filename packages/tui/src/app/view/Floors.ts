/** The floors and ceilings that a contestant must keep to be ranked, in a few words. */
import type { Constraints } from "@agent-arena/core/domain/Settings"
import { integer, percent, usd } from "../terminal/Format.ts"

export const floorText = (constraints: Constraints): string => {
  const { minAccuracy, maxErrorRate, maxCostPer1kCallsUsd, maxLatencyP95Ms } = constraints
  return [
    ...(minAccuracy === null ? [] : [`accuracy ≥ ${percent(minAccuracy)}`]),
    ...(maxErrorRate === null ? [] : [`errors ≤ ${percent(maxErrorRate)}`]),
    ...(maxCostPer1kCallsUsd === null ? [] : [`cost ≤ ${usd(maxCostPer1kCallsUsd)}/1k`]),
    ...(maxLatencyP95Ms === null ? [] : [`p95 ≤ ${integer(maxLatencyP95Ms)}ms`])
  ].join(" · ")
}
