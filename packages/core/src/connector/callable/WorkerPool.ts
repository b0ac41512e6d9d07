import { existsSync } from "node:fs"
import { Worker } from "node:worker_threads"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { ConnectorError } from "../Connector.ts"
import type { FromWorker, WorkerStart } from "./WorkerProtocol.ts"

export interface WorkerPoolOptions extends WorkerStart {
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Worker threads of one blocking target. A call has a worker of its own for as long as it lasts. */
export interface WorkerPool {
  /** An idle worker, or a new one: as many as there are calls at a time, so that no call waits for another. */
  readonly take: Effect.Effect<Worker, ConnectorError>
  /** Gives a worker back that has finished its call. */
  readonly giveBack: (worker: Worker) => void
  /** Ends a worker whatever it is doing. It is not waited for, because native code cannot be interrupted. */
  readonly terminate: (worker: Worker) => void
}

/** Beside this file as compiled, as a source, or in the package when this file is part of a bundle. */
const entry = (): URL => {
  for (const name of ["CallableWorker.js", "CallableWorker.ts"]) {
    const url = new URL(name, import.meta.url)
    if (existsSync(url)) return url
  }
  return new URL(import.meta.resolve("@agent-arena/core/connector/callable/CallableWorker"))
}

const definedOnly = (env: WorkerPoolOptions["env"]): Record<string, string> => {
  const defined: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) if (value !== undefined) defined[name] = value
  return defined
}

const newWorker = ({ env, root, module, exportName }: WorkerPoolOptions, write: (text: string) => void): Worker => {
  const worker = new Worker(entry(), {
    workerData: { root, module, exportName } satisfies WorkerStart,
    env: definedOnly(env),
    // What the target prints must not end up among the results on stdout.
    stdout: true,
    stderr: true,
    execArgv: [...process.execArgv, "--disable-warning=ExperimentalWarning"],
    name: `${module}:${exportName}`
  })
  for (const stream of [worker.stdout, worker.stderr]) stream.on("data", (chunk) => write(String(chunk).trimEnd()))
  return worker
}

/** Waits until a worker has loaded its module. */
const untilReady = (worker: Worker, name: string): Effect.Effect<Worker, ConnectorError> =>
  Effect.callback((resume) => {
    const unusable = (detail: string) =>
      settle(Effect.fail(new ConnectorError({ detail: `${name}: ${detail}`, suggestion: null })))
    const onMessage = (message: FromWorker) => {
      if (message.type === "ready") settle(Effect.succeed(worker))
      if (message.type === "unusable") unusable(message.detail)
    }
    const onError = (error: Error) => unusable(`its worker thread failed: ${error.message}`)
    const onExit = (code: number) => unusable(`it ended its worker thread while loading (exit code ${code})`)
    const settle = (result: Effect.Effect<Worker, ConnectorError>) => {
      worker.off("message", onMessage).off("error", onError).off("exit", onExit)
      resume(result)
    }
    worker.on("message", onMessage).on("error", onError).on("exit", onExit)
    return Effect.sync(() => void worker.terminate())
  })

/** Makes the pool of a target and its first worker, which proves that the module can be used. */
export const makeWorkerPool = Effect.fnUntraced(function* (options: WorkerPoolOptions) {
  const console = yield* Console.Console
  const write = (text: string) => console.error(text)
  const all = new Set<Worker>()
  const idle: Array<Worker> = []

  const forget = (worker: Worker) => {
    all.delete(worker)
    const index = idle.indexOf(worker)
    if (index >= 0) idle.splice(index, 1)
  }
  const terminate = (worker: Worker) => {
    forget(worker)
    worker.unref()
    void worker.terminate()
  }
  const start = Effect.suspend(() => {
    const worker = newWorker(options, write)
    all.add(worker)
    // A listener of our own: an error between two calls must not be one that nobody handles.
    worker.on("error", () => forget(worker)).on("exit", () => forget(worker))
    return Effect.tapError(untilReady(worker, `${options.module}:${options.exportName}`), () =>
      Effect.sync(() => terminate(worker))
    )
  })
  const take = Effect.suspend(() => {
    const worker = idle.pop()
    if (worker === undefined) return start
    worker.ref()
    return Effect.succeed(worker)
  })
  const giveBack = (worker: Worker) => {
    if (!all.has(worker)) return
    worker.unref()
    idle.push(worker)
  }

  yield* Effect.addFinalizer(() => Effect.sync(() => all.forEach(terminate)))
  giveBack(yield* take)
  return { take, giveBack, terminate } satisfies WorkerPool
})
