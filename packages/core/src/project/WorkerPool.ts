import { existsSync } from "node:fs"
import { Worker } from "node:worker_threads"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** A worker thread that cannot do its work: its module does not load, or it died while loading. */
export class WorkerUnusable extends Schema.TaggedError<WorkerUnusable>()("WorkerUnusable", {
  /** What runs in it, as the project names it. */
  name: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.name}: ${this.detail}`
  }
}

/** First message of a worker: it can take work, or it never will. */
export type WorkerGreeting = { readonly type: "ready" } | { readonly type: "unusable"; readonly detail: string }

export interface WorkerPoolOptions {
  /** Module that runs in the threads. */
  readonly entry: URL
  /** Given to each thread; data that can be cloned. */
  readonly data: unknown
  /** What runs in it, for messages. */
  readonly name: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Worker threads that run blocking code of a project. A piece of work has a worker of its own for as long as it lasts. */
export interface WorkerPool {
  /** An idle worker, or a new one: as many as there is work at a time, so that nothing waits for something else. */
  readonly take: Effect.Effect<Worker, WorkerUnusable>
  /** Gives a worker back that has finished. */
  readonly giveBack: (worker: Worker) => void
  /** Ends a worker whatever it is doing. It is not waited for, because native code cannot be interrupted. */
  readonly terminate: (worker: Worker) => void
}

/** Finds a worker's module: beside the file that asks, compiled or as a source, or in the package when that is a bundle. */
export const workerEntry = (name: string, askedBy: string, packagePath: string): URL => {
  for (const file of [`${name}.js`, `${name}.ts`]) {
    const url = new URL(file, askedBy)
    if (existsSync(url)) return url
  }
  return new URL(import.meta.resolve(packagePath))
}

const definedOnly = (env: WorkerPoolOptions["env"]): Record<string, string> => {
  const defined: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) if (value !== undefined) defined[name] = value
  return defined
}

const newWorker = ({ data, entry, env, name }: WorkerPoolOptions, write: (text: string) => void): Worker => {
  const worker = new Worker(entry, {
    workerData: data,
    env: definedOnly(env),
    // What project code prints must not end up among the results on stdout.
    stdout: true,
    stderr: true,
    execArgv: [...process.execArgv, "--disable-warning=ExperimentalWarning"],
    name
  })
  for (const stream of [worker.stdout, worker.stderr]) stream.on("data", (chunk) => write(String(chunk).trimEnd()))
  return worker
}

/** Waits until a worker has loaded its module. */
const untilReady = (worker: Worker, name: string): Effect.Effect<Worker, WorkerUnusable> =>
  Effect.callback((resume) => {
    const unusable = (detail: string) => settle(Effect.fail(new WorkerUnusable({ name, detail })))
    const onMessage = (message: WorkerGreeting) => {
      if (message.type === "ready") settle(Effect.succeed(worker))
      if (message.type === "unusable") unusable(message.detail)
    }
    const onError = (error: Error) => unusable(`its worker thread failed: ${error.message}`)
    const onExit = (code: number) => unusable(`it ended its worker thread while loading (exit code ${code})`)
    const settle = (result: Effect.Effect<Worker, WorkerUnusable>) => {
      worker.off("message", onMessage).off("error", onError).off("exit", onExit)
      resume(result)
    }
    worker.on("message", onMessage).on("error", onError).on("exit", onExit)
    return Effect.sync(() => void worker.terminate())
  })

/** Makes a pool and its first worker, which proves that the module can be used. Its threads end with the scope. */
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
    // A listener of our own: an error between two pieces of work must not be one that nobody handles.
    worker.on("error", () => forget(worker)).on("exit", () => forget(worker))
    return Effect.tapError(untilReady(worker, options.name), () => Effect.sync(() => terminate(worker)))
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
