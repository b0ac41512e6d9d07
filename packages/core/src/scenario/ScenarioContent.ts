/** The content of a scenario, as far as it decides whether earlier answers still count. */

/** What says how answers are judged and which way a play goes on: a change of it leaves what was answered. */
const judging = { scenario: ["description", "edges", "outcomes", "score"], node: ["verify", "parse", "update"] }

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const without = (value: unknown, keys: ReadonlyArray<string>): unknown =>
  isMapping(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key))) : value

const withoutJudging = (nodes: unknown): unknown => {
  if (Array.isArray(nodes)) return nodes.map((node) => without(node, judging.node))
  if (!isMapping(nodes)) return nodes
  return Object.fromEntries(Object.entries(nodes).map(([id, node]) => [id, without(node, judging.node)]))
}

/** A scenario counts by what it says, not by how its file is written. */
export const contentOf = (scenario: unknown): unknown =>
  isMapping(scenario) && "value" in scenario ? scenario.value : scenario

/** What is asked: prompts, settings of requests, limits. Turns of plays that differ in the rest only are taken over. */
export const askedContent = (scenario: unknown): unknown => {
  const content = contentOf(scenario)
  if (!isMapping(content)) return content
  const rest = without(content, judging.scenario)
  return isMapping(rest) ? { ...rest, nodes: withoutJudging(rest["nodes"]) } : rest
}
