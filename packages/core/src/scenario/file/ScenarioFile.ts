/** The schema of scenario files: everything that may be written. What has forms of its own is read by its own reader. */
import * as Schema from "effect/Schema"
import * as Fields from "../../project/config/Fields.ts"

const NodeEntry = Schema.Struct({
  prompt: Schema.NonEmptyString.annotate({ expected: "a text that is not empty" }),
  system: Fields.text("System prompt of this turn; a template."),
  contestant: Fields.filledText("Contestant or model that answers here instead of the one under test."),
  agent_identity: Fields.filledText("Name of who answers, in transcripts."),
  verify: Fields.anything(
    "Scorers of the answer: {contains: Canberra}, or a list of {type, expected, params, weight}."
  ),
  parse: Fields.options("Fields read from the answer: {name: {regex: …}}, {json: …} or {judge: …}."),
  update: Fields.anything("Changes of the accumulated state: {set: …, add: …, append: …, merge: …}."),
  params: Fields.options("Request params of this turn."),
  tool_filter: Fields.anything("Tools that are not given to this node: {remove: [{server: files, tool: delete}]}."),
  max_tokens: Fields.wholeNumber("Longest answer, tokens.", { min: 1 }),
  temperature: Fields.number("Temperature of this turn.", { min: 0 }),
  timeout_s: Fields.number("Limit of one turn, seconds.", { above: 0 }),
  retries: Fields.wholeNumber("Tries after a failed one.", { min: 0, max: 10 }),
  max_visits: Fields.wholeNumber("Visits after which the scenario is cut off.", { min: 1 }),
  metadata: Fields.options("Anything else.")
}).annotate({ identifier: "ScenarioNode", expected: "a mapping with prompt" })
export type NodeEntry = typeof NodeEntry.Type

const EdgeEntry = Schema.Struct({
  from: Schema.NonEmptyString.annotate({ expected: "the name of a node" }),
  to: Schema.NonEmptyString.annotate({ expected: "the name of a node, or END" }),
  when: Fields.anything("A condition on the state; none = always."),
  handover: Fields.anything("How the next node hears of what went before.")
}).annotate({ identifier: "ScenarioEdge", expected: "a mapping with from and to" })
export type EdgeEntry = typeof EdgeEntry.Type

const Limits = Schema.Struct({
  turns: Fields.wholeNumber("Another name for turn_limit.", { min: 1 }),
  time_s: Fields.number("Limit of the whole scenario, seconds.", { above: 0 }),
  tokens: Fields.wholeNumber("Limit of all tokens, prompts and answers together.", { min: 1 }),
  cost_usd: Fields.number("Limit of the known cost, USD.", { above: 0 })
}).annotate({ identifier: "ScenarioLimits", expected: "a mapping" })

export const ScenarioFile = Schema.Struct({
  $schema: Fields.text("JSON Schema of this file, for editors."),
  scenario: Schema.NonEmptyString.annotate({ expected: "a text that is not empty" }),
  description: Fields.text("What it is for."),
  entry: Schema.NonEmptyString.annotate({ expected: "the name of a node" }),
  turn_limit: Fields.wholeNumber("Most turns. Default: 20.", { min: 1 }),
  turn_retries: Fields.wholeNumber("Tries after a failed one, for all nodes.", { min: 0, max: 10 }),
  limits: Fields.optional(Limits, "a mapping", "Limits of the whole scenario."),
  system: Fields.text("System prompt of nodes that have none."),
  state: Fields.options("The accumulated state at the start."),
  nodes: Schema.Record(Schema.String, NodeEntry).annotate({ expected: "a mapping of nodes by name" }),
  edges: Fields.optional(Schema.Array(EdgeEntry), "a list of edges", "Ways from node to node, in order."),
  outcomes: Fields.options("Named results."),
  score: Fields.anything("The outcome that is the score, or a mapping of outcomes to weights."),
  tags: Fields.scalars("Words to filter and group by."),
  weight: Fields.number("Share of the scenario in accuracy and pass rate. Default: 1.", { min: 0 }),
  metadata: Fields.options("Anything else.")
}).annotate({
  identifier: "Scenario",
  expected: "a mapping with scenario, entry and nodes",
  title: "Agent Arena scenario",
  description: "A scenario of an Agent Arena project: a graph of turns."
})
export type ScenarioFile = typeof ScenarioFile.Type

/** Compiled once: strict, and telling everything that is wrong. */
export const decodeFile = Schema.decodeUnknownResult(ScenarioFile, { errors: "all", onExcessProperty: "error" })
