import { type ConditionView, holds } from "../condition/EvaluateCondition.ts"
import type { ScenarioEdge } from "../model/Scenario.ts"

/**
 * The edge to follow: the first whose condition holds, else the first without one wherever it stands, else none.
 * `edges` are those of the current node, in their order.
 */
export const nextEdge = (
  edges: ReadonlyArray<ScenarioEdge>,
  viewOf: (edge: ScenarioEdge) => ConditionView
): ScenarioEdge | null => {
  let fallback: ScenarioEdge | null = null
  for (const edge of edges) {
    if (edge.when === null) fallback ??= edge
    else if (holds(edge.when, viewOf(edge))) return edge
  }
  return fallback
}
