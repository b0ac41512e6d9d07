import type * as Effect from "effect/Effect"
import type { GenerationRequest, InnerGeneration, InnerRequest, ScenarioTurn } from "../../domain/Generation.ts"
import type { GenerationError } from "../../domain/GenerationError.ts"
import type { Params } from "../../domain/TestCase.ts"

/** What a callable target knows of the cell it answers, without the means to do something about it. */
export interface TargetFacts {
  readonly prompt: string
  readonly messages: GenerationRequest["messages"]
  readonly system: string | null
  readonly maxTokens: number | null
  readonly temperature: number | null
  readonly seed: number | null
  /** Merged params of the contestant. */
  readonly params: Params
  readonly contestant: string
  readonly caseId: string
  /** The same as `caseId`. */
  readonly test_id: string
  /** 1-based. */
  readonly trial: number
  /** 1-based. */
  readonly attempt: number
  readonly tags: ReadonlyArray<string>
  readonly metadata: Params
  /** The expected answer; there only with `expose_reference: true`. */
  readonly reference?: unknown
  /** In a scenario: the folder of the turn, and what a judge may read. */
  readonly scenario?: ScenarioTurn
}

/** An inner call: a prompt, or what differs from the cell's own request. */
export type InnerCall = string | InnerRequest

/** The second argument of a callable target: `(prompt, context) => answer`. */
export interface TargetContext extends TargetFacts {
  /** Aborted when the answer is no longer wanted (time limit, stop). */
  readonly signal: AbortSignal
  /**
   * An inner call through the arena: limited, retried, priced and counted for this cell. `name` is a contestant key or
   * a model id. Rejects with `GenerationError`; still going on when the target returns, it is interrupted.
   */
  readonly generate: (name: string, request: InnerCall) => Promise<InnerGeneration>
  /** The same for targets that return an Effect. */
  readonly effect: {
    readonly generate: (name: string, request: InnerCall) => Effect.Effect<InnerGeneration, GenerationError>
  }
}

type CellFacts = Omit<TargetFacts, keyof GenerationRequest | "test_id">

const factsOf = (request: GenerationRequest, cell: CellFacts): TargetFacts => ({
  prompt: request.prompt,
  messages: request.messages,
  system: request.system,
  maxTokens: request.maxTokens,
  temperature: request.temperature,
  seed: request.seed,
  params: request.params,
  contestant: cell.contestant,
  caseId: cell.caseId,
  test_id: cell.caseId,
  trial: cell.trial,
  attempt: cell.attempt,
  tags: cell.tags,
  metadata: cell.metadata
})

/** What a target may know, as plain data. `reference` has already been taken away where it must not be seen. */
export const targetFacts = (request: GenerationRequest, cell: CellFacts): TargetFacts => {
  const facts = factsOf(request, cell)
  const placed = cell.scenario === undefined ? facts : { ...facts, scenario: cell.scenario }
  return "reference" in cell ? { ...placed, reference: cell.reference } : placed
}

export const toInnerRequest = (call: InnerCall): InnerRequest => (typeof call === "string" ? { prompt: call } : call)
