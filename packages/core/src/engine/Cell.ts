/**
 * The way of one cell, from its place in the queue to the event that tells of it:
 * slot -> request -> attempts -> answer -> cost -> post_process -> scorer -> result -> durable -> event.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { CallResult, CellError } from "../domain/CallResult.ts"
import type { CellContext, Generation, GenerationRequest, Step } from "../domain/Generation.ts"
import type { GenerationError } from "../domain/GenerationError.ts"
import * as GenerationErrors from "../domain/GenerationError.ts"
import type { ScorerResult } from "../domain/Score.ts"
import type { ScorerError } from "../domain/ScorerError.ts"
import type { TestCase } from "../domain/TestCase.ts"
import type { EarlierPlay, PlayCell, PlayedCell } from "../scenario/PlayCell.ts"
import type { CellScore } from "../scoring/CellScore.ts"
import { type CallEnvironment, type CallOutcome, call, cellTimeout, toCellError } from "./Call.ts"
import * as CellClocks from "./CellClock.ts"
import { type BeforeSending, cellContext } from "./CellContext.ts"
import type { ContestantRuntime, CostOfCall } from "./ContestantRuntime.ts"
import { withDeadline } from "./Deadline.ts"
import * as Hooks from "./Hooks.ts"
import { recallSteps } from "./RecallSteps.ts"

/** A case made ready once for all its cells. */
export interface PreparedCase {
  readonly testCase: TestCase
  /** What every contestant is asked, but for its own params. */
  readonly request: Omit<GenerationRequest, "params" | "seed">
  /** What the case adds to the contestant's params; null = nothing. */
  readonly params: GenerationRequest["params"] | null
  /** Judges an answer; synchronous when its scorers are. */
  readonly score: (output: string, cell: CellContext) => CellScore | Effect.Effect<CellScore, ScorerError>
  /** Plays the case's scenario; null = the case is one request. */
  readonly play: PlayCell | null
}

/** What a cell needs of its run. */
export interface CellServices {
  readonly clock: Clock.Clock
  readonly hooks: Hooks.Hooks
  readonly seed: number | null
  /** Limit of everything a cell does, ms; null = off. */
  readonly cellTimeoutMs: number | null
  readonly costOf: CostOfCall
  readonly scrub: (text: string) => string
  /** Whether there is anything to scrub. */
  readonly knowsSecrets: () => boolean
  readonly runtimeByName: (name: string) => Effect.Effect<ContestantRuntime, GenerationError>
}

/** One cell to do. `environment` carries the run's listeners and the cell's slot. */
export interface CellJob {
  readonly runtime: ContestantRuntime
  readonly runId: string
  readonly prepared: PreparedCase
  /** 1-based. */
  readonly trial: number
  readonly environment: Omit<CallEnvironment, "cellClock" | "clock" | "scrub">
}

/** What is known of a cell while it is done; an interrupted cell is recorded from it. */
export interface CellDraft {
  readonly startedAt: number
  readonly monotonicStart: number
  readonly steps: Array<Step>
  /** Calls made by scorers. */
  readonly scoringSteps: Array<Step>
  outcome: CallOutcome | null
  output: string | null
  originalOutput: string | null
}

const monotonicMs = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

export const draft = (clock: Clock.Clock): CellDraft => ({
  startedAt: clock.currentTimeMillisUnsafe(),
  monotonicStart: monotonicMs(clock),
  steps: [],
  scoringSteps: [],
  outcome: null,
  output: null,
  originalOutput: null
})

/** How a cell ended, besides what its draft knows. */
export type CellEnd =
  | { readonly _tag: "Scored"; readonly score: CellScore }
  | {
      readonly _tag: "Failed"
      readonly error: CellError
      readonly timedOut: boolean
      /** What the scorers said before one of them failed. */
      readonly scores?: ReadonlyArray<ScorerResult>
    }
  | { readonly _tag: "Stopped" }

