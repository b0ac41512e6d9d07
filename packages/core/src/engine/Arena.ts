import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { CallResult } from "../domain/CallResult.ts"
import { CaseId, type RunId } from "../domain/Ids.ts"
import type { Project } from "../domain/Project.ts"
import type { ProjectError } from "../domain/ProjectError.ts"
import type { RunRecord } from "../domain/Run.ts"
import type { StoreError } from "../domain/StoreError.ts"
import * as LeaderboardLog from "../store/LeaderboardLog.ts"
import { liveFileOf } from "../store/LiveFile.ts"
import * as LocalProcess from "../store/LocalProcess.ts"
import { ResultReuse } from "../store/ResultReuse.ts"
import { ResultStore, type RunWriter, type StoreServices } from "../store/ResultStore.ts"
import { refuse } from "../store/StoreFailure.ts"
import { assembleRun, drainMs, nothingBefore, type ResultSink, rankingRules, skippedKeys } from "./AssembleRun.ts"
import * as EarlierResults from "./EarlierResults.ts"
import { type Repeat, repeatErrors } from "./EarlierResults.ts"
import type { LiveFacts } from "./live/LiveState.ts"
import { keepLiveFile } from "./live/LiveWriter.ts"
import type { Plan } from "./Plan.ts"
import * as Plans from "./Plan.ts"
import { type Prepared, prepare } from "./Preflight.ts"
import { newRunId } from "./Provenance.ts"
import type { Readiness } from "./Readiness.ts"
import * as Run from "./Run.ts"
import type { RunHandle } from "./RunHandle.ts"
import type { LiveRun, RunParts } from "./RunParts.ts"
import { type ContentHashes, contentHashes, finishedRecord, runHeader, startRecord } from "./RunRecords.ts"

/** What a start may say beyond the project. */
export interface StartOptions {
  /** A name for people, shown in listings. */
  readonly label?: string
  /** Goes on with a run that ended early, under the project as it is now. */
  readonly resume?: RunId | "latest"
  /** Starts a new run that takes over what an earlier one has measured of it. */
  readonly reuse?: RunId | "latest"
  /** Which answered cells are asked again; by default those that ended in an error. */
  readonly repeat?: Partial<Repeat>
}

const heartbeatEvery = "5 seconds"

/** Results waiting for a reader of `execute`; a slow reader slows its run, not the memory. */
const streamCapacity = 256

/** Time and randomness of a run: everything random that is ours follows `run.seed`. */
const seeded = <A, E, R>(project: Project<unknown>, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  project.run.seed === null ? effect : Random.withSeed(effect, String(project.run.seed))

/** A run that another process has taken over would pay for the same calls again: it stops. */
const keepAlive = (writer: RunWriter, live: LiveRun): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => writer.heartbeat(new Date(now).toISOString())).pipe(
    Effect.catch((error) => (error.problem === "conflict" ? live.stopNow(`error: ${error.message}`) : Effect.void)),
    Effect.repeat(Schedule.spaced(heartbeatEvery)),
    Effect.asVoid
  )

const handleOf = (live: LiveRun, parts: RunParts, result: RunHandle["result"]): RunHandle => ({
  id: parts.runId,
  events: parts.hub.stream,
  snapshot: live.snapshot,
  live: live.live,
  measurements: parts.measurements,
  stop: live.stop,
  stopNow: live.stopNow,
  pause: live.pause,
  resume: live.resume,
  cancelCell: live.cancelCell,
  result
})

interface Stores {
  readonly store: ResultStore["Service"]
  readonly reuse: ResultReuse["Service"]
}

const noSuchRun = (store: ResultStore["Service"], id: string): StoreError =>
  refuse("find the run", store.path, "not_found", id === "latest" ? "there is no run yet" : `there is no run ${id}`)

const findRun = (store: ResultStore["Service"], id: RunId | "latest"): Effect.Effect<RunRecord, StoreError> =>
  Effect.flatMap(store.run(id), (record) =>
    record === null ? Effect.fail(noSuchRun(store, id)) : Effect.succeed(record)
  )

