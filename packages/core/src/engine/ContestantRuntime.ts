import type { Contestant } from "../domain/Contestant.ts"
import type { Generation, TokenUsage } from "../domain/Generation.ts"
import type { PriceCard } from "../domain/PriceCard.ts"
import type { Params } from "../domain/TestCase.ts"
import type { CallSettings } from "./Call.ts"

/** A contestant made ready for calls; one per contestant and run. */
export interface ContestantRuntime {
  readonly contestant: Contestant<unknown>
  /** Recorded as the result's `provider`. */
  readonly provider: string
  readonly settings: CallSettings
  /** Request params: `defaults < profile < contestant`. */
  readonly params: Params
  readonly card: PriceCard | null
  /** Simulated models and targets with `expose_reference: true`. */
  readonly seesReference: boolean
}

/** Cost of an answer, USD: what the source reported, else what the price book says; null = unknown. */
export type CostOfCall = (runtime: ContestantRuntime, answer: Generation) => number | null

/** From the book's arithmetic. */
export const costOfCall =
  (callCost: (card: PriceCard | null, usage: TokenUsage) => number | null): CostOfCall =>
  (runtime, answer) =>
    answer.costUsd ?? callCost(runtime.card, answer.usage)
