/** What the inner calls of a cell, or of a target in it, come to. Unknown as soon as one part is. */
import type { Generation, Step, TokenUsage } from "../domain/Generation.ts"
import { totalOf, totalUsage } from "../domain/TotalUsage.ts"
import type { ContestantRuntime, CostOfCall } from "./ContestantRuntime.ts"

const isWhole = ({ inside, output }: Step): boolean => output !== null && inside !== true

/** Tokens: the caller's own report, else the sum of the answered steps. */
export const usageOf = (usage: TokenUsage, steps: ReadonlyArray<Step>): TokenUsage => {
  if (steps.length === 0 || usage.prompt !== null || usage.completion !== null) return usage
  return totalUsage(steps.filter(isWhole).map((step) => step.usage))
}

/** Cost of an answer, USD: its own report, else the sum of the answered steps behind it, else the price book. */
export const costOf = (
  book: CostOfCall,
  runtime: ContestantRuntime,
  answer: Generation,
  steps: ReadonlyArray<Step>
): number | null =>
  answer.costUsd !== null || steps.length === 0
    ? book(runtime, answer)
    : totalOf(steps.filter(isWhole).map(({ costUsd }) => costUsd))

/** What was certainly paid, USD: the known costs of the steps; null when none is. */
export const knownCost = (steps: ReadonlyArray<Step>): number | null =>
  totalOf(steps.flatMap(({ costUsd, inside }) => (costUsd === null || inside === true ? [] : [costUsd])))
