import * as Effect from "effect/Effect"
import type { ScenarioResult } from "../model/Turn.ts"
import { capture } from "../replay/Capture.ts"
import { ReplayStore } from "../replay/ReplayStore.ts"
import type { Combo } from "./Combo.ts"
import { type BatchResult, type ExecutorOptions, runBatch } from "./ScenarioExecutor.ts"

const keyOf = (
  scenario: string,
  hash: string,
  contestant: string,
  judge: string | null,
  replicate: number | null
): string => JSON.stringify([scenario, hash, contestant, judge, replicate])

/** A result that stands as it is: the play ended by itself or at a limit. */
const stands = ({ status }: ScenarioResult): boolean => status === "completed" || status === "limit_reached"

export interface ExtendedBatch extends BatchResult {
  /** How many of the combos were taken over as they were. */
  readonly reused: number
}

/**
 * Plays what is missing of a batch: combos that `prior` has under the same scenario, contestant, judge and replicate are
 * taken over; for all others recorded answers are used again, and verdicts where judge and scorers are the same. So new
 * judges, contestants, replicates and scorers cost only what is new (a replicate is a new draw), and failed or interrupted plays go on at the turn
 * where they were. Results stand in the order of the combos; positions in `errors` count the combos that were played.
 */
export const extendBatch = Effect.fn("ScenarioExecutor.extendBatch")(function* <E = never>(
  prior: ReadonlyArray<ScenarioResult>,
  combos: ReadonlyArray<Combo>,
  options: Omit<ExecutorOptions<E>, "replay">
) {
  const kept = new Map(
    prior
      .filter(stands)
      .map((result) => [keyOf(result.scenario, result.hash, result.contestant, result.judge, result.replicate), result])
  )
  const keptFor = ({ compiled, contestant, judge, replicate }: Combo): ScenarioResult | undefined =>
    kept.get(keyOf(compiled.scenario.name, compiled.hash, contestant, judge, replicate))
  const missing = combos.filter((combo) => keptFor(combo) === undefined)
  const replay = new ReplayStore("fall_through", true)
  capture(replay, prior, new Map(combos.map(({ compiled }) => [compiled.scenario.name, compiled])))
  const played = yield* runBatch(missing, { ...options, replay })
  const byCombo = new Map(
    played.results.map((result) => [
      keyOf(result.scenario, result.hash, result.contestant, result.judge, result.replicate),
      result
    ])
  )
  const results = combos.flatMap((combo) => {
    const { compiled, contestant, judge, replicate } = combo
    return (
      keptFor(combo) ?? byCombo.get(keyOf(compiled.scenario.name, compiled.hash, contestant, judge, replicate)) ?? []
    )
  })
  return { ...played, results, reused: combos.length - missing.length } satisfies ExtendedBatch
})
