import { Fail, Failed, Pass, Unscored } from "@agent-arena/tui/src/app/run/CellState.ts"
import { changedCases } from "@agent-arena/tui/src/app/run/CompareRuns.ts"
import { recordOutcome } from "@agent-arena/tui/src/app/run/Fold.ts"
import { cellIndex, makeRunModel, type RunModel } from "@agent-arena/tui/src/app/run/RunModel.ts"
import { describe, expect, it } from "@effect/vitest"
import { makeRules } from "../simulation/Rules.ts"

const runOf = (
  outcomes: ReadonlyArray<readonly [row: number, trial: number, state: number, score: number]>
): RunModel => {
  const rules = makeRules({ contestants: 1, cases: 4, trials: 2 })
  const model = makeRunModel({ id: "r", project: "p", rules, startedAt: 0 })
  for (const [row, trial, state, score] of outcomes) {
    recordOutcome(model, cellIndex(model, row, 0, trial), state, score, 1, Number.NaN, Number.NaN, Number.NaN)
  }
  return model
}

describe("comparing two runs", () => {
  it("names cases whose mean score has changed, the largest loss first", () => {
    const before = runOf([
      [0, 1, Pass, 1],
      [1, 1, Pass, 1],
      [2, 1, Fail, 0],
      [3, 1, Pass, 1]
    ])
    const after = runOf([
      [0, 1, Pass, 1],
      [1, 1, Pass, 1],
      [1, 2, Fail, 0],
      [2, 1, Pass, 1],
      [3, 1, Failed, Number.NaN]
    ])
    expect(changedCases(before, after)).toEqual([
      { contestant: "haiku-fast", caseId: "outage-0004", before: 1, after: 0 },
      { contestant: "haiku-fast", caseId: "login-0002", before: 1, after: 0.5 },
      { contestant: "haiku-fast", caseId: "refund-0003", before: 0, after: 1 }
    ])
  })

  it("takes an answer that waits for its grade for no score, not for a bad one", () => {
    const before = runOf([[0, 1, Pass, 1]])
    const after = runOf([
      [0, 1, Pass, 1],
      [0, 2, Unscored, Number.NaN],
      [1, 1, Unscored, Number.NaN]
    ])
    expect(changedCases(before, after)).toEqual([])
  })
})
