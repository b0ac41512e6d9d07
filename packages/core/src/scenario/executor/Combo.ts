import * as Schema from "effect/Schema"
import { ScenarioResult, TurnFailure } from "../model/Turn.ts"
import type { CompiledScenario } from "../play/Compiled.ts"
import type { ScenarioFunctions } from "../play/Functions.ts"

/** One unit of work: a scenario, who plays it, who judges, and which repetition. */
export interface Combo {
  readonly compiled: CompiledScenario
  readonly functions?: ScenarioFunctions
  /** Id of the contestant. */
  readonly contestant: string
  readonly judge: string | null
  /** 0 is a replicate like any other; null = not replicated. */
  readonly replicate: number | null
}

/** `Scenario 'capital' with ans/judge rep=2`, for errors. */
export const labelOf = ({ compiled, contestant, judge, replicate }: Combo): string =>
  `Scenario '${compiled.scenario.name}' with ${contestant}${judge === null ? "" : `/${judge}`}${replicate === null ? "" : ` rep=${replicate}`}`

/** A combo that gave no result of its own, or a result that is an error. */
export class ComboError extends Schema.TaggedError<ComboError>()("ComboError", {
  label: Schema.String,
  /** Position in the batch. */
  combo: Schema.Int,
  /**
   * `failed`: it could not be played. `interrupted`: the batch ended while it was in flight. `not_started`: before its
   * turn came. `scenario`: it was played, and a turn of it failed; its result is among the results.
   */
  kind: Schema.Literals(["failed", "interrupted", "not_started", "scenario"]),
  detail: Schema.String,
  failure: Schema.NullOr(TurnFailure),
  /** What was known of an interrupted play; its answers are paid for. */
  partial: Schema.NullOr(ScenarioResult)
}) {
  override get message(): string {
    return `${this.label}: ${this.detail}`
  }
}

/** The whole batch ran out of time. */
export class BatchTimeout extends Schema.TaggedError<BatchTimeout>()("BatchTimeout", {
  seconds: Schema.Finite,
  completed: Schema.Int,
  failed: Schema.Int,
  inFlight: Schema.Int,
  notStarted: Schema.Int,
  total: Schema.Int,
  /** One line for each combo in flight that had finished a turn. */
  progress: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const { completed, failed, inFlight, notStarted, progress, seconds, total } = this
    const counts = `${completed} completed, ${failed} failed, ${inFlight} in flight, ${notStarted} not started of ${total}`
    return [`the batch was stopped after ${seconds} s: ${counts}`, ...progress].join("\n")
  }
}
