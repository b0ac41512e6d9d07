/** Entry of a worker thread: runs one blocking target, one call at a time. Terminated from outside at any moment. */
import { parentPort, workerData } from "node:worker_threads"
import type { InnerGeneration } from "../../domain/Generation.ts"
import { exportedFunction, importModule, ModuleProblem } from "../../project/NodeModule.ts"
import { effectModuleOf, isAnyEffect } from "./ForeignEffect.ts"
import type { InnerCall, TargetFacts } from "./TargetContext.ts"
import { type FromWorker, type PlainError, type ToWorker, toPlainError, type WorkerStart } from "./WorkerProtocol.ts"

type TargetFunction = (prompt: string, context: object) => unknown

const say = (message: FromWorker): void => parentPort?.postMessage(message)

interface Waiting {
  readonly resolve: (answer: InnerGeneration) => void
  readonly reject: (error: Error) => void
}

let lastId = 0
const waiting = new Map<number, Waiting>()

const generate = (name: string, call: InnerCall, signal?: AbortSignal): Promise<InnerGeneration> =>
  new Promise((resolve, reject) => {
    const id = ++lastId
    waiting.set(id, { resolve, reject })
    signal?.addEventListener("abort", () => say({ type: "cancel", id }), { once: true })
    say({ type: "generate", id, name, call })
  })

const toError = (plain: PlainError): Error => Object.assign(new Error(String(plain["message"])), plain)

const contextOf = (facts: TargetFacts, file: string): object => ({
  ...facts,
  // A worker is terminated instead: this never fires, but code written for it works.
  signal: new AbortController().signal,
  generate: (name: string, call: InnerCall) => generate(name, call),
  get effect() {
    return {
      generate: (name: string, call: InnerCall) =>
        effectModuleOf(file)?.tryPromise({ try: (signal) => generate(name, call, signal), catch: (thrown) => thrown })
    }
  }
})

const settle = async (returned: unknown, file: string): Promise<unknown> => {
  const value = await returned
  if (!isAnyEffect(value)) return value
  const module = effectModuleOf(file)
  if (module === null) throw new Error("the target returned an Effect, but its package effect is not found")
  return module.runPromise(value, { signal: new AbortController().signal })
}

const run = async (target: TargetFunction, facts: TargetFacts, file: string): Promise<void> => {
  const startedAt = performance.now()
  try {
    const value = await settle(target(facts.prompt, contextOf(facts, file)), file)
    say({ type: "returned", value, elapsedMs: performance.now() - startedAt })
  } catch (thrown) {
    say({ type: "threw", error: toPlainError(thrown) })
  } finally {
    waiting.clear()
  }
}

const listen = (target: TargetFunction, file: string): void => {
  parentPort?.on("message", (message: ToWorker) => {
    if (message.type === "call") {
      void run(target, message.facts, file)
      return
    }
    const inner = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.type === "answered") inner?.resolve(message.answer)
    else inner?.reject(toError(message.error))
  })
  say({ type: "ready" })
}

const start = async ({ root, module, exportName }: WorkerStart): Promise<void> => {
  const loaded = await importModule(root, module)
  listen(exportedFunction(loaded.exports, exportName), loaded.file)
}

start(workerData).catch((thrown: unknown) =>
  say({ type: "unusable", detail: thrown instanceof ModuleProblem ? thrown.detail : String(thrown) })
)
