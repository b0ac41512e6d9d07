import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import type { CellContext, InnerGeneration } from "../../domain/Generation.ts"
import * as GenerationErrors from "../../domain/GenerationError.ts"
import { type InnerCall, toInnerRequest } from "./TargetContext.ts"

/** Inner calls of one attempt, made from plain code. Ending them is the caller's duty. */
export interface InnerCalls {
  readonly generate: (name: string, call: InnerCall, signal?: AbortSignal) => Promise<InnerGeneration>
  /** Interrupts what is still going on; later calls are refused. */
  readonly end: () => void
}

const ended = GenerationErrors.make({ reason: "aborted", detail: "the cell of this inner call is over" })

const settle = (
  exit: Exit.Exit<InnerGeneration, GenerationErrors.GenerationError>,
  resolve: (answer: InnerGeneration) => void,
  reject: (error: unknown) => void
) => {
  if (Exit.isSuccess(exit)) resolve(exit.value)
  else reject(Cause.hasInterruptsOnly(exit.cause) ? ended : Cause.squash(exit.cause))
}

/** Runs the cell's inner calls in fibers that inherit the services of the fiber of the target. */
export const makeInnerCalls = (cell: CellContext, context: Context.Context<never>): InnerCalls => {
  const running = new Set<Fiber.Fiber<unknown, unknown>>()
  let isEnded = false
  const generate: InnerCalls["generate"] = (name, call, signal) =>
    new Promise((resolve, reject) => {
      if (isEnded || signal?.aborted === true) return reject(ended)
      const fiber = Effect.runForkWith(context)(cell.generate(name, toInnerRequest(call)))
      const abort = () => fiber.interruptUnsafe()
      running.add(fiber)
      signal?.addEventListener("abort", abort, { once: true })
      fiber.addObserver((exit) => {
        running.delete(fiber)
        signal?.removeEventListener("abort", abort)
        settle(exit, resolve, reject)
      })
    })
  const end = () => {
    isEnded = true
    for (const fiber of running) fiber.interruptUnsafe()
  }
  return { generate, end }
}
