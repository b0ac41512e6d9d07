/**
 * The way of one cell, from its place in the queue to the event that tells of it:
 * slot -> request -> attempts -> answer -> cost -> post_process -> scorer -> result -> durable -> event.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { CallResult, CellError } from "../domain/CallResult.ts"
import type { CellContext, GenerationRequest, Step } from "../domain/Generation.ts"
import type { GenerationError } from "../domain/GenerationError.ts"
import type { ScorerResult } from "../domain/Score.ts"
import type { ScorerError } from "../domain/ScorerError.ts"
import type { TestCase } from "../domain/TestCase.ts"
import type { CellScore } from "../scoring/CellScore.ts"
import { type CallEnvironment, type CallOutcome, call, toCellError } from "./Call.ts"
import * as CellClocks from "./CellClock.ts"
import { cellContext } from "./CellContext.ts"
import type { ContestantRuntime, CostOfCall } from "./ContestantRuntime.ts"
import { withDeadline } from "./Deadline.ts"
import * as Hooks from "./Hooks.ts"

/** A case made ready once for all its cells. */
export interface PreparedCase {
  readonly testCase: TestCase
  /** What every contestant is asked, but for its own params. */
  readonly request: Omit<GenerationRequest, "params" | "seed">
  /** Judges an answer; synchronous when its scorers are. */
  readonly score: (output: string, cell: CellContext) => CellScore | Effect.Effect<CellScore, ScorerError>
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
  readonly runtimeByName: (name: string) => Effect.Effect<ContestantRuntime, GenerationError>
}

/** One cell to do. `environment` carries the run's listeners and the cell's slot. */
export interface CellJob {
  readonly runtime: ContestantRuntime
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

const timeoutError: CellError = {
  kind: "timeout",
  reason: null,
  status: null,
  source: null,
  message: "the cell's time was over (run.cell_timeout_s)"
}

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

/** Everything a cell does. Fails never; an interruption leaves what is known in the draft. */
export const run = Effect.fnUntraced(function* (services: CellServices, job: CellJob, draft: CellDraft) {
  const { clock, hooks, scrub } = services
  const { prepared, runtime } = job
  const { testCase } = prepared
  const cellClock = CellClocks.make(services.cellTimeoutMs)
  const environment: CallEnvironment = { ...job.environment, clock, cellClock, scrub }
  const inner = { environment, runtimeByName: services.runtimeByName, costOf: services.costOf, steps: draft.steps }
  const cell = { contestant: runtime.contestant.key, caseId: testCase.id, trial: job.trial }
  let request: GenerationRequest = {
    ...prepared.request,
    params: runtime.params,
    seed: services.seed === null ? null : services.seed + job.trial - 1
  }
  const contextOf = (attempt: number) => cellContext(inner, request, cell, testCase, runtime, attempt)
  const scoringContext = (attempt: number) =>
    cellContext({ ...inner, steps: draft.scoringSteps }, request, cell, testCase, runtime, attempt)
  const inTime = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | CellError> =>
    withDeadline(effect, cellClock.remaining(clock.currentTimeMillisUnsafe()), () => Effect.fail(timeoutError))

  const steps = Effect.gen(function* () {
    if (hooks.preRequest !== null) {
      cellClock.start(clock.currentTimeMillisUnsafe())
      request = yield* inTime(Hooks.preRequest(hooks.preRequest, request, testCase, contextOf(1)))
    }
    const outcome = yield* call(runtime.settings, environment, request, contextOf)
    draft.outcome = outcome
    if (outcome.cellTimedOut) return failed(timeoutError)
    if (outcome.answer === null) return failed(outcome.error === null ? timeoutError : toCellError(outcome.error))

    const context = contextOf(outcome.attempts.length)
    draft.output = scrub(outcome.answer.text)
    let verdict: Hooks.PostProcessed = {}
    if (hooks.postProcess !== null) {
      verdict = yield* inTime(Hooks.postProcess(hooks.postProcess, draft.output, testCase, context))
      if (verdict.output !== undefined && verdict.output !== draft.output) {
        draft.originalOutput = draft.output
        draft.output = verdict.output
      }
    }
    const scored = prepared.score(draft.output, scoringContext(outcome.attempts.length))
    const score = overruled(verdict) ?? (Effect.isEffect(scored) ? yield* inTime(scored) : scored)
    return { _tag: "Scored", score: withVerdict(score, verdict) } satisfies CellEnd
  })
  return yield* Effect.catch(steps, (error) => Effect.succeed(endOfFailure(error, scrub)))
})

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
): Effect.Effect<CellEnd> =>
  Effect.suspend(() => {
    const { clock, scrub } = services
    const { prepared, runtime } = job
    const cellClock = CellClocks.make(services.cellTimeoutMs)
    cellClock.start(clock.currentTimeMillisUnsafe())
    const environment: CallEnvironment = { ...job.environment, clock, cellClock, scrub }
    const inner = {
      environment,
      runtimeByName: services.runtimeByName,
      costOf: services.costOf,
      steps: draft.scoringSteps
    }
    const request: GenerationRequest = { ...prepared.request, params: runtime.params, seed: null }
    const context = cellContext(inner, request, stored, prepared.testCase, runtime, 1)
    const scored = prepared.score(stored.output ?? "", context)
    if (!Effect.isEffect(scored)) return Effect.succeed<CellEnd>({ _tag: "Scored", score: scored })
    const limited = withDeadline(scored, services.cellTimeoutMs, () => Effect.fail(timeoutError))
    return Effect.match(limited, {
      onSuccess: (score): CellEnd => ({ _tag: "Scored", score }),
      onFailure: (error) => endOfFailure(error, scrub)
    })
  })