const usdBy = (spent: ReadonlyMap<string, { readonly usd: number | null }>): ReadonlyMap<string, number> =>
  new Map([...spent].flatMap(([key, { usd }]) => (usd === null ? [] : [[key, usd] as const])))

/** What is asked again of what is there already; null = nothing can be there. */
const repeatOf = ({ repeat, resume, reuse }: StartOptions): Repeat | null =>
  resume === undefined && reuse === undefined ? null : { ...repeatErrors, ...repeat }

const liveFacts = ({ run, budgets }: Project<unknown>, repeat: Repeat | null, segment: number) =>
  Effect.map(
    LocalProcess.current,
    (host): LiveFacts => ({
      host,
      segment,
      maxRunUsd: budgets.maxRunUsd,
      drainMs: drainMs(run)("cancelled"),
      termDrainMs: drainMs(run)("deadline"),
      repeat: repeat === null ? null : { ...repeat, cases: [...repeat.cases].map((id) => CaseId.make(id)) }
    })
  )

/** What the run takes over: its own earlier parts when it is resumed, copies of another run's results, or nothing. */
const takeOver = Effect.fnUntraced(function* (
  { reuse, store }: Stores,
  prepared: Prepared<unknown>,
  runId: RunId,
  options: StartOptions
) {
  const repeat = repeatOf(options)
  if (repeat === null) return nothingBefore
  const spent = usdBy(yield* reuse.spent(runId))
  if (options.reuse !== undefined) {
    const from = yield* findRun(store, options.reuse)
    yield* reuse.copy({ from: from.runId, into: runId, keepErrors: !repeat.errors })
  }
  const plan = Plans.make(prepared.project, new Set(skippedKeys(prepared)))
  const earlier = yield* EarlierResults.load(store, reuse, runId, plan, repeat)
  return { earlier, spent }
})

/** The run's writer, which also appends the ended run to the log beside its database. */
const sinkOf = (writer: RunWriter, database: string, record: RunRecord): ResultSink => ({
  write: writer.writePaid,
  hurry: writer.hurry,
  finish: (footer) =>
    Effect.andThen(
      writer.finish(footer),
      LeaderboardLog.append(database, finishedRecord(record, footer), footer.leaderboard)
    )
})

const startPrepared = Effect.fnUntraced(function* (prepared: Prepared<unknown>, stores: Stores, options: StartOptions) {
  const { project } = prepared
  const { store } = stores
  const clock = yield* Clock.Clock
  // Before the new row exists: "latest" must not mean the run that is just being started.
  const source = options.reuse === undefined ? null : yield* findRun(store, options.reuse)
  const resumed = options.resume === undefined ? null : yield* findRun(store, options.resume)
  const runId = resumed === null ? yield* newRunId(clock) : resumed.runId
  const fresh = yield* startRecord(runId, prepared, options.label ?? resumed?.label ?? null)
  const record = resumed === null ? fresh : { ...fresh, startedAt: resumed.startedAt }
  // The part that begins now has a start of its own.
  const header = yield* runHeader(fresh, prepared, rankingRules(prepared))
  const writer = yield* store.begin(header, { resume: resumed !== null })
  const before = yield* takeOver(stores, prepared, runId, {
    ...options,
    ...(source === null ? {} : { reuse: source.runId })
  }).pipe(Effect.tapError((error) => writer.abandon(`error: ${error.message}`)))
  const { parts, rules } = yield* assembleRun(runId, prepared, sinkOf(writer, store.path, record), before)
  const live = yield* seeded(project, Run.make(parts))
  const beat = yield* Effect.forkScoped(keepAlive(writer, live))
  const file = liveFileOf(store.path, runId)
  const facts = yield* liveFacts(project, repeatOf(options), writer.segment)
  const shown = yield* Effect.forkScoped(file === null ? Effect.void : keepLiveFile(file, facts, live.live))
  const main = Effect.map(
    Effect.ensuring(live.main, Fiber.interruptAll([beat, shown])),
    ({ footer, leaderboard, problems }) => ({
      run: finishedRecord(record, footer),
      leaderboard,
      rules,
      description: project.description,
      problems: [...problems, ...prepared.problems]
    })
  )
  const fiber = yield* Effect.forkScoped(main)
  return handleOf(live, parts, Fiber.join(fiber))
})

