import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { CellContext } from "../domain/Generation.ts"
import * as Score from "../domain/Score.ts"
import type { Scorer } from "../domain/Scorer.ts"
import { ScorerError } from "../domain/ScorerError.ts"
import type { JudgeSettings } from "../domain/Settings.ts"
import { define } from "./BuiltinScorer.ts"
import { inCell, Judge, type JudgeRequest, readVerdict, verdictSchema } from "./Judge.ts"
import {
  buildPrompt,
  conversationText,
  defaultRubric,
  defaultSystem,
  defaultTemplate,
  referenceText,
  templateProblems
} from "./JudgePrompt.ts"
import { quantity, text } from "./ScorerParams.ts"

const name = "llm_judge"

const failed = (detail: string, evidence: Score.Score["detail"]) =>
  Effect.fail(new ScorerError({ scorer: name, detail, evidence }))

const ask = Effect.fnUntraced(function* (
  settings: JudgeSettings,
  cell: CellContext,
  request: JudgeRequest,
  threshold: number
) {
  const provided = yield* Effect.serviceOption(Judge)
  const judge = Option.getOrElse(provided, () => inCell(settings, cell))
  const asked = { judge: settings.model, system: request.system, prompt: request.prompt }
  const answered = yield* Effect.result(judge.ask(request))
  if (Result.isFailure(answered)) return yield* failed(`the judge's call failed: ${answered.failure.message}`, asked)
  const { costUsd, latencyMs, text: reply } = answered.success
  const detail = { ...asked, reply, cost_usd: costUsd, latency_ms: latencyMs }
  const verdict = readVerdict(reply)
  if (Result.isFailure(verdict)) return yield* failed(verdict.failure, detail)
  const { passed, reason, score } = verdict.success
  return Score.make(score, { passed: passed ?? score >= threshold - 1e-9, reason, detail })
})

/**
 * `llm_judge`: a model judges the answer by a rubric. Null settings = no judge is configured.
 *
 * A call that failed or a reply that is not usable is an error of the scorer, with prompt and reply as evidence.
 */
export const llmJudge = (settings: JudgeSettings | null): Scorer =>
  define({
    name,
    description: "A model judges the answer by a rubric, and against the reference if there is one.",
    requiresReference: false,
    params: {
      rubric: text("How to judge; default: consistency with the reference."),
      threshold: quantity(
        0.5,
        { minimum: 0, maximum: 1 },
        "Score from which on an answer passes when the judge does not say."
      ),
      prompt: text(
        "Template of the question, with {input}, {reference}, {output}, {rubric} and, in scenarios, {trace}: the conversation."
      ),
      system: text("System prompt of the judge; default: judge.system.")
    },
    prepare: ({ options, reference, testCase, problem }) => {
      const model = settings?.model ?? null
      if (settings === null || model === null) problem("there is no judge: name a model in judge.model of config.yaml")
      const template = options.prompt ?? defaultTemplate
      for (const wrong of templateProblems(template)) problem(`param "prompt": ${wrong}`)
      const texts = {
        input: conversationText(testCase.messages),
        reference: referenceText(reference),
        rubric: options.rubric ?? defaultRubric(reference !== undefined)
      }
      const system = options.system ?? settings?.system ?? defaultSystem

      return (output, cell) => {
        const trace = cell.scenario?.trace ?? ""
        const request = { system, prompt: buildPrompt(template, { ...texts, output, trace }), schema: verdictSchema }
        return settings === null ? failed("there is no judge", {}) : ask(settings, cell, request, options.threshold)
      }
    }
  })
