import { exitCode, unmetGates } from "@agent-arena/tui/src/actions/run/gates.ts"
import { assert, describe, it } from "@effect/vitest"
import { entry, leaderboard, report, run } from "../../core/report/reports.ts"

const none = { failUnder: null, requireWinner: false }

describe("gates and exit codes", () => {
  it("compare the leader's composite, and forgive floating point", () => {
    const with_ = (composite: number | null) => report({ leaderboard: leaderboard([entry("alpha", { composite })]) })
    assert.deepStrictEqual(unmetGates(with_(0.8), { ...none, failUnder: 0.8 }), [])
    assert.deepStrictEqual(unmetGates(with_(0.1 + 0.2), { ...none, failUnder: 0.3 }), [])
    assert.deepStrictEqual(unmetGates(with_(0.79996), { ...none, failUnder: 0.8 }), [
      "--fail-under 0.80000: the leader alpha has 0.79996"
    ])
    assert.lengthOf(unmetGates(with_(null), { ...none, failUnder: 0.1 }), 1)
    assert.deepStrictEqual(unmetGates(report({ leaderboard: leaderboard([]) }), { ...none, failUnder: 0.5 }), [
      "--fail-under 0.500: nobody is ranked"
    ])
  })

  it("ask for a declared winner", () => {
    const nobody = report({
      leaderboard: leaderboard([], { verdict: { _tag: "NoWinner", sentence: "Nobody qualified." } })
    })
    assert.deepStrictEqual(unmetGates(nobody, { ...none, requireWinner: true }), [
      "--require-winner: Nobody qualified."
    ])
    assert.deepStrictEqual(unmetGates(report(), { ...none, requireWinner: true }), [])
  })

  it("give each ending its code; a signal comes before a gate", () => {
    const code = (
      status: "completed" | "partial" | "aborted" | "failed",
      stopReason: string,
      unmet: ReadonlyArray<string> = []
    ) => exitCode(report({ run: run({ status, stopReason }) }), unmet)
    assert.strictEqual(code("completed", "completed"), 0)
    assert.strictEqual(code("completed", "completed", ["x"]), 2)
    assert.strictEqual(code("partial", "budget", ["x"]), 3)
    assert.strictEqual(code("partial", "time_limit"), 3)
    assert.strictEqual(code("aborted", "fail_fast"), 1)
    assert.strictEqual(code("failed", "budget"), 1)
    assert.strictEqual(code("aborted", "deadline", ["x"]), 124)
    assert.strictEqual(code("failed", "deadline"), 124)
    assert.strictEqual(code("aborted", "interrupted"), 130)
    assert.strictEqual(code("failed", "interrupted"), 130)
  })

  it("fail a complete run in which every call failed", () => {
    const code = (errored: number, unmet: ReadonlyArray<string> = []) => {
      const counts = { planned: 9, finished: 9, interrupted: 0, notStarted: 0, errored, timedOut: 0 }
      return exitCode(report({ run: run({ counts }) }), unmet)
    }
    assert.strictEqual(code(9), 1)
    assert.strictEqual(code(9, ["x"]), 2)
    assert.strictEqual(code(8), 0)
  })
})
