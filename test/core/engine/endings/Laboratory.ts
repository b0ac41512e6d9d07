/** Targets that behave as they are told, and everything that can be seen of them from outside the engine. */
import type { CellContext, TargetOutput } from "@agent-arena/core/domain/Generation"
import * as GenerationErrors from "@agent-arena/core/domain/GenerationError"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Behaviour } from "./Scenario.ts"

/** What one call of a target costs, USD. */
export const callUsd = 0.004

export interface Call {
  readonly cell: string
  readonly attempt: number
}

export interface Laboratory {
  readonly calls: ReadonlyArray<Call>
  /** Most calls that were going on at once and were still wanted. */
  readonly peak: () => number
  /** Answers that came after nobody wanted them any more. */
  readonly late: () => number
  /** From now on every target answers at once. */
  readonly calm: () => void
  readonly run: (cell: CellContext) => Effect.Effect<TargetOutput | string, unknown>
}

export const nameOf = (cell: { readonly contestant: string; readonly caseId: string; readonly trial: number }) =>
  `${cell.contestant}/${cell.caseId}/${cell.trial}`

const yes: TargetOutput = { output: "yes", costUsd: callUsd }

const numbersIn = (text: string): number => Number(text.replace(/\D/g, ""))

/** A table of behaviours laid over the matrix; neighbours differ. */
const behaviourIn = (behaviours: ReadonlyArray<Behaviour>, cell: CellContext): Behaviour =>
  behaviours[
    (numbersIn(cell.contestant) * 3 + numbersIn(cell.caseId) * 5 + cell.trial) % Math.max(1, behaviours.length)
  ] ?? "instant"

const swallowing = Effect.sleep(20_000).pipe(
  Effect.catchCause(() => Effect.succeed(undefined)),
  Effect.catch(() => Effect.succeed(undefined)),
  Effect.catchDefect(() => Effect.succeed(undefined)),
  Effect.exit,
  Effect.result,
  Effect.option,
  Effect.ignore,
  Effect.retry({ times: 5 }),
  Effect.as(yes)
)

/** A laboratory whose matrix has these behaviours. */
export const make = (behaviours: ReadonlyArray<Behaviour>): Laboratory => {
  const calls: Array<Call> = []
  let active = 0
  let peak = 0
  let late = 0
  let isCalm = false

  /** A call whose time is over is given up in the same breath in which the next one starts: looks after that. */
  const look = (): void =>
    queueMicrotask(() => {
      peak = Math.max(peak, active)
    })

  /** Counts a call for as long as somebody waits for it. */
  const wanted = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      active += 1
      look()
      return Effect.ensuring(
        effect,
        Effect.sync(() => {
          active -= 1
        })
      )
    })

  /** A callback that does not care whether it is still wanted. */
  const ignoring = (ms: number | null): Effect.Effect<TargetOutput> =>
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.callback((resume) => {
        let abandoned = false
        if (ms !== null) {
          Effect.runForkWith(context)(Effect.sleep(ms)).addObserver(() => {
            if (abandoned) late += 1
            resume(Effect.succeed({ output: "late", costUsd: callUsd }))
          })
        }
        return Effect.sync(() => {
          abandoned = true
        })
      })
    )

  const answer = (behaviour: Behaviour, cell: CellContext): Effect.Effect<TargetOutput, unknown> => {
    switch (behaviour) {
      case "instant":
        return Effect.succeed(yes)
      case "wrong":
        return Effect.succeed({ output: "no", costUsd: callUsd })
      case "slow":
        return Effect.as(Effect.sleep(600), yes)
      case "slower":
        return Effect.as(Effect.sleep(2_500), yes)
      case "flaky":
        return cell.attempt === 1
          ? Effect.fail(GenerationErrors.make({ reason: "overloaded", detail: "busy", status: 503 }))
          : Effect.as(Effect.sleep(100), yes)
      case "refused":
        return Effect.fail(GenerationErrors.make({ reason: "authentication", detail: "no key", status: 401 }))
      case "hangs":
        return Effect.never
      case "deaf":
        return ignoring(null)
      case "late":
        return ignoring(15_000)
      case "uninterruptible":
        return Effect.uninterruptible(Effect.as(Effect.sleep(12_000), yes))
      case "throws":
        throw new Error("thrown by the target")
      case "dies":
        return Effect.die(new Error("a defect of the target"))
      case "interruptsItself":
        return Effect.interrupt
      case "swallows":
        return swallowing
    }
  }

  return {
    calls,
    peak: () => peak,
    late: () => late,
    calm: () => {
      isCalm = true
    },
    run: (cell) => {
      const behaviour = isCalm ? "instant" : behaviourIn(behaviours, cell)
      calls.push({ cell: nameOf(cell), attempt: cell.attempt })
      // An abandoned call that cannot be interrupted goes on, but nobody waits for it.
      return behaviour === "uninterruptible" ? answer(behaviour, cell) : wanted(answer(behaviour, cell))
    }
  }
}
