import { CaseId } from "../domain/Ids.ts"
import type { TestCase } from "../domain/TestCase.ts"
import type { LocatedScenario } from "./model/Scenario.ts"

/** The case that stands for a scenario in the matrix: its entry question is what lists show, its score is its own. */
export const toCase = ({ position, scenario }: Pick<LocatedScenario, "position" | "scenario">): TestCase => {
  const entry = scenario.nodes.find(({ id }) => id === scenario.entry)
  return {
    id: CaseId.make(scenario.name),
    messages: [{ role: "user", content: entry?.prompt ?? "" }],
    system: scenario.system,
    scorers: [{ type: "scenario", weight: 1, params: {}, position }],
    tags: scenario.tags,
    weight: scenario.weight,
    maxTokens: null,
    temperature: null,
    metadata: scenario.metadata,
    scenario,
    position
  }
}
