/** The rows of the start screen that the cursor can stand on, and what a choice comes to. */
import type { Candidate, ProjectFacts, StartChoice } from "../run/ArenaSource.ts"

export type StartRow =
  | { readonly _tag: "Contestant"; readonly candidate: Candidate }
  | { readonly _tag: "Tag"; readonly tag: string; readonly cases: number }
  | { readonly _tag: "Trials" }
  | { readonly _tag: "Concurrency" }

const tagsOf = (facts: ProjectFacts): ReadonlyArray<readonly [string, number]> => {
  const counts = new Map<string, number>()
  for (const { tags } of facts.cases) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  return [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

export const startRows = (facts: ProjectFacts): ReadonlyArray<StartRow> => [
  ...facts.candidates.map((candidate): StartRow => ({ _tag: "Contestant", candidate })),
  { _tag: "Trials" },
  { _tag: "Concurrency" },
  ...tagsOf(facts).map(([tag, cases]): StartRow => ({ _tag: "Tag", tag, cases }))
]

/** Everybody who can run, all cases, the project's own numbers. */
export const defaultChoice = (facts: ProjectFacts): StartChoice => ({
  contestants: facts.candidates.filter(({ skipped }) => skipped === null).map(({ key }) => key),
  tags: [],
  trials: facts.trials,
  concurrency: facts.concurrency
})

/** A choice after the project was read again: what is gone goes, what is new and ready comes in. */
export const followChoice = (choice: StartChoice, before: ReadonlySet<string>, facts: ProjectFacts): StartChoice => {
  const tags = new Set(facts.cases.flatMap((entry) => entry.tags))
  return {
    ...choice,
    contestants: facts.candidates
      .filter(({ key, skipped }) => skipped === null && (choice.contestants.includes(key) || !before.has(key)))
      .map(({ key }) => key),
    tags: choice.tags.filter((tag) => tags.has(tag))
  }
}

export interface Outlook {
  readonly cases: number
  readonly cells: number
  /** USD; null when a contestant's calls have no expectation. */
  readonly estimateUsd: number | null
  /** Chosen contestants without a known price. */
  readonly unpriced: ReadonlyArray<string>
}

/** What a choice would run, and what that is expected to cost. */
export const outlook = (facts: ProjectFacts, choice: StartChoice): Outlook => {
  const cases =
    choice.tags.length === 0
      ? facts.cases.length
      : facts.cases.filter(({ tags }) => tags.some((tag) => choice.tags.includes(tag))).length
  const chosen = facts.candidates.filter(({ key }) => choice.contestants.includes(key))
  const calls = cases * choice.trials
  let estimate: number | null = 0
  for (const { expectedUsd } of chosen) {
    estimate = estimate === null || expectedUsd === null ? null : estimate + expectedUsd * calls
  }
  return {
    cases,
    cells: calls * chosen.length,
    estimateUsd: chosen.length === 0 ? null : estimate,
    unpriced: chosen.filter(({ priced }) => priced === false).map(({ label }) => label)
  }
}
