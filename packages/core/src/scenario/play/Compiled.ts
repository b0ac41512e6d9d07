/** A scenario made ready once for all its plays: edges by node, templates, scorers, hashes. */
import { ofValue } from "../../domain/ContentHash.ts"
import { CaseId } from "../../domain/Ids.ts"
import type { CaseScorer, TestCase } from "../../domain/TestCase.ts"
import type { BoundScorer } from "../../scoring/CellScore.ts"
import type { ScorerRegistry } from "../../scoring/ScorerRegistry.ts"
import { checksOf, functionsOf } from "../condition/Condition.ts"
import type { Scenario, ScenarioEdge, ScenarioNode, Verifier } from "../model/Scenario.ts"
import { partsOf } from "../outcome/Outcome.ts"
import { type Template, templateOf } from "../state/Template.ts"

/** A scorer of a node, looked up, with the case it judges. */
export interface BoundVerifier {
  readonly verifier: Verifier
  readonly bound: ReadonlyArray<BoundScorer<unknown>>
  readonly testCase: TestCase
}

export interface CompiledNode {
  readonly node: ScenarioNode
  readonly prompt: Template
  readonly system: Template | null
  readonly edges: ReadonlyArray<ScenarioEdge>
  readonly verifiers: ReadonlyArray<BoundVerifier>
  /** Whether a scorer of the project is among them: only these, and whom they call, look into folders. */
  readonly hasOwnScorers: boolean
  /** Whether a scorer that may look at the whole conversation is among them: one of the project, or a judge. */
  readonly readsConversation: boolean
  /** Changes with everything that decides a verdict: scorers and parsed fields. */
  readonly verifyHash: string
}

export interface CompiledScenario {
  readonly scenario: Scenario
  readonly hash: string
  readonly nodes: ReadonlyMap<string, CompiledNode>
  /** Names of the functions that it calls. */
  readonly functions: ReadonlySet<string>
}

type AnyScorer = BoundScorer<unknown>["scorer"]

const isOwn = ({ source }: AnyScorer): boolean => source !== "built-in"

const readsConversation = (scorer: AnyScorer): boolean => isOwn(scorer) || scorer.name === "llm_judge"

const nowhere = { file: "(scenario)", line: null, column: null }

/** The case that a scorer of a node judges: the question, and what this scorer expects. */
export const verifierCase = (scenario: Scenario, node: ScenarioNode, verifier: Verifier): TestCase => {
  const scorer: CaseScorer = {
    type: verifier.type,
    weight: verifier.weight,
    params: verifier.params,
    position: nowhere
  }
  return {
    id: CaseId.make(scenario.name),
    messages: [{ role: "user", content: node.prompt }],
    ...("expected" in verifier ? { reference: verifier.expected } : {}),
    system: node.system ?? scenario.system,
    scorers: [scorer],
    tags: scenario.tags,
    weight: scenario.weight,
    maxTokens: node.maxTokens,
    temperature: node.temperature,
    metadata: node.metadata,
    position: nowhere
  }
}

const isFunctionHandover = (edge: ScenarioEdge): ReadonlyArray<string> =>
  edge.handover !== null && typeof edge.handover === "object" ? [edge.handover.function] : []

/** Names of all functions of the project that a scenario calls. */
export const functionNames = (scenario: Scenario): ReadonlySet<string> => {
  const ofUpdates = scenario.nodes.flatMap(({ update }) =>
    update.flatMap((one) => [
      ...(one._tag === "Function" ? [one.function] : []),
      ...(one.when === null ? [] : functionsOf(one.when))
    ])
  )
  const ofEdges = scenario.edges.flatMap((edge) => [
    ...isFunctionHandover(edge),
    ...(edge.when === null ? [] : functionsOf(edge.when))
  ])
  const ofOutcomes = scenario.outcomes.flatMap(({ check }) =>
    partsOf(check).flatMap((part) => {
      if (part._tag === "Function") return [part.function]
      if (part._tag === "TurnCheck") return functionsOf(part.where)
      return (part._tag === "CountTurns" || part._tag === "FirstMatchIndex") && part.where !== null
        ? functionsOf(part.where)
        : []
    })
  )
  return new Set([...ofUpdates, ...ofEdges, ...ofOutcomes])
}

/** Every path into the state that the edges of a scenario ask for. */
export const edgeFields = (edge: ScenarioEdge): ReadonlyArray<string> =>
  edge.when === null ? [] : checksOf(edge.when).map(({ field }) => field)

/** Makes a scenario ready. `registry` finds the scorers that its nodes name. */
export const compile = (scenario: Scenario, registry: Pick<ScorerRegistry<unknown>, "bind">): CompiledScenario => {
  const edges = Map.groupBy(scenario.edges, ({ from }) => from)
  const nodes = new Map(
    scenario.nodes.map((node): [string, CompiledNode] => {
      const system = node.system ?? scenario.system
      const verifiers = node.verify.map((verifier): BoundVerifier => {
        const testCase = verifierCase(scenario, node, verifier)
        return { verifier, bound: registry.bind(testCase), testCase }
      })
      return [
        node.id,
        {
          node,
          prompt: templateOf(node.prompt),
          system: system === null ? null : templateOf(system),
          edges: edges.get(node.id) ?? [],
          verifiers,
          hasOwnScorers: verifiers.some(({ bound }) => bound.some(({ scorer }) => isOwn(scorer))),
          readsConversation: verifiers.some(({ bound }) => bound.some(({ scorer }) => readsConversation(scorer))),
          verifyHash: ofValue({ verify: node.verify, parse: node.parse })
        }
      ]
    })
  )
  return { scenario, hash: ofValue(scenario), nodes, functions: functionNames(scenario) }
}
