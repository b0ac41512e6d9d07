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
const { parentPort } = require("node:worker_threads")
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
parentPort.on("message", ([source, flags, text]) => {
  try {
    const found = regexOf(source, flags).exec(text)
    if (found === null) parentPort.postMessage(null)
    else parentPort.postMessage([found.length > 1 ? found[1] ?? null : found[0]])
  } catch (error) {
    parentPort.postMessage(String(error && error.message))
  }
})
parentPort.postMessage("ready")
`

/** Jobs handed to the worker ahead of time, so that it never waits for the main thread. */
const ahead = 32

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
  /** Jobs it has been given, in order; it works on the first. */
  readonly given: Array<Job>
  ready: boolean
}

class RegexPool {
  private thread: Thread | null = null
  private readonly waiting: Array<Job> = []
  // Real time and not the Clock service: what is limited is the time a real thread burns, whatever the test clock says.
  private watchdog: NodeJS.Timeout | null = null

  submit(job: Job): void {
    this.waiting.push(job)
    this.feed()
  }

  /** A job that nobody waits for any more; when it is running, its own limit still ends it. */
  abandon(job: Job): void {
    job.deliver = ignore
    const at = this.waiting.indexOf(job)
    if (at !== -1) this.waiting.splice(at, 1)
  }

  private feed(): void {
    this.thread ??= this.start()
    const { worker, given } = this.thread
    while (given.length < ahead) {
      const job = this.waiting.shift()
      if (job === undefined) break
      given.push(job)
      worker.postMessage([job.task.source, job.task.flags, job.task.text])
      if (given.length === 1) this.watch()
    }
    if (given.length > 0) worker.ref()
  }

  private start(): Thread {
    const worker = new Worker(workerSource, {
      eval: true,
      execArgv: [],
      env: {},
      name: "agent-arena-regex",
      resourceLimits: { maxOldGenerationSizeMb: 256 }
    })
    const thread: Thread = { worker, given: [], ready: false }
    worker.on("message", (reply: unknown) => this.reply(thread, reply))
    worker.on("error", (error) => this.replace(thread, { _tag: "Failed", detail: String(error) }))
    worker.on("exit", () => this.replace(thread, { _tag: "Failed", detail: "the worker thread ended" }))
    worker.unref()
    return thread
  }

  private reply(thread: Thread, reply: unknown): void {
    if (thread !== this.thread) return
    if (!thread.ready) {
      thread.ready = true
      this.watch()
      return
    }
    const job = thread.given.shift()
    this.watch()
    this.feed()
    if (thread.given.length === 0) thread.worker.unref()
    job?.deliver(outcomeOf(reply))
  }

  /** Limits the job that the worker is at. Its start-up is not counted. */
  private watch(): void {
    if (this.watchdog !== null) clearTimeout(this.watchdog)
    this.watchdog = null
    const thread = this.thread
    const head = thread?.given[0]
    if (thread === null || head === undefined || !thread.ready) return
    this.watchdog = setTimeout(() => {
      // The main thread may have been busy and the reply already be waiting: let it arrive first.
      setImmediate(() => {
        if (thread === this.thread && thread.given[0] === head) this.replace(thread, { _tag: "TimedOut" })
      })
    }, head.task.limitMs)
  }

  /** Ends a worker: the job it was at gets the outcome, the others go to the next worker. */
  private replace(thread: Thread, outcome: RegexOutcome): void {
    if (thread !== this.thread) return
    this.thread = null
    if (this.watchdog !== null) clearTimeout(this.watchdog)
    this.watchdog = null
    void thread.worker.terminate()
    const [head, ...rest] = thread.given
    this.waiting.unshift(...rest)
    if (this.waiting.length > 0) this.feed()
    head?.deliver(outcome)
  }
}

const pool = new RegexPool()

/** Matches in the worker thread; never fails, and ends within its limit once it is its turn. */
export const matchInWorker = (task: RegexTask): Effect.Effect<RegexOutcome> =>
  Effect.callback<RegexOutcome>((resume) => {
    const job: Job = { task, deliver: (outcome) => resume(Effect.succeed(outcome)) }
    pool.submit(job)
    return Effect.sync(() => pool.abandon(job))
  })
