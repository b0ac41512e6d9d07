/**
 * Regular expressions in a worker thread that can be terminated. A pattern that backtracks without end blocks its
 * thread, and nothing inside that thread can stop it; so whatever is not provably harmless runs here.
 *
 * One worker for the process, started on first use, kept warm, replaced when a match exceeds its limit. While it is
 * idle it does not keep the process alive.
 */
import { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"

/** The first match, or null. `captured` is group 1 when the pattern has groups, else the whole match. */
export type RegexMatch = { readonly captured: string | null } | null

/** How one match ended. */
export type RegexOutcome =
  | { readonly _tag: "Matched"; readonly match: RegexMatch }
  | { readonly _tag: "TimedOut" }
  | { readonly _tag: "Failed"; readonly detail: string }

export interface RegexTask {
  readonly source: string
  readonly flags: string
  readonly text: string
  /** Wall clock time that this one match may take, ms. */
  readonly limitMs: number
}

interface Job {
  readonly task: RegexTask
  deliver: (outcome: RegexOutcome) => void
}

/** Plain JavaScript in a string, so that it works from a bundle, where there is no file to start a worker from. */
const workerSource = `
const { parentPort, workerData } = require("node:worker_threads")
const progress = new Int32Array(workerData)
const compiled = new Map()
const regexOf = (source, flags) => {
  const key = flags + "/" + source
  let regex = compiled.get(key)
  if (regex === undefined) {
    regex = new RegExp(source, flags)
    if (compiled.size >= 512) compiled.clear()
    compiled.set(key, regex)
  }
  return regex
}
const match = (source, flags, text) => {
  try {
    const found = regexOf(source, flags).exec(text)
    return found === null ? null : [found.length > 1 ? found[1] ?? null : found[0]]
  } catch (error) {
    return String(error && error.message)
  }
}
parentPort.on("message", (tasks) => {
  const replies = []
  for (const [source, flags, text] of tasks) {
    Atomics.store(progress, 0, replies.length)
    replies.push(match(source, flags, text))
  }
  parentPort.postMessage(replies)
})
parentPort.postMessage("ready")
`

/** Matches that are handed over in one message: what has gathered while the worker was busy. */
const maxBatch = 64
/** The place of the worker in its batch is looked at this many times within a limit. */
const looksPerLimit = 4

const outcomeOf = (reply: unknown): RegexOutcome => {
  if (reply === null) return { _tag: "Matched", match: null }
  if (Array.isArray(reply)) {
    const captured: unknown = reply[0]
    return { _tag: "Matched", match: { captured: typeof captured === "string" ? captured : null } }
  }
  return { _tag: "Failed", detail: String(reply) }
}

const ignore = () => {}

/** What belongs to one worker; a new one begins when it is replaced. */
interface Thread {
  readonly worker: Worker
  /** Shared with the worker: the index of the match that it is at. */
  readonly progress: Int32Array
  /** What it has been given and not yet answered. */
  batch: ReadonlyArray<Job>
  ready: boolean
}

class RegexPool {
  private thread: Thread | null = null
  private waiting: Array<Job> = []
  private feeding = false
  // Real time and not the Clock service: what is limited is the time a real thread burns, whatever the test clock says.
  private watchdog: NodeJS.Timeout | null = null

  submit(job: Job): void {
    this.waiting.push(job)
    if (this.feeding) return
    this.feeding = true
    // Whatever else asks in this turn goes into the same message.
    queueMicrotask(() => {
      this.feeding = false
      this.feed()
    })
  }

  /** A job that nobody waits for any more; when it is running, its own limit still ends it. */
  abandon(job: Job): void {
    job.deliver = ignore
    this.waiting = this.waiting.filter((other) => other !== job)
  }

  private feed(): void {
    if (this.waiting.length === 0) return
    this.thread ??= this.start()
    const { thread } = this
    if (thread.batch.length > 0) return
    thread.batch = this.waiting.splice(0, maxBatch)
    Atomics.store(thread.progress, 0, 0)
    thread.worker.ref()
    thread.worker.postMessage(thread.batch.map(({ task }) => [task.source, task.flags, task.text]))
    this.watch(thread)
  }

  private start(): Thread {
    const progress = new SharedArrayBuffer(4)
    const worker = new Worker(workerSource, {
      eval: true,
      execArgv: [],
      env: {},
      name: "agent-arena-regex",
      workerData: progress,
      resourceLimits: { maxOldGenerationSizeMb: 256 }
    })
    const thread: Thread = { worker, progress: new Int32Array(progress), batch: [], ready: false }
    worker.on("message", (reply: unknown) => this.reply(thread, reply))
    worker.on("error", (error) => this.replace(thread, { _tag: "Failed", detail: String(error) }))
    worker.on("exit", () => this.replace(thread, { _tag: "Failed", detail: "the worker thread ended" }))
    worker.unref()
    return thread
  }

  private reply(thread: Thread, replies: unknown): void {
    if (thread !== this.thread) return
    if (!Array.isArray(replies)) {
      thread.ready = true
      this.watch(thread)
      return
    }
    const { batch } = thread
    thread.batch = []
    this.unwatch()
    this.feed()
    if (thread.batch.length === 0) thread.worker.unref()
    for (const [index, job] of batch.entries()) job.deliver(outcomeOf(replies[index]))
  }

  /** Limits the match that the worker is at; its start-up is not counted. */
  private watch(thread: Thread): void {
    this.unwatch()
    if (!thread.ready || thread.batch.length === 0) return
    this.look(thread, thread.batch, Atomics.load(thread.progress, 0), 0)
  }

  private unwatch(): void {
    if (this.watchdog !== null) clearTimeout(this.watchdog)
    this.watchdog = null
  }

  /** Looks again after a part of the limit; a match that was there at every look of its limit has exceeded it. */
  private look(thread: Thread, batch: ReadonlyArray<Job>, index: number, seen: number): void {
    const limitMs = batch[index]?.task.limitMs ?? 0
    this.watchdog = setTimeout(() => {
      // The main thread may have been busy and the reply already be waiting: let it arrive first.
      setImmediate(() => {
        if (thread !== this.thread || thread.batch !== batch) return
        const now = Atomics.load(thread.progress, 0)
        if (now !== index) this.look(thread, batch, now, 0)
        else if (seen + 1 < looksPerLimit) this.look(thread, batch, index, seen + 1)
        else this.replace(thread, { _tag: "TimedOut" })
      })
    }, limitMs / looksPerLimit)
  }

  /** Ends a worker: the match it was at gets the outcome, the others of its batch go to the next worker. */
  private replace(thread: Thread, outcome: RegexOutcome): void {
    if (thread !== this.thread) return
    this.thread = null
    this.unwatch()
    void thread.worker.terminate()
    const at = Atomics.load(thread.progress, 0)
    this.waiting.unshift(...thread.batch.filter((job, index) => index !== at && job.deliver !== ignore))
    this.feed()
    thread.batch[at]?.deliver(outcome)
  }
}

const pool = new RegexPool()

/** Matches in the worker thread; never fails, and ends within about its limit once it is its turn. */
export const matchInWorker = (task: RegexTask): Effect.Effect<RegexOutcome> =>
  Effect.callback<RegexOutcome>((resume) => {
    const job: Job = { task, deliver: (outcome) => resume(Effect.succeed(outcome)) }
    pool.submit(job)
    return Effect.sync(() => pool.abandon(job))
  })
