import type { Worker } from "node:worker_threads"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { CellContext, Generation, GenerationRequest } from "../../domain/Generation.ts"
import type { GenerationError } from "../../domain/GenerationError.ts"
import * as GenerationErrors from "../../domain/GenerationError.ts"
import type { ModuleFunction } from "../../project/ProjectModule.ts"
import { makeWorkerPool, type WorkerPool, type WorkerUnusable, workerEntry } from "../../project/WorkerPool.ts"
import { Connector, type ConnectorConfig, ConnectorError } from "../Connector.ts"
import { visibleCell } from "../InlineConnector.ts"
import { fromReturned } from "../TargetResult.ts"
import { errorFromThrown } from "../ThrownError.ts"
import { type InnerCalls, makeInnerCalls } from "./InnerCalls.ts"
import { targetFacts } from "./TargetContext.ts"
import { type FromWorker, type ToWorker, toPlainError, type WorkerStart } from "./WorkerProtocol.ts"

const targetError = (detail: string) => GenerationErrors.make({ reason: "target", detail })

/** Relays the inner calls of a worker, each of which it may take back. */
const makeRelay = (worker: Worker, calls: InnerCalls) => {
  const controllers = new Map<number, AbortController>()
  const reply = (message: ToWorker) => worker.postMessage(message)
  return (message: FromWorker) => {
    if (message.type === "cancel") controllers.get(message.id)?.abort()
    if (message.type !== "generate") return
    const { id, name, call } = message
    const controller = new AbortController()
    controllers.set(id, controller)
    calls
      .generate(name, call, controller.signal)
      .then(
        (answer) => reply({ type: "answered", id, answer }),
        (thrown) => reply({ type: "refused", id, error: toPlainError(thrown) })
      )
      .finally(() => controllers.delete(id))
  }
}

/** The worker measures its own time, so that starting threads and passing messages do not count as latency. */
const answerOf = (message: Extract<FromWorker, { type: "returned" }>): Result.Result<Generation, GenerationError> =>
  Result.map(fromReturned(message.value), (answer) => ({
    ...answer,
    latencyMs: answer.latencyMs ?? message.elapsedMs
  }))

const runIn = (
  worker: Worker,
  pool: WorkerPool,
  request: GenerationRequest,
  cell: CellContext,
  fiber: Fiber.Fiber<unknown, unknown>
): Effect.Effect<Generation, GenerationError> =>
  Effect.callback((resume) => {
    const calls = makeInnerCalls(cell, fiber.context)
    const relay = makeRelay(worker, calls)
    const release = () => {
      calls.end()
      worker.off("message", onMessage).off("error", onError).off("exit", onExit)
    }
    const finish = (result: Result.Result<Generation, GenerationError>, isUsable: boolean) => {
      release()
      if (isUsable) pool.giveBack(worker)
      else pool.terminate(worker)
      resume(Effect.fromResult(result))
    }
    const failed = (thrown: unknown) => {
      const now = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()
      return Result.fail(errorFromThrown(thrown, now))
    }
    const onMessage = (message: FromWorker) => {
      if (message.type === "returned") finish(answerOf(message), true)
      else if (message.type === "threw") finish(failed(message.error), true)
      else relay(message)
    }
    const onError = (error: Error) => finish(failed(error), false)
    const onExit = (code: number) =>
      finish(Result.fail(targetError(`the target ended its worker thread (exit code ${code})`)), false)
    worker.on("message", onMessage).on("error", onError).on("exit", onExit)
    try {
      worker.postMessage({ type: "call", facts: targetFacts(request, cell) } satisfies ToWorker)
    } catch (thrown) {
      finish(failed(thrown), true)
    }
    return Effect.sync(release)
  })

const poolOf = ({ env, root }: ConnectorConfig, { exportName, module }: ModuleFunction) =>
  makeWorkerPool({
    entry: workerEntry("CallableWorker", import.meta.url, "@agent-arena/core/connector/callable/CallableWorker"),
    data: { root, module, exportName } satisfies WorkerStart,
    name: `${module}:${exportName}`,
    env
  })

const unusable = (error: WorkerUnusable): ConnectorError =>
  new ConnectorError({ detail: error.message, suggestion: null })

/** Runs a blocking target in worker threads, each terminated when its call is interrupted and replaced when needed. */
export const layerWorkers = (config: ConnectorConfig, target: ModuleFunction): Layer.Layer<Connector, ConnectorError> =>
  Layer.effect(
    Connector,
    Effect.map(Effect.mapError(poolOf(config, target), unusable), (pool) => ({
      provider: "callable",
      generate: (request, cell) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(restore(Effect.mapError(pool.take, (error) => targetError(error.message))), (worker) => {
            const visible = visibleCell(cell, config.exposeReference)
            const call = Effect.withFiber((fiber) => runIn(worker, pool, request, visible, fiber))
            return Effect.onInterrupt(restore(call), () => Effect.sync(() => pool.terminate(worker)))
          })
        ),
      healthCheck: Effect.succeed(null),
      secrets: []
    }))
  )
