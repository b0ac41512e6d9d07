import { makeRemarks } from "@agent-arena/tui/src/progress/Remarks.ts"
import { assert, describe, it } from "@effect/vitest"
import { simulatedRunId } from "../app/simulation/SimulatedRun.ts"
import { snapshotOf } from "./Snapshots.ts"

const stamp = { v: 1, seq: 1, at: 0, runId: simulatedRunId } as const
const facts = { budgetUsd: 2, drainMs: 30_000, termDrainMs: 5000 }

const stopping = { ...stamp, _tag: "RunStopping", reason: "interrupted", inFlight: 4, drainMs: 30_000 } as const

describe("remarks on a run", () => {
  it("tells of budgets and of a stop when they are heard", () => {
    const remarks = makeRemarks(facts)
    remarks.heard({ ...stamp, _tag: "BudgetWarning", contestant: null, spentUsd: 2.5, limitUsd: 2 })
    remarks.heard(stopping)
    assert.deepStrictEqual(remarks.take(), [
      "budget of the run: $2.5000 spent of $2.0000",
      "stopping because it was interrupted (Ctrl-C); 4 cells in flight may take up to 30.0 s; Ctrl-C again ends them now"
    ])
  })

  it("tells of them once, whether they were heard, or seen while nobody listened", () => {
    const remarks = makeRemarks(facts)
    const whole = snapshotOf({ phase: "stopping", stopReason: "deadline", inFlight: 1, spentUsd: 3 })
    remarks.seen(snapshotOf({ spentUsd: 1 }))
    assert.deepStrictEqual(remarks.take(), [])
    remarks.seen(whole)
    remarks.seen(whole)
    remarks.heard(stopping)
    const taken = remarks.take()
    assert.lengthOf(taken, 2)
    assert.strictEqual(taken[0], "budget of the run: $3.0000 spent of $2.0000")
    assert.match(taken[1] ?? "", /^stopping because .*; 1 cell in flight may take up to 5\.0 s$/)
  })
})
