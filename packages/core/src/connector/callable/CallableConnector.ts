import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type { ContestantSource } from "../../domain/Contestant.ts"
import type { CellContext, Generation, GenerationRequest } from "../../domain/Generation.ts"
import type { GenerationError } from "../../domain/GenerationError.ts"
import { type LoadedFunction, loadFunction, type ModuleError } from "../../project/ProjectModule.ts"
import { Connector, type ConnectorConfig, ConnectorError } from "../Connector.ts"
import { runTarget, visibleCell } from "../InlineConnector.ts"
import { fromReturned } from "../TargetResult.ts"
import { errorFromThrown } from "../ThrownError.ts"
import { type EffectModule, effectModuleOf, isAnyEffect } from "./ForeignEffect.ts"
import { type InnerCalls, makeInnerCalls } from "./InnerCalls.ts"
import { type InnerCall, type TargetContext, targetFacts, toInnerRequest } from "./TargetContext.ts"
import { layerWorkers } from "./WorkerConnector.ts"

type CallableSource = Extract<ContestantSource, { readonly _tag: "Callable" }>

/** The copy of `effect` a module uses, found when it is first asked for; null = the one this program runs on. */
const foreignModule = (file: string): (() => EffectModule | null) => {
  let found: EffectModule | null | undefined
  return () => {
    if (found === undefined) {
      const module = effectModuleOf(file)
      found = module === null || Object.is(module.runPromise, Effect.runPromise) ? null : module
    }
    return found
  }
}

/** One attempt of a target: what it was given, and what has to be cleaned up when it is over. */
interface TargetCall {
  readonly context: TargetContext
  readonly fiber: Fiber.Fiber<unknown, unknown>
  readonly end: (isAnswered: boolean) => void
}

const innerEffect = (
  cell: CellContext,
  calls: () => InnerCalls,
  foreign: EffectModule | null
): TargetContext["effect"]["generate"] => {
  if (foreign === null) return (name, call) => cell.generate(name, toInnerRequest(call))
  const { tryPromise } = foreign
  return (name: string, call: InnerCall) => {
    const effect = tryPromise({ try: (signal) => calls().generate(name, call, signal), catch: (thrown) => thrown })
    // Typed as one of our Effects, because that is what it is to the target, which uses the same copy that made it.
    return effect as ReturnType<TargetContext["effect"]["generate"]>
  }
}

/** This is the path of every cell: nothing is made that a target may not look at, and no accessors, which are slow. */
const startCall = (
  request: GenerationRequest,
  cell: CellContext,
  foreign: () => EffectModule | null,
  fiber: Fiber.Fiber<unknown, unknown>
): TargetCall => {
  const controller = new AbortController()
  let calls: InnerCalls | null = null
  const inner = () => (calls ??= makeInnerCalls(cell, fiber.context))
  const context: TargetContext = {
    ...targetFacts(request, cell),
    signal: controller.signal,
    generate: (name, call) => inner().generate(name, call),
    effect: { generate: (name, call) => innerEffect(cell, inner, foreign())(name, call) }
  }
  const end = (isAnswered: boolean) => {
    calls?.end()
    if (!isAnswered) controller.abort()
  }
  return { context, fiber, end }
}

const nowOf = (call: TargetCall): number => call.fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()

const awaitPromise = (promise: PromiseLike<unknown>, call: TargetCall): Effect.Effect<unknown, GenerationError> =>
  Effect.callback((resume) => {
    promise.then(
      (returned) => resume(Effect.succeed(returned)),
      (thrown) => resume(Effect.fail(errorFromThrown(thrown, nowOf(call))))
    )
  })

/** Runs an Effect that a target returned, by the copy of `effect` that made it. */
const runReturned = (
  effect: object,
  call: TargetCall,
  foreign: EffectModule | null
): Effect.Effect<Generation, GenerationError> =>
  runTarget(
    foreign === null && Effect.isEffect(effect)
      ? // What the target requires cannot be known; a service that is missing is a defect that names it.
        (effect as Effect.Effect<unknown, unknown>)
      : Effect.flatMap(
          Effect.tryPromise({
            try: (signal) => {
              if (foreign === null)
                throw new Error("the target returned an Effect, but its package effect is not found")
              return foreign.runPromise(effect, { signal })
            },
            catch: (thrown) => errorFromThrown(thrown, nowOf(call))
          }),
          Effect.succeed
        )
  )

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

const interpret = (
  returned: unknown,
  call: TargetCall,
  foreign: () => EffectModule | null
): Effect.Effect<Generation, GenerationError> => {
  if (isAnyEffect(returned)) return runReturned(returned, call, foreign())
  if (!isThenable(returned)) return Effect.fromResult(fromReturned(returned))
  return Effect.flatMap(awaitPromise(returned, call), (settled) => interpret(settled, call, foreign))
}

/**
 * Calls the function once per attempt. A synchronous one is answered without a promise or a signal; whatever it returns
 * or throws, what it left behind is cleaned up, also when the fiber is interrupted while the function itself runs.
 */
export const callTarget = (target: LoadedFunction, exposeReference: boolean): Connector["Service"]["generate"] => {
  const foreign = foreignModule(target.file)
  return (request, cell) =>
    Effect.suspend(() => {
      let call: TargetCall | null = null
      const attempt = Effect.withFiber((fiber) => {
        call = startCall(request, visibleCell(cell, exposeReference), foreign, fiber)
        try {
          return interpret(target.call(request.prompt, call.context), call, foreign)
        } catch (thrown) {
          return Effect.fail(errorFromThrown(thrown, nowOf(call)))
        }
      })
      return Effect.onExit(attempt, (exit) => {
        call?.end(Exit.isSuccess(exit))
        return Effect.void
      })
    })
}

const buildError = (error: ModuleError): ConnectorError =>
  new ConnectorError({ detail: error.message, suggestion: null })

const layerFunction = (config: ConnectorConfig, source: CallableSource): Layer.Layer<Connector, ConnectorError> =>
  Layer.effect(
    Connector,
    Effect.map(Effect.mapError(loadFunction(config.root, source), buildError), (target) => ({
      provider: "callable",
      generate: callTarget(target, config.exposeReference),
      healthCheck: Effect.succeed(null),
      secrets: []
    }))
  )

/**
 * A function of the project (`run: file.ts:function`): synchronous, asynchronous, or returning an Effect. Its module is
 * loaded when the connector is built. With `blocking: true` it runs in worker threads that can be terminated.
 */
export const layerCallable = (config: ConnectorConfig): Layer.Layer<Connector, ConnectorError> => {
  const source = config.source
  if (source._tag !== "Callable") {
    const detail = `"${config.model}" is not a function of the project`
    return Layer.effect(
      Connector,
      Effect.fail(new ConnectorError({ detail, suggestion: "write run: file.ts:function" }))
    )
  }
  return config.blocking ? layerWorkers(config, source) : layerFunction(config, source)
}
