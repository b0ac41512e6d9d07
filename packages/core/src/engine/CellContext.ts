import * as Effect from "effect/Effect"
import {
  type CellContext,
  type Generation,
  type GenerationRequest,
  type InnerGeneration,
  type InnerRequest,
  type Step,
  type TokenUsage,
  unknownUsage
} from "../domain/Generation.ts"
import type { GenerationError } from "../domain/GenerationError.ts"
import * as GenerationErrors from "../domain/GenerationError.ts"
import * as Message from "../domain/Message.ts"
import type { TestCase } from "../domain/TestCase.ts"
import { type CallEnvironment, type CallOutcome, call } from "./Call.ts"
import type { ContestantRuntime, CostOfCall } from "./ContestantRuntime.ts"

/** Inner calls may call targets that make inner calls; deeper than this is taken for an endless recursion. */
const maxDepth = 8

/** What inner calls need of the cell around them. */
export interface InnerCalls {
  readonly environment: CallEnvironment
  readonly runtimeByName: (name: string) => Effect.Effect<ContestantRuntime, GenerationError>
  readonly costOf: CostOfCall
  /** Filled with one step an inner call, in order of completion. */
  readonly steps: Array<Step>
}

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

const stepOf = (
  runtime: ContestantRuntime,
  request: GenerationRequest,
  outcome: CallOutcome,
  costUsd: number | null,
  usage: TokenUsage
): Step => ({
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

const answerOf = (answer: Generation, outcome: CallOutcome, costUsd: number | null): InnerGeneration => ({
  text: answer.text,
  usage: answer.usage,
  costUsd,
  latencyMs: answer.latencyMs ?? outcome.measuredMs,
  toolCalls: answer.toolCalls
})

const generate = (
  inner: InnerCalls,
  outer: GenerationRequest,
  cell: CellContext,
  testCase: TestCase,
  depth: number
): CellContext["generate"] =>
  Effect.fnUntraced(function* (name, partial) {
    if (depth >= maxDepth) {
      return yield* GenerationErrors.make({
        reason: "invalid_request",
        detail: `inner calls nested deeper than ${maxDepth}`
      })
    }
    const runtime = yield* inner.runtimeByName(name)
    const request = innerRequest(outer, runtime, partial)
    const environment = { ...inner.environment, lend: inner.environment.lendInner }
    const called = call(runtime.settings, environment, request, (attempt) =>
      cellContext(
        inner,
        request,
        { ...cell, contestant: runtime.contestant.key },
        testCase,
        runtime,
        attempt,
        depth + 1
      )
    )
    const outcome = Effect.isEffect(called) ? yield* called : called
    const usage = outcome.answer?.usage ?? unknownUsage
    const costUsd = outcome.answer === null ? null : inner.costOf(runtime, outcome.answer)
    inner.steps.push(stepOf(runtime, request, outcome, costUsd, usage))
    return outcome.answer === null ? yield* failureOf(outcome) : answerOf(outcome.answer, outcome, costUsd)
  })

/** The context of one attempt. The expected answer is in it only for those who may see it. */
export const cellContext = (
  inner: InnerCalls,
  request: GenerationRequest,
  cell: Pick<CellContext, "contestant" | "caseId" | "trial">,
  testCase: TestCase,
  runtime: ContestantRuntime,
  attempt: number,
  depth = 0
): CellContext => {
  const context: CellContext = {
    contestant: cell.contestant,
    caseId: cell.caseId,
    trial: cell.trial,
    attempt,
    tags: testCase.tags,
    metadata: testCase.metadata,
    generate: (name, partial) => generate(inner, request, context, testCase, depth)(name, partial)
  }
  return runtime.seesReference && "reference" in testCase ? { ...context, reference: testCase.reference } : context
}
