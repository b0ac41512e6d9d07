/** Entry of a worker thread: runs one blocking scorer, one answer at a time. Terminated from outside at any moment. */
import { parentPort, workerData } from "node:worker_threads"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Scorer, ScorerInput } from "../../domain/Scorer.ts"
import { importModule, ModuleProblem } from "../../project/NodeModule.ts"
import type { WorkerGreeting } from "../../project/WorkerPool.ts"
import { takeRegistrations } from "../RegisterScorer.ts"
import { scorersOfModule } from "../ScorerDefinition.ts"
import type { BlockingInput, BlockingStart, BlockingVerdict } from "./BlockingProtocol.ts"

const say = (message: WorkerGreeting | BlockingVerdict): void => parentPort?.postMessage(message)

const refuseInnerCalls: ScorerInput["cell"]["generate"] = () =>
  Effect.die(new Error("a blocking scorer cannot make calls through the arena"))

const judge = (scorer: Scorer, input: BlockingInput): Promise<BlockingVerdict> => {
  const scored = scorer.score({ ...input, cell: { ...input.cell, generate: refuseInnerCalls } })
  if (!Effect.isEffect(scored)) return Promise.resolve({ type: "scored", score: scored })
  return Effect.runPromise(
    Effect.match(scored, {
      onSuccess: (score): BlockingVerdict => ({ type: "scored", score }),
      onFailure: ({ detail }): BlockingVerdict => ({ type: "failed", detail })
    })
  )
}

const load = async ({ fallbackName, file, root, scorer }: BlockingStart): Promise<Scorer> => {
  const { exports } = await importModule(root, file)
  const scorers = scorersOfModule(exports, takeRegistrations(exports), fallbackName, file)
  if (Result.isFailure(scorers)) throw new Error(scorers.failure)
  const found = scorers.success.find(({ name }) => name === scorer)
  if (found === undefined) throw new Error(`it has no scorer "${scorer}" any more`)
  return found
}

const listen = (scorer: Scorer): void => {
  parentPort?.on("message", (input: BlockingInput) => {
    judge(scorer, input).then(say, (thrown: unknown) => say({ type: "failed", detail: String(thrown) }))
  })
  say({ type: "ready" })
}

load(workerData).then(listen, (thrown: unknown) =>
  say({
    type: "unusable",
    detail: thrown instanceof ModuleProblem ? thrown.detail : thrown instanceof Error ? thrown.message : String(thrown)
  })
)