/** Who is not in the plan stays known, like a disabled entry: the planned ones may call it. */
const planned = <R>({ contestants, project }: Plan<R>) => {
  const keys = new Set(contestants.map(({ key }) => key))
  return project.contestants.map((one) => (keys.has(one.key) ? one : { ...one, enabled: false }))
}

const executePlan = <R>(plan: Plan<R>): Stream.Stream<CallResult, ProjectError, R> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const queue = yield* Queue.bounded<CallResult, Cause.Done>(streamCapacity)
      const prepared = yield* prepare({
        ...plan.project,
        contestants: planned(plan),
        cases: plan.cases,
        run: { ...plan.project.run, trials: plan.trials }
      })
      const runId = yield* newRunId(yield* Clock.Clock)
      const { parts } = yield* assembleRun(runId, prepared, {
        write: (result) => Effect.asVoid(Queue.offer(queue, result)),
        hurry: () => {},
        finish: () => Effect.asVoid(Queue.end(queue))
      })
      const live = yield* seeded(plan.project, Run.make(parts))
      yield* Effect.forkScoped(live.main)
      // Before the run is interrupted: nobody reads any more, so nobody may wait until somebody does.
      yield* Effect.addFinalizer(() => Queue.shutdown(queue))
      return Stream.fromQueue(queue)
    })
  )

/** Runs projects. The façade of the engine; every stage behind it can be used alone. */
export class Arena extends Context.Service<
  Arena,
  {
    /** Preflight: who can run, and every data error at once; spends nothing. */
    readonly check: <R>(project: Project<R>) => Effect.Effect<Readiness, ProjectError, R>
    /** Starts a run in the caller's scope; closing the scope interrupts it, and its row says so. */
    readonly start: <R>(
      project: Project<R>,
      options?: StartOptions
    ) => Effect.Effect<RunHandle, ProjectError | StoreError, R | Scope.Scope>
    /** Opens the store of a project. */
    readonly store: (project: Project<unknown>) => Effect.Effect<ResultStore["Service"], StoreError, Scope.Scope>
  }
>()("@agent-arena/core/engine/Arena") {
  private static readonly make = (openStore: (path: string) => Layer.Layer<StoreServices, StoreError>) => {
    const open = (project: Project<unknown>) =>
      Effect.map(Layer.build(openStore(project.output.db)), (context) => ({
        store: Context.get(context, ResultStore),
        reuse: Context.get(context, ResultReuse)
      }))
    return Arena.of({
      check: (project) => Effect.scoped(Effect.map(prepare(project), ({ readiness }) => readiness)),
      start: (project, options = {}) =>
        Effect.flatMap(prepare(project), (prepared) =>
          Effect.flatMap(open(project), (stores) => startPrepared(prepared, stores, options))
        ),
      store: (project) => Effect.map(open(project), ({ store }) => store)
    })
  }

  /** Keeps results in the SQLite file of each project (`output.db`). */
  static readonly layer = Layer.succeed(this, this.make(ResultStore.layer))

  /** Keeps results in memory only; for experiments and tests. */
  static readonly layerMemory = Layer.succeed(
    this,
    this.make(() => ResultStore.layerMemory)
  )

  static readonly check = <R>(project: Project<R>) => Effect.flatMap(Arena, (arena) => arena.check(project))

  /** Preflight, and by what a run of the project would decide whether earlier results still count. */
  static readonly hashes = <R>(project: Project<R>): Effect.Effect<ContentHashes, ProjectError, R> =>
    Effect.scoped(Effect.flatMap(prepare(project), contentHashes))

  static readonly start = <R>(project: Project<R>, options?: StartOptions) =>
    Effect.flatMap(Arena, (arena) => arena.start(project, options))

  /**
   * Executes a plan without a store: a stream of results in order of completion. Ending the stream early interrupts the
   * run. A slow reader slows the run.
   */
  static readonly execute = executePlan
}
