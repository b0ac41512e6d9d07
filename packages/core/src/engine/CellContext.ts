import * as Effect from "effect/Effect"
import {
  type CellContext,
  type Generation,
  type GenerationRequest,
  type InnerGeneration,
  type InnerRequest,
  type ScenarioTurn,
  type Step,
  unknownUsage
} from "../domain/Generation.ts"
import type { GenerationError } from "../domain/GenerationError.ts"
import * as GenerationErrors from "../domain/GenerationError.ts"
import type { ContestantKey } from "../domain/Ids.ts"
import * as Message from "../domain/Message.ts"
import type { TestCase } from "../domain/TestCase.ts"
import { type CallEnvironment, type CallOutcome, call } from "./Call.ts"
import type { ContestantRuntime, CostOfCall } from "./ContestantRuntime.ts"
import * as StepTotals from "./StepTotals.ts"

/** Inner calls may call targets that make inner calls; deeper than this is taken for an endless recursion. */
const maxDepth = 8

/** What inner calls need of the cell around them. */
export interface InnerCalls {
  readonly environment: CallEnvironment
  readonly runtimeByName: (name: string) => Effect.Effect<ContestantRuntime, GenerationError>
  readonly costOf: CostOfCall
  /** Filled with one step an inner call, in order of completion. */
  readonly steps: Array<Step>
  /** Has a last word on what calls of the cell itself send; null = nobody has. */
  readonly beforeSending: BeforeSending | null
}

/** Returns the request that is sent in place of this one. `contestant` is whom it goes to. */
export type BeforeSending = (
  request: GenerationRequest,
  contestant: ContestantKey
) => Effect.Effect<GenerationRequest, GenerationError>

/** A step that may turn out to be part of another one. */
type OpenStep = { -readonly [K in keyof Step]: Step[K] }

const innerRequest = (
  outer: GenerationRequest,
  runtime: ContestantRuntime,
  request: InnerRequest
): GenerationRequest => {
  const messages =
    request.messages ??
    (request.prompt === undefined ? outer.messages : [{ role: "user" as const, content: request.prompt }])
  return {
    messages,
    prompt: request.prompt ?? Message.toPrompt(messages),
    system: request.system === undefined ? outer.system : request.system,
    maxTokens: request.maxTokens === undefined ? outer.maxTokens : request.maxTokens,
    temperature: request.temperature === undefined ? outer.temperature : request.temperature,
    seed: request.seed === undefined ? outer.seed : request.seed,
    params: request.params === undefined ? runtime.params : { ...runtime.params, ...request.params }
  }
}

/** What a call has come to, with what its target has asked for itself. */
const totalsOf = ({ costOf }: InnerCalls, runtime: ContestantRuntime, answer: Generation, within: Array<OpenStep>) => {
  const costUsd = StepTotals.costOf(costOf, runtime, answer, within)
  if (within.length === 0) return { costUsd, usage: answer.usage }
  const totals = { costUsd, usage: StepTotals.usageOf(answer.usage, within) }
  for (const step of within) step.inside = true
  return totals
}

const stepOf = (
  runtime: ContestantRuntime,
  request: GenerationRequest,
  outcome: CallOutcome,
  { costUsd, usage }: Pick<Step, "costUsd" | "usage">
): OpenStep => ({
  contestant: runtime.contestant.key,
  model: runtime.contestant.model,
  prompt: request.prompt,
  output: outcome.answer?.text ?? null,
  error: outcome.error?.message ?? (outcome.cellTimedOut ? "the cell's time was over" : null),
  usage,
  costUsd,
  latencyMs: outcome.answer === null ? null : (outcome.answer.latencyMs ?? outcome.measuredMs),
  attempts: outcome.attempts.length,
  ...(outcome.answer?.answeredFrom === undefined ? {} : { answeredFrom: outcome.answer.answeredFrom })
})

/** The engine has repeated this call already: repeating the target around it would multiply the attempts. */
const failureOf = ({ error }: CallOutcome): GenerationError =>
  error === null
    ? GenerationErrors.make({ reason: "aborted", detail: "the cell's time was over during an inner call" })
    : GenerationErrors.make({ ...error, exhausted: true })