const failed = (error: CellError): Extract<CellEnd, { readonly _tag: "Failed" }> => ({
  _tag: "Failed",
  error,
  timedOut: error.kind === "timeout"
})

const faultOf = (error: ScorerError | Hooks.HookError, scrub: (text: string) => string): CellError => ({
  kind: error._tag === "ScorerError" ? "scorer" : "hook",
  reason: null,
  status: null,
  source: error._tag === "ScorerError" ? error.scorer : error.hook,
  message: scrub(error.message)
})

const endOfFailure = (error: ScorerError | Hooks.HookError | CellError, scrub: (text: string) => string): CellEnd => {
  if (!("_tag" in error)) return failed(error)
  const end = failed(faultOf(error, scrub))
  return error._tag === "ScorerError" && error.scores !== undefined ? { ...end, scores: error.scores } : end
}

/** A cell that is being done. */
interface OpenCell {
  readonly services: CellServices
  readonly job: CellJob
  readonly draft: CellDraft
  readonly environment: CallEnvironment
  /** What is asked; `pre_request` may replace it. */
  request: GenerationRequest
  /** An earlier play of the cell's scenario, to go on from; null = none. */
  readonly earlier: EarlierPlay | null
  /** The score of a scenario that was played; null = the scorers of the case decide. */
  played: CellScore | null
}

const open = (services: CellServices, job: CellJob, draft: CellDraft, earlier: EarlierPlay | null = null): OpenCell => {
  const { clock, scrub } = services
  const cellClock = CellClocks.make(services.cellTimeoutMs)
  return {
    services,
    job,
    draft,
    environment: { ...job.environment, clock, cellClock, scrub },
    request: {
      ...job.prepared.request,
      params: job.prepared.params === null ? job.runtime.params : { ...job.runtime.params, ...job.prepared.params },
      seed: services.seed === null ? null : services.seed + job.trial - 1
    },
    earlier,
    played: null
  }
}

const contextOf = (
  cell: OpenCell,
  steps: Array<Step>,
  attempt: number,
  beforeSending: BeforeSending | null = null
): CellContext => {
  const { environment, job, request, services } = cell
  const { runtimeByName, costOf } = services
  const { testCase } = job.prepared
  const place = { contestant: job.runtime.contestant.key, caseId: testCase.id, trial: job.trial }
  const inner = { environment, runtimeByName, costOf, steps, beforeSending }
  return cellContext(inner, request, place, testCase, job.runtime, attempt)
}

/** Bounds what is not a call by what is left of the cell's time. */
const inTime = <A, E>({ environment }: OpenCell, effect: Effect.Effect<A, E>): Effect.Effect<A, E | CellError> =>
  withDeadline(effect, environment.cellClock.remaining(monotonicMs(environment.clock)), () => Effect.fail(cellTimeout))

type Fault = ScorerError | Hooks.HookError | CellError

/** Calls the contestant; the answer as it stands, or an Effect. */
const ask = (cell: OpenCell): CallOutcome | Effect.Effect<CallOutcome> =>
  call(cell.job.runtime.settings, cell.environment, cell.request, (attempt) =>
    contextOf(cell, cell.draft.steps, attempt)
  )

const scored = (score: CellScore): CellEnd => ({ _tag: "Scored", score })

/** Judges the output of the draft, unless a hook has decided. */
const judge = (cell: OpenCell, verdict: Hooks.PostProcessed): CellEnd | Effect.Effect<CellEnd, Fault> => {
  const { draft, job } = cell
  const score =
    overruled(verdict) ??
    cell.played ??
    job.prepared.score(
      draft.output ?? "",
      contextOf(cell, draft.scoringSteps, Math.max(1, draft.outcome?.attempts.length ?? 1))
    )
  if (!Effect.isEffect(score)) return scored(withVerdict(score, verdict))
  return Effect.map(inTime(cell, score), (judged) => scored(withVerdict(judged, verdict)))
}

