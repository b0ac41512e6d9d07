/** Plays many scenarios: a pool of workers, one cap on requests, one cache of answers, one limit of time. */
import { join } from "node:path"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import type * as Semaphore from "effect/Semaphore"
import type { GenerationError } from "../../domain/GenerationError.ts"
import { AnswerCache, type CacheStats, defaultWaitMs } from "../cache/AnswerCache.ts"
import type { ScenarioResult } from "../model/Turn.ts"
import { noFunctions } from "../play/Functions.ts"
import { plainCell } from "../play/PlainContext.ts"
import { type Play, start } from "../play/Play.ts"
import type { PlayContext, Respond, TurnAnswer, TurnProgress } from "../play/PlayContext.ts"
import { folderName, folderOfTurn, removeEnded } from "../play/Workspace.ts"
import type { ReplayStore } from "../replay/ReplayStore.ts"
import { defaultThreshold } from "../trace/MaterialiseTrace.ts"
import { BatchTimeout, type Combo, ComboError, labelOf } from "./Combo.ts"
import { RequestCap, requestCap, underCap } from "./RequestCap.ts"
import { closeWorkerScope, makeWorkerScope } from "./WorkerScope.ts"

/** What a worker plays with; opened once for all its combos. */
export interface WorkerResources {
  readonly respond: Respond
  /** Asks a judge by its id; absent = there is none. */
  readonly ask?: (judge: string, prompt: string) => Effect.Effect<string, GenerationError>
}

export interface ExecutorOptions<E = never> {
  /** Opens the resources of a worker in the worker's scope. Its failure fails one combo; the next one tries again. */
  readonly open: Effect.Effect<WorkerResources, E, Scope.Scope>
  /** Default true; false = one combo after the other. */
  readonly parallel?: boolean
  /** Default 2. */
  readonly maxWorkers?: number
  /** Most requests in flight; null = no cap. A cap that is already in force around the batch is shared. */
  readonly maxConcurrentRequests?: number | null
  /** Whether combos share answers. Default true. */
  readonly enableCache?: boolean
  /** How long an answer in the making is waited for, ms. */
  readonly cacheWaitMs?: number
  /** Limit of the whole batch; null = none. */
  readonly timeoutSeconds?: number | null
  readonly replay?: ReplayStore | null
  /** Folder under which plays get workspaces; null = none. */
  readonly workspaceRoot?: string | null
  /** Whether these are kept; false = those of plays that ended by themselves or at a limit are removed. Default true. */
  readonly keepWorkspaces?: boolean
  readonly traceThreshold?: number
  /**
   * After each combo: how many have ended, of how many, and the result (null when it has none). It reaches the total
   * unless the batch is stopped. What it throws is ignored.
   */
  readonly onProgress?: (ended: number, total: number, result: ScenarioResult | null) => void
  /** After each turn, with the combo's position. */
  readonly onTurn?: (combo: number, progress: TurnProgress) => void
}

export interface BatchResult {
  /** One for each combo that was played to an end of its own, in the order of the combos. */
  readonly results: ReadonlyArray<ScenarioResult>
  /** Combos without a result in their order, then the time limit, then results that are errors. */
  readonly errors: ReadonlyArray<ComboError | BatchTimeout>
  readonly cache: CacheStats
}

type Slot =
  | { readonly state: "waiting" }
  | { readonly state: "running"; play: Play | null; last: TurnProgress | null }
  | { readonly state: "done"; readonly result: ScenarioResult }
  | { readonly state: "failed"; readonly detail: string }

interface Batch<E> {
  readonly combos: ReadonlyArray<Combo>
  readonly options: ExecutorOptions<E>
  readonly cache: AnswerCache<TurnAnswer>
  readonly slots: Array<Slot>
  next: number
  ended: number
}

const quietly = (run: () => void): void => {
  try {
    run()
  } catch {
    // A display must not cost a result.
  }
}

/** `<root>/<scenario>/<contestant>[/<judge>]/[rep_<N>]`. */
export const workspaceOf = (root: string, { compiled, contestant, judge, replicate }: Combo): string =>
  join(
    root,
    ...[compiled.scenario.name, contestant, ...(judge === null ? [] : [judge])].map(folderName),
    ...(replicate === null ? [] : [`rep_${replicate}`])
  )

