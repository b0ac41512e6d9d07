/** Answers of ordinary cases, as a run recorded them. */
import type { CallResult } from "../../domain/CallResult.ts"
import { toPrompt } from "../../domain/Message.ts"
import type { TestCase } from "../../domain/TestCase.ts"
import type { ReplayEntry } from "./ReplayStore.ts"

/** The answer of one cell of an ordinary case. */
export interface PlainAnswer {
  readonly caseId: string
  /** What was asked. */
  readonly question: string
  readonly contestant: string
  /** 1-based. */
  readonly trial: number
  /** Without verdicts: what scored the case is not what verifies a node. */
  readonly entry: ReplayEntry
}

/** What a case asks, where that is one message of text; null = a conversation, files, or a scenario. */
export const questionOf = ({ messages, scenario }: Pick<TestCase, "messages" | "scenario">): string | null => {
  const [first, second] = messages
  if (scenario !== undefined || second !== undefined || first.role !== "user") return null
  const isText = typeof first.content === "string" || first.content.every(({ type }) => type === "text")
  return isText ? toPrompt(messages) : null
}

/** The answer of a result, in the contestant's own words; null when it has none, or asked no single question. */
export const plainAnswer = (testCase: TestCase, result: CallResult): PlainAnswer | null => {
  const question = questionOf(testCase)
  const output = result.originalOutput ?? result.output
  if (question === null || output === null || result.status !== "ok") return null
  const { caseId, contestant, costUsd, latencyMs, toolCalls, trial, usage } = result
  return { caseId, question, contestant, trial, entry: { output, toolCalls, usage, costUsd, latencyMs, verdicts: [] } }
}