const postProcess = (cell: OpenCell, run: Hooks.HookFunction, output: string): Effect.Effect<CellEnd, Fault> => {
  const { draft, job } = cell
  const context = contextOf(cell, draft.steps, draft.outcome?.attempts.length ?? 1)
  return Effect.flatMap(inTime(cell, Hooks.postProcess(run, output, job.prepared.testCase, context)), (verdict) => {
    if (verdict.output !== undefined && verdict.output !== output) {
      draft.originalOutput = output
      draft.output = verdict.output
    }
    const end = judge(cell, verdict)
    return Effect.isEffect(end) ? end : Effect.succeed(end)
  })
}

/** From the answer to the end of the cell. */
const settle = (cell: OpenCell, outcome: CallOutcome): CellEnd | Effect.Effect<CellEnd, Fault> => {
  const { draft, services } = cell
  draft.outcome = outcome
  if (outcome.cellTimedOut) return failed(cellTimeout)
  if (outcome.answer === null) return failed(outcome.error === null ? cellTimeout : toCellError(outcome.error))
  const output = services.scrub(outcome.answer.text)
  draft.output = output
  const hook = services.hooks.postProcess
  return hook === null ? judge(cell, {}) : postProcess(cell, hook, output)
}

const later = (cell: OpenCell, end: CellEnd | Effect.Effect<CellEnd, Fault>): CellEnd | Effect.Effect<CellEnd> =>
  Effect.isEffect(end) ? Effect.catch(end, (error) => Effect.succeed(endOfFailure(error, cell.services.scrub))) : end

/** A play of which no turn was asked now was not asked now either. */
const withOrigin = (answer: Generation, steps: ReadonlyArray<Step>): Generation => {
  const turns = steps.filter(({ inside }) => inside !== true)
  const origin = turns[0]?.answeredFrom
  return origin !== undefined && turns.every(({ answeredFrom }) => answeredFrom === origin)
    ? { ...answer, answeredFrom: origin }
    : answer
}

/** What a play records in place of a call. */
const outcomeOf = ({ answer, elapsedMs }: PlayedCell, startedAt: number, steps: ReadonlyArray<Step>): CallOutcome => ({
  answer: withOrigin(answer, steps),
  error: null,
  cellTimedOut: false,
  measuredMs: elapsedMs,
  attempts: [{ startedAt, durationMs: elapsedMs, error: null, waitMs: 0 }],
  rateLimitWaitMs: 0,
  retryWaitMs: 0
})

/** Every turn of a scenario passes `pre_request`; what went wrong there is left in `fault`. */
const preTurn = (cell: OpenCell, fault: { error: Fault | null }): BeforeSending | null => {
  const { job, services } = cell
  const { preRequest: run } = services.hooks
  if (run === null) return null
  return (request, contestant) => {
    const changed = inTime(cell, Hooks.preRequest(run, request, job.prepared.testCase, { contestant }))
    return Effect.mapError(changed, (error) => {
      fault.error = error
      const reason = "_tag" in error ? "target" : "aborted"
      return GenerationErrors.make({ reason, detail: services.scrub(error.message), exhausted: true })
    })
  }
}

/** A scenario is many calls: its turns are inner calls, what it records is the last answer and the score of the whole. */
const playAndSettle = (cell: OpenCell, play: PlayCell): Effect.Effect<CellEnd, Fault> => {
  const { draft, environment } = cell
  const { cellClock, clock } = environment
  const startedAt = clock.currentTimeMillisUnsafe()
  cellClock.start(monotonicMs(clock))
  const remaining = () => cellClock.remaining(monotonicMs(clock))
  const hook: { error: Fault | null } = { error: null }
  const playing = play({
    clock,
    runId: cell.job.runId,
    request: cell.request,
    answering: contextOf(cell, draft.steps, 1, preTurn(cell, hook)),
    scoring: contextOf(cell, draft.scoringSteps, 1),
    outOfTime: () => remaining() === 0,
    inTime: (effect) =>
      withDeadline(effect, remaining(), () =>
        Effect.fail(GenerationErrors.make({ reason: "timeout", detail: cellTimeout.message }))
      ),
    earlier: cell.earlier,
    recalled: recallSteps(cell.earlier?.steps ?? [], cell.job.runtime.contestant, draft.steps)
  })
  const keep = (played: PlayedCell): void => {
    draft.outcome = outcomeOf(played, startedAt, draft.steps)
  }
  const run = Effect.onInterrupt(playing.run, () => Effect.sync(() => keep(playing.interrupted())))
  return Effect.flatMap(run, (played): Effect.Effect<CellEnd, Fault> => {
    keep(played)
    cell.played = played.score
    if (played.failure !== null) {
      const end = hook.error === null ? failed(played.failure) : endOfFailure(hook.error, cell.services.scrub)
      return Effect.succeed({ ...end, scores: played.score.scores })
    }
    const end = settle(cell, outcomeOf(played, startedAt, draft.steps))
    return Effect.isEffect(end) ? end : Effect.succeed(end)
  })
}