const answerOf = (answer: Generation, { measuredMs }: CallOutcome, totals: Pick<Step, "costUsd" | "usage">) => ({
  text: answer.text,
  usage: totals.usage,
  costUsd: totals.costUsd,
  latencyMs: answer.latencyMs ?? measuredMs,
  toolCalls: answer.toolCalls,
  ...(answer.toolResults === undefined ? {} : { toolResults: answer.toolResults })
})

const tooDeep = GenerationErrors.make({
  reason: "invalid_request",
  detail: `inner calls nested deeper than ${maxDepth}`
})

const unknownTotals = { costUsd: null, usage: unknownUsage }

/** Which cell a call belongs to, and which turn of its scenario. */
type CellPlace = Pick<CellContext, "contestant" | "caseId" | "trial" | "scenario">

/** Where inner calls are made from: the cell itself, or a target that was called in it. */
interface Caller {
  readonly inner: InnerCalls
  readonly environment: CallEnvironment
  readonly request: GenerationRequest
  readonly place: CellPlace
  readonly testCase: TestCase
  readonly depth: number
  /** The steps of the target that calls; null = the cell itself. */
  readonly within: Array<OpenStep> | null
}

/** Keeps the step of a call that has ended. */
const finish = (
  { inner, within: around }: Caller,
  runtime: ContestantRuntime,
  request: GenerationRequest,
  within: Array<OpenStep>,
  outcome: CallOutcome
): Effect.Effect<InnerGeneration, GenerationError> => {
  const { answer } = outcome
  const totals = answer === null ? unknownTotals : totalsOf(inner, runtime, answer, within)
  const step = stepOf(runtime, request, outcome, totals)
  inner.steps.push(step)
  around?.push(step)
  return answer === null ? Effect.fail(failureOf(outcome)) : Effect.succeed(answerOf(answer, outcome, totals))
}

const send = (
  caller: Caller,
  runtime: ContestantRuntime,
  request: GenerationRequest,
  scenario: ScenarioTurn | undefined
): Effect.Effect<InnerGeneration, GenerationError> => {
  const { depth, environment, inner, place, testCase } = caller
  const within: Array<OpenStep> = []
  const { caseId, trial } = place
  const own = { contestant: runtime.contestant.key, caseId, trial }
  const cell = scenario === undefined ? own : { ...own, scenario }
  const called = call(runtime.settings, environment, request, (attempt) =>
    cellContext(inner, request, cell, testCase, runtime, attempt, depth + 1, within)
  )
  return Effect.isEffect(called)
    ? Effect.flatMap(called, (outcome) => finish(caller, runtime, request, within, outcome))
    : finish(caller, runtime, request, within, called)
}

const generate = (
  caller: Caller,
  name: string,
  partial: InnerRequest
): Effect.Effect<InnerGeneration, GenerationError> => {
  const { depth, inner, place } = caller
  const scenario = partial.scenario ?? place.scenario
  if (depth >= maxDepth) return Effect.fail(tooDeep)
  return Effect.flatMap(inner.runtimeByName(name), (runtime) => {
    const request = innerRequest(caller.request, runtime, partial)
    return inner.beforeSending === null || depth > 0
      ? send(caller, runtime, request, scenario)
      : Effect.flatMap(inner.beforeSending(request, runtime.contestant.key), (changed) =>
          send(caller, runtime, changed, scenario)
        )
  })
}

/** The context of one attempt. The expected answer is in it only for those who may see it. */
export const cellContext = (
  inner: InnerCalls,
  request: GenerationRequest,
  cell: CellPlace,
  testCase: TestCase,
  runtime: ContestantRuntime,
  attempt: number,
  depth = 0,
  within: Array<OpenStep> | null = null
): CellContext => {
  let caller: Caller | null = null
  const context: CellContext = {
    contestant: cell.contestant,
    caseId: cell.caseId,
    trial: cell.trial,
    attempt,
    tags: testCase.tags,
    metadata: testCase.metadata,
    generate: (name, partial) => {
      caller ??= {
        inner,
        environment: { ...inner.environment, lend: inner.environment.lendInner },
        request,
        place: cell,
        testCase,
        depth,
        within
      }
      return generate(caller, name, partial)
    }
  }
  if (cell.scenario !== undefined) Object.assign(context, { scenario: cell.scenario })
  return runtime.seesReference && "reference" in testCase ? { ...context, reference: testCase.reference } : context
}
