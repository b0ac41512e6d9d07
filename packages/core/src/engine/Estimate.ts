import type { ContestantKey } from "../domain/Ids.ts"
import * as Message from "../domain/Message.ts"
import type { Project } from "../domain/Project.ts"
import { callCost } from "../pricing/PriceBook.ts"
import type { Readiness } from "./Readiness.ts"

/** What a run may cost, told before it starts. It is a forecast: nothing measured is ever filled in from it. */
export interface Estimate {
  readonly contestants: ReadonlyArray<ContestantEstimate>
  /** Sum over the contestants that can be estimated, USD; null when none can. */
  readonly totalUsd: number | null
  /** Contestants whose cost cannot be known beforehand. */
  readonly unknown: ReadonlyArray<ContestantKey>
  /** What the numbers rest on, in sentences. */
  readonly assumptions: ReadonlyArray<string>
}

export interface ContestantEstimate {
  readonly key: ContestantKey
  readonly calls: number
  /** USD for all its calls; null when it has no price or is a target. */
  readonly usd: number | null
  /** Why there is no estimate; null when there is one. */
  readonly reason: string | null
}

/** Rule of thumb for English text in current tokenisers; used for forecasts only. */
const charactersPerToken = 4

/** Assumed length of an answer when nothing limits it. */
const assumedCompletionTokens = 512

interface AssumedTokens {
  readonly prompt: number
  readonly completion: number
}

const assumedTokens = (project: Project<unknown>): ReadonlyArray<AssumedTokens> => {
  const { defaults } = project
  return project.cases.map((testCase) => {
    const system = testCase.system ?? defaults.system ?? ""
    return {
      prompt: Math.ceil((Message.toPrompt(testCase.messages).length + system.length) / charactersPerToken),
      completion: testCase.maxTokens ?? defaults.maxTokens ?? assumedCompletionTokens
    }
  })
}

/** Forecasts the cost of a checked project. Pure. */
export const estimate = (project: Project<unknown>, readiness: Readiness): Estimate => {
  const tokens = assumedTokens(project)
  const calls = readiness.cases * readiness.trials
  const contestants = readiness.contestants
    .filter(({ skipped }) => skipped === null)
    .map(({ card, key, priced }): ContestantEstimate => {
      if (priced === null)
        return { key, calls, usd: null, reason: "a target reports its cost, if at all, with its answers" }
      let usd = 0
      for (const { completion, prompt } of tokens) {
        const cost = callCost(card, { prompt, completion, cachedRead: 0, cachedWrite: 0, reasoning: null })
        if (cost === null) return { key, calls, usd: null, reason: "no price is known" }
        usd += cost
      }
      return { key, calls, usd: usd * readiness.trials, reason: null }
    })
  const known = contestants.flatMap(({ usd }) => (usd === null ? [] : [usd]))
  return {
    contestants,
    totalUsd: known.length === 0 ? null : known.reduce((total, usd) => total + usd, 0),
    unknown: contestants.flatMap(({ key, usd }) => (usd === null ? [key] : [])),
    assumptions: [
      `one token for every ${charactersPerToken} characters of prompt`,
      `answers as long as max_tokens allows, or ${assumedCompletionTokens} tokens where nothing limits them`,
      "no cached prompts, no retries, and no calls of a judge",
      ...(project.cases.some(({ scenario }) => scenario !== undefined)
        ? ["one call for each scenario, where each further turn is one more"]
        : [])
    ]
  }
}