const askAndSettle = (cell: OpenCell): CellEnd | Effect.Effect<CellEnd, Fault> => {
  const { play } = cell.job.prepared
  if (play !== null) return playAndSettle(cell, play)
  const outcome = ask(cell)
  if (!Effect.isEffect(outcome)) return settle(cell, outcome)
  return Effect.flatMap(outcome, (answer) => {
    const end = settle(cell, answer)
    return Effect.isEffect(end) ? end : Effect.succeed(end)
  })
}

const preRequest = (cell: OpenCell, run: Hooks.HookFunction): Effect.Effect<CellEnd, Fault> => {
  const { clock, cellClock } = cell.environment
  cellClock.start(monotonicMs(clock))
  const context = contextOf(cell, cell.draft.steps, 1)
  const changed = inTime(cell, Hooks.preRequest(run, cell.request, cell.job.prepared.testCase, context))
  return Effect.flatMap(changed, (request) => {
    cell.request = request
    const end = askAndSettle(cell)
    return Effect.isEffect(end) ? end : Effect.succeed(end)
  })
}

/**
 * Everything a cell does. Never fails; an interruption leaves what is known in the draft. A cell whose answer and
 * verdict are there at once costs no fiber: its end is returned as it is.
 */
export const run = (
  services: CellServices,
  job: CellJob,
  draft: CellDraft,
  earlier: EarlierPlay | null = null
): CellEnd | Effect.Effect<CellEnd> => {
  const cell = open(services, job, draft, earlier)
  const hook = services.hooks.preRequest
  return later(cell, hook === null || job.prepared.play !== null ? askAndSettle(cell) : preRequest(cell, hook))
}

/** A hook that gives score or passed replaces the scorers. */
const overruled = (verdict: Hooks.PostProcessed): CellScore | null => {
  if (verdict.score === undefined && verdict.passed === undefined) return null
  const score = verdict.score ?? (verdict.passed === true ? 1 : 0)
  const passed = verdict.passed ?? score >= 0.5
  const reason = verdict.reason ?? "decided by post_process"
  const own: ScorerResult = {
    scorer: "post_process",
    weight: 1,
    score,
    passed,
    reason,
    detail: verdict.detail ?? {},
    metrics: {}
  }
  return { score, passed, reason, scores: [own], metrics: {} }
}

const withVerdict = (score: CellScore, verdict: Hooks.PostProcessed): CellScore =>
  verdict.metrics === undefined && verdict.reason === undefined
    ? score
    : { ...score, reason: verdict.reason ?? score.reason, metrics: { ...score.metrics, ...verdict.metrics } }

/** Scores a stored answer again, without a call: its case is scored by other rules now. */
export const rescore = (
  services: CellServices,
  job: CellJob,
  draft: CellDraft,
  stored: CallResult
): CellEnd | Effect.Effect<CellEnd> => {
  const cell = open(services, job, draft)
  cell.environment.cellClock.start(monotonicMs(services.clock))
  draft.output = stored.output
  return later(cell, judge(cell, {}))
}