const respondIn =
  (workspace: string, respond: Respond): Respond =>
  (request) => {
    const folder = folderOfTurn(workspace, request.turn)
    return Effect.map(respond({ ...request, workspace: folder }), (answer) => ({ ...answer, workspace: folder }))
  }

/** Removes the workspaces of the plays that have ended; not before all have, because they share what is in them. */
const removeWorkspaces = <E>({ combos, options, slots }: Batch<E>): Effect.Effect<void> => {
  const { keepWorkspaces = true, workspaceRoot = null } = options
  if (keepWorkspaces || workspaceRoot === null) return Effect.void
  return Effect.forEach(
    combos,
    (combo, index) => {
      const slot = slots[index]
      return slot?.state === "done" ? removeEnded(workspaceOf(workspaceRoot, combo), slot.result) : Effect.void
    },
    { discard: true }
  )
}

const contextOf = <E>(
  batch: Batch<E>,
  index: number,
  combo: Combo,
  resources: WorkerResources,
  cap: Semaphore.Semaphore | null
): PlayContext => {
  const { options } = batch
  const { compiled, contestant, functions = noFunctions, judge, replicate } = combo
  const permitted = <A, E2>(effect: Effect.Effect<A, E2>) => (cap === null ? effect : underCap(cap, effect))
  const ask = resources.ask
  const workspace = options.workspaceRoot == null ? null : workspaceOf(options.workspaceRoot, combo)
  return {
    contestant,
    judge,
    replicate,
    system: null,
    respond: workspace === null ? resources.respond : respondIn(workspace, resources.respond),
    permit: cap === null ? null : permitted,
    ask: ask === undefined || judge === null ? null : (prompt) => permitted(ask(judge, prompt)),
    cell: plainCell(compiled.scenario.name, contestant, replicate),
    functions,
    cache: options.enableCache === false ? null : batch.cache,
    cacheWaitMs: options.cacheWaitMs ?? defaultWaitMs,
    replay: options.replay ?? null,
    replayFits: null,
    onReplay: null,
    workspace,
    traceThreshold: options.traceThreshold ?? defaultThreshold,
    onTurn: (progress) => {
      const slot = batch.slots[index]
      if (slot?.state === "running") slot.last = progress
      options.onTurn?.(index, progress)
    },
    outOfTime: () => false,
    inTime: null
  }
}

const endCombo = <E>(batch: Batch<E>, index: number, slot: Slot): void => {
  batch.slots[index] = slot
  batch.ended += 1
  const result = slot.state === "done" ? slot.result : null
  quietly(() => batch.options.onProgress?.(batch.ended, batch.combos.length, result))
}

const firstLine = (cause: Cause.Cause<unknown>): string => Cause.pretty(cause).split("\n", 1)[0] ?? "unknown defect"

/** One worker: takes combos until none is left. */
const work = Effect.fnUntraced(function* <E>(batch: Batch<E>, scope: Scope.Closeable, cap: Semaphore.Semaphore | null) {
  let resources: WorkerResources | null = null
  for (;;) {
    const index = batch.next
    const combo = batch.combos[index]
    if (combo === undefined) return
    batch.next += 1
    const running: Extract<Slot, { readonly state: "running" }> = { state: "running", play: null, last: null }
    batch.slots[index] = running
    const opened: Exit.Exit<WorkerResources, E> =
      resources === null ? yield* Effect.exit(Scope.provide(batch.options.open, scope)) : Exit.succeed(resources)
    if (Exit.isFailure(opened)) {
      if (Cause.hasInterrupts(opened.cause)) return yield* Effect.interrupt
      endCombo(batch, index, { state: "failed", detail: `the worker could not be opened: ${firstLine(opened.cause)}` })
      continue
    }
    resources = opened.value
    const play = yield* start(combo.compiled, contextOf(batch, index, combo, resources, cap))
    running.play = play
    const exit = yield* Effect.exit(play.run)
    if (Exit.isSuccess(exit)) endCombo(batch, index, { state: "done", result: exit.value })
    else if (Cause.hasInterrupts(exit.cause)) return yield* Effect.interrupt
    else endCombo(batch, index, { state: "failed", detail: firstLine(exit.cause) })
  }
})

