import type { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type { Score } from "../../domain/Score.ts"
import type { Scorer, ScorerInput } from "../../domain/Scorer.ts"
import { ScorerError } from "../../domain/ScorerError.ts"
import { makeWorkerPool, type WorkerPool, workerEntry } from "../../project/WorkerPool.ts"
import type { BlockingInput, BlockingStart, BlockingVerdict } from "./BlockingProtocol.ts"

/** Where a scorer is defined, so that a thread can load it again. */
export interface ScorerPlace {
  readonly file: string
  readonly fallbackName: string
}

/** Moves a scorer that may block into worker threads; fails with what prevents it. */
export type WrapBlocking = (scorer: Scorer, place: ScorerPlace) => Effect.Effect<Scorer, string>

const failed = (scorer: string, detail: string) => new ScorerError({ scorer, detail })

const toInput = ({ cell, output, params, reference, testCase }: ScorerInput): BlockingInput => {
  const { generate: _, ...facts } = cell
  return { output, reference, params, testCase, cell: facts }
}

const runIn = (worker: Worker, pool: WorkerPool, name: string, input: BlockingInput) =>
  Effect.callback<Score, ScorerError>((resume) => {
    const release = () => worker.off("message", onMessage).off("error", onError).off("exit", onExit)
    const finish = (result: Effect.Effect<Score, ScorerError>, isUsable: boolean) => {
      release()
      if (isUsable) pool.giveBack(worker)
      else pool.terminate(worker)
      resume(result)
    }
    const onMessage = (verdict: BlockingVerdict) =>
      finish(
        verdict.type === "scored" ? Effect.succeed(verdict.score) : Effect.fail(failed(name, verdict.detail)),
        true
      )
    const onError = (error: Error) => finish(Effect.fail(failed(name, error.message)), false)
    const onExit = (code: number) =>
      finish(Effect.fail(failed(name, `it ended its worker thread (exit code ${code})`)), false)
    worker.on("message", onMessage).on("error", onError).on("exit", onExit)
    try {
      worker.postMessage(input)
    } catch (thrown) {
      finish(Effect.fail(failed(name, `its input cannot be sent to a thread: ${String(thrown)}`)), true)
    }
    return Effect.sync(release)
  })

const judgeIn = (pool: WorkerPool, name: string) => (input: ScorerInput) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(restore(pool.take), (worker) =>
      Effect.onInterrupt(restore(runIn(worker, pool, name, toInput(input))), () =>
        Effect.sync(() => pool.terminate(worker))
      )
    )
  ).pipe(Effect.catchTag("WorkerUnusable", (error) => Effect.fail(failed(name, error.detail))))

/**
 * For scorers that declare `blocking: true`: each runs in threads of its own, so that an endless loop blocks nothing and
 * ends with the cell's limit, its thread terminated. The threads end with the scope.
 */
export const makeWrapBlocking = (
  root: string,
  env: Readonly<Record<string, string | undefined>>
): Effect.Effect<WrapBlocking, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => (scorer, { fallbackName, file }) => {
    const { name } = scorer
    const data: BlockingStart = { root, file, fallbackName, scorer: name }
    const entry = workerEntry(
      "BlockingScorerWorker",
      import.meta.url,
      "@agent-arena/core/scoring/blocking/BlockingScorerWorker"
    )
    return Scope.provide(makeWorkerPool({ entry, data, name: `scorer ${name}`, env }), scope).pipe(
      Effect.map((pool) => ({ ...scorer, score: judgeIn(pool, name) })),
      Effect.mapError((error) => error.detail)
    )
  })
