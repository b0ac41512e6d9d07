/** Scenarios written in TypeScript. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { checkGraph } from "../check/CheckGraph.ts"
import type { Finding } from "../check/Finding.ts"
import type { Condition } from "../condition/Condition.ts"
import {
  defaultTurnLimit,
  END,
  type Handover,
  makeNode,
  type NamedOutcome,
  type Scenario,
  type ScenarioEdge,
  type ScenarioLimits,
  type ScenarioNode,
  type ScoreShares,
  type Verifier
} from "../model/Scenario.ts"
import type { Outcome } from "../outcome/Outcome.ts"
import { type ConditionInput, toCondition } from "./Sugar.ts"

/** A scenario that cannot be played: everything that is wrong with it. */
export class ScenarioError extends Schema.TaggedError<ScenarioError>()("ScenarioError", {
  scenario: Schema.String,
  problems: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `scenario "${this.scenario}": ${this.problems.join("; ")}`
  }
}

/** A node without its id. `verify` is a list, or scorers with what they expect: `{ contains: "Canberra" }`. */
export type NodeInput = Omit<Partial<ScenarioNode>, "id" | "verify" | "prompt"> & {
  readonly prompt: string
  readonly verify?: ReadonlyArray<Verifier> | Readonly<Record<string, unknown>>
}

export interface EdgeInput {
  readonly when?: ConditionInput
  readonly handover?: Handover
}

/** A sound scenario, and what could be better about it. */
export interface Validated {
  readonly scenario: Scenario
  readonly warnings: ReadonlyArray<Finding>
}

/**
 * A scenario in the making. Every step returns a new builder; the names of nodes are known to the type, so an edge to a
 * node that was never added does not compile.
 */
export interface ScenarioBuilder<Nodes extends string = never> {
  readonly node: <const Id extends string>(id: Id, node: NodeInput) => ScenarioBuilder<Nodes | Id>
  readonly edge: (from: Nodes, to: Nodes | typeof END | "END", edge?: EdgeInput) => ScenarioBuilder<Nodes>
  readonly entry: (id: Nodes) => ScenarioBuilder<Nodes>
  readonly outcome: (name: string, check: Outcome, description?: string) => ScenarioBuilder<Nodes>
  /** The outcome that is the score, or outcomes with weights. */
  readonly score: (score: string | ScoreShares) => ScenarioBuilder<Nodes>
  readonly limits: (limits: Partial<ScenarioLimits>) => ScenarioBuilder<Nodes>
  readonly with: (
    fields: Partial<Pick<Scenario, "description" | "system" | "state" | "tags" | "weight" | "metadata">>
  ) => ScenarioBuilder<Nodes>
  /** The scenario, checked; fails with every error at once. */
  readonly validate: () => Result.Result<Validated, ScenarioError>
}

const verifiersOf = (verify: NodeInput["verify"]): ReadonlyArray<Verifier> => {
  if (verify === undefined) return []
  if (Array.isArray(verify)) return verify
  return Object.entries(verify).map(([type, expected]) => ({ type, weight: 1, params: {}, expected }))
}

const nodeOf = (id: string, { prompt, verify, ...rest }: NodeInput): ScenarioNode =>
  structuredClone(makeNode({ ...rest, id, prompt, verify: verifiersOf(verify) }))

const edgeOf = (from: string, to: string, { handover, when }: EdgeInput): ScenarioEdge => {
  const condition: Condition | null = when === undefined ? null : toCondition(when)
  return { from, to: to === "END" ? END : to, when: condition, handover: handover ?? null }
}

const deepFreeze = <A>(value: A): A => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) deepFreeze(inner)
  }
  return value
}

const validate = (scenario: Scenario): Result.Result<Validated, ScenarioError> => {
  const findings = checkGraph(scenario)
  const problems = findings.filter(({ level }) => level === "error").map(({ message }) => message)
  if (problems.length > 0) return Result.fail(new ScenarioError({ scenario: scenario.name, problems }))
  return Result.succeed({ scenario: deepFreeze(structuredClone(scenario)), warnings: findings })
}

const builder = <Nodes extends string>(scenario: Scenario): ScenarioBuilder<Nodes> => ({
  node: (id, node) => builder({ ...scenario, nodes: [...scenario.nodes, nodeOf(id, node)] }),
  edge: (from, to, edge = {}) => builder({ ...scenario, edges: [...scenario.edges, edgeOf(from, to, edge)] }),
  entry: (id) => builder({ ...scenario, entry: id }),
  outcome: (name, check, description = "") => {
    const outcome: NamedOutcome = { name, description, check }
    return builder({ ...scenario, outcomes: [...scenario.outcomes, outcome] })
  },
  score: (score) => builder({ ...scenario, score: typeof score === "string" ? { [score]: 1 } : score }),
  limits: (limits) => builder({ ...scenario, limits: { ...scenario.limits, ...limits } }),
  with: (fields) => builder({ ...scenario, ...fields }),
  validate: () => validate(scenario)
})

/** Begins a scenario: `Scenario.make("check").node("ask", { prompt: "…" }).entry("ask").validate()`. */
export const make = (name: string): ScenarioBuilder =>
  builder({
    name,
    description: "",
    entry: "",
    nodes: [],
    edges: [],
    outcomes: [],
    score: {},
    limits: { turns: defaultTurnLimit, timeS: null, tokens: null, costUsd: null },
    system: null,
    state: {},
    tags: [],
    weight: 1,
    metadata: {}
  })
