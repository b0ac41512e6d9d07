import type { Contestant } from "../domain/Contestant.ts"
import type { Step } from "../domain/Generation.ts"
import { ContestantKey } from "../domain/Ids.ts"
import type { RecalledTurn } from "../scenario/PlayCell.ts"

/**
 * Keeps the turns of an earlier play as steps that were not asked now. What their records do not say is known from the
 * steps of then; turns that were answered alike have a step each.
 */
export const recallSteps = (
  earlier: ReadonlyArray<Step>,
  own: Pick<Contestant<unknown>, "key" | "model">,
  steps: Array<Step>
): ((turn: RecalledTurn) => void) => {
  const left = new Set(earlier.filter(({ inside }) => inside !== true))
  return ({ contestant, costUsd, latencyMs, output, prompt, usage }) => {
    const alike = [...left].filter(
      (step) => step.output === output && (step.contestant === contestant || step.model === contestant)
    )
    const known = alike.find((step) => step.prompt === prompt) ?? alike[0]
    if (known !== undefined) left.delete(known)
    steps.push({
      contestant: known?.contestant ?? ContestantKey.make(contestant),
      model: known?.model ?? (contestant === own.key ? own.model : contestant),
      prompt: known?.prompt ?? prompt,
      output,
      error: null,
      usage,
      costUsd,
      latencyMs,
      attempts: known?.attempts ?? 0,
      answeredFrom: "replay"
    })
  }
}