/** All workers; their scopes are closed after the last of them has ended, however it ended. */
const workAll = Effect.fnUntraced(function* <E>(batch: Batch<E>, cap: Semaphore.Semaphore | null) {
  const { maxWorkers = 2, parallel = true, timeoutSeconds = null } = batch.options
  const workers = parallel ? Math.max(1, Math.min(maxWorkers, batch.combos.length)) : 1
  const scopes = yield* Effect.forEach(Array.from({ length: workers }), () => makeWorkerScope)
  const all = Effect.forEach(scopes, (scope) => work(batch, scope, cap), { concurrency: "unbounded", discard: true })
  const limited = timeoutSeconds === null ? Effect.asSome(all) : Effect.timeoutOption(all, timeoutSeconds * 1_000)
  const closeAll = Effect.forEach(scopes, (scope) => closeWorkerScope(scope), {
    concurrency: "unbounded",
    discard: true
  })
  return Option.isNone(yield* Effect.ensuring(limited, closeAll))
})

const isFailed = (slot: Slot): boolean =>
  slot.state === "failed" || (slot.state === "done" && slot.result.status === "error")

const timeoutOf = <E>({ combos, options, slots }: Batch<E>): BatchTimeout => {
  const count = (test: (slot: Slot) => boolean) => slots.filter(test).length
  return new BatchTimeout({
    seconds: options.timeoutSeconds ?? 0,
    completed: count((slot) => slot.state === "done" && !isFailed(slot)),
    failed: count(isFailed),
    inFlight: count(({ state }) => state === "running"),
    notStarted: count(({ state }) => state === "waiting"),
    total: combos.length,
    progress: slots.flatMap((slot, index) => {
      const last = slot.state === "running" ? slot.last : null
      return last === null ? [] : [`combo ${index}: ${last.scenario} reached turn ${last.turn} at node ${last.node}`]
    })
  })
}

const errorOf = (combo: Combo, index: number, slot: Slot): ReadonlyArray<ComboError> => {
  const error = (kind: ComboError["kind"], detail: string, partial: ScenarioResult | null = null) => [
    new ComboError({ label: labelOf(combo), combo: index, kind, detail, failure: null, partial })
  ]
  switch (slot.state) {
    case "failed":
      return error("failed", slot.detail)
    case "waiting":
      return error("not_started", "the batch was stopped before it started")
    case "running":
      return error(
        "interrupted",
        "the batch was stopped while it was in flight",
        slot.play?.snapshot("run_stopped") ?? null
      )
    default:
      return []
  }
}

const scenarioErrors = ({ combos, slots }: Batch<unknown>): ReadonlyArray<ComboError> =>
  slots.flatMap((slot, index) => {
    const combo = combos[index]
    if (slot.state !== "done" || slot.result.status !== "error" || combo === undefined) return []
    const { failure } = slot.result
    const detail = `node ${failure?.node ?? "unknown"}, ${failure?.stage ?? "unknown"}, ${failure?.category ?? "unknown"}: ${failure?.reason ?? ""}`
    return [new ComboError({ label: labelOf(combo), combo: index, kind: "scenario", detail, failure, partial: null })]
  })

/**
 * Plays all combos. Never fails for a combo: what went wrong is in `errors`, and answers of interrupted plays are kept
 * there. With `timeoutSeconds` everything in flight is interrupted when the time is over.
 */
export const runBatch = Effect.fn("ScenarioExecutor.runBatch")(function* <E = never>(
  combos: ReadonlyArray<Combo>,
  options: ExecutorOptions<E>
) {
  const batch: Batch<E> = {
    combos,
    options,
    cache: new AnswerCache<TurnAnswer>(),
    slots: combos.map(() => ({ state: "waiting" })),
    next: 0,
    ended: 0
  }
  const outer = yield* RequestCap
  const { maxConcurrentRequests = null } = options
  const cap = outer ?? (maxConcurrentRequests === null ? null : requestCap(maxConcurrentRequests))
  const timedOut = yield* Effect.provideService(workAll(batch, cap), RequestCap, cap)
  yield* removeWorkspaces(batch)
  const errors = combos.flatMap((combo, index) => errorOf(combo, index, batch.slots[index] ?? { state: "waiting" }))
  const result: BatchResult = {
    results: batch.slots.flatMap((slot) => (slot.state === "done" ? [slot.result] : [])),
    errors: [...errors, ...(timedOut ? [timeoutOf(batch)] : []), ...scenarioErrors(batch)],
    cache: batch.cache.stats
  }
  return result
})
