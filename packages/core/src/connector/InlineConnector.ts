import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { TargetRun } from "../domain/Contestant.ts"
import type { CellContext, Generation } from "../domain/Generation.ts"
import type { GenerationError } from "../domain/GenerationError.ts"
import { Connector } from "./Connector.ts"
import { fromReturned } from "./TargetResult.ts"
import { errorFromThrown } from "./ThrownError.ts"

/** Interruption stays interruption; a failure of any type and a defect become the attempt's error. */
const toGenerationError = <E>(cause: Cause.Cause<E>): Effect.Effect<never, GenerationError> =>
  Cause.hasInterruptsOnly(cause)
    ? Effect.interrupt
    : Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fail(errorFromThrown(Cause.squash(cause), now)))

/**
 * Runs an Effect of the user's as one attempt: its result is read as a target's, whatever it fails with becomes a
 * `GenerationError`.
 */
export const runTarget = (effect: Effect.Effect<unknown, unknown>): Effect.Effect<Generation, GenerationError> =>
  Effect.flatMap(Effect.catchCause(effect, toGenerationError), (returned) => Effect.fromResult(fromReturned(returned)))

/** The cell as a target may see it: the expected answer is taken away unless the project exposes it. */
export const visibleCell = (cell: CellContext, exposeReference: boolean): CellContext => {
  if (exposeReference || !("reference" in cell)) return cell
  const { reference: _, ...visible } = cell
  return visible
}

/**
 * A target written in the program itself. `context` is the program's, captured where the run was started; services of
 * the calling fiber (its clock, its scope) win over it.
 */
export const layerInline = <R>(
  run: TargetRun<R>,
  context: Context.Context<R>,
  exposeReference: boolean
): Layer.Layer<Connector> =>
  Layer.succeed(Connector, {
    provider: "inline",
    generate: (request, cell) =>
      runTarget(
        Effect.updateContext(
          Effect.suspend(() => run(request, visibleCell(cell, exposeReference))),
          (current: Context.Context<never>) => Context.merge(context, current)
        )
      ),
    healthCheck: Effect.succeed(null),
    secrets: []
  })
