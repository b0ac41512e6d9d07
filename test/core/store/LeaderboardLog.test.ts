import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { RunRecord } from "@agent-arena/core/domain/Run"
import { appendRows, leaderboardRows } from "@agent-arena/core/store/LeaderboardLog"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { completedFooter, headerOf, rulesOf } from "./ExampleRun.ts"
import { temporaryFolder } from "./TemporaryFolder.ts"

const header = headerOf("run_1", rulesOf(["a", "b"], ["one"]))
const { leaderboard } = completedFooter(header)

const ended = (changes: Partial<RunRecord>): RunRecord => ({
  ...header.record,
  status: "completed",
  stopReason: "completed",
  ...changes
})

describe("the leaderboard log", () => {
  it("has a row a contestant, with what its sums cover", () => {
    const [first, second] = leaderboardRows(ended({}), leaderboard)
    assert.strictEqual(first?.contestant, "a")
    assert.strictEqual(first?.run_status, "completed")
    assert.strictEqual(first?.rank, 1)
    assert.deepStrictEqual(first?.metrics, { accuracy: 0.9 })
    assert.deepStrictEqual([first?.total_prompt_tokens, first?.prompt_tokens_calls], [24, 2])
    assert.deepStrictEqual([first?.request_timeout_s, first?.idle_timeout_s], [120, null])
    assert.strictEqual(second?.rank, 2)
  })

  it("never ranks what did not finish its plan", () => {
    const partly: ReadonlyArray<readonly [RunRecord["status"], string]> = [
      ["partial", "partial"],
      ["aborted", "partial"],
      ["failed", "failed"]
    ]
    for (const [status, told] of partly) {
      const rows = leaderboardRows(ended({ status, stopReason: "interrupted" }), leaderboard)
      assert.deepStrictEqual(
        rows.map((row) => [row.run_status, row.rank, row.composite, row.run_stop_reason]),
        [
          [told, null, null, "interrupted"],
          [told, null, null, "interrupted"]
        ]
      )
    }
  })

  it("adds up: planned = completed + interrupted + not started", () => {
    const board = leaderboard === null ? null : { ...leaderboard, entries: leaderboard.entries.slice(0, 1) }
    const stats = { planned: 10, attempted: 6, completed: 3, errors: 2, timedOut: 1, interrupted: 1 }
    const entries = board?.entries.map((entry) => ({ ...entry, stats: { ...entry.stats, ...stats } })) ?? []
    const [row] = leaderboardRows(ended({ status: "aborted" }), board === null ? null : { ...board, entries })
    assert.deepStrictEqual(
      [row?.planned_tests, row?.completed_tests, row?.interrupted_tests, row?.not_started_tests],
      [10, 6, 1, 3]
    )
    assert.deepStrictEqual([row?.errored_tests, row?.timed_out_tests], [2, 1])
  })

  it("has one row of nulls for a run that came to nothing, and none for one that goes on", () => {
    const reason = `error: ${"x".repeat(1000)}` as const
    const [row, ...others] = leaderboardRows(ended({ status: "failed", stopReason: reason }), null)
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(
      [row?.contestant, row?.composite, row?.total_cost_usd, row?.total_prompt_tokens, row?.latency_p50_ms],
      [null, null, null, null, null]
    )
    assert.strictEqual(row?.run_stop_reason?.length, 500)
    assert.deepStrictEqual(leaderboardRows(header.record, leaderboard), [])
  })

  it.effect("is only ever appended to", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "results", "leaderboard.jsonl")
      const rows = leaderboardRows(ended({}), leaderboard)
      yield* appendRows(path, rows)
      yield* appendRows(path, rows.slice(0, 1))
      const lines = readFileSync(path, "utf8").trimEnd().split("\n")
      assert.deepStrictEqual(
        lines.map((line) => JSON.parse(line).contestant),
        ["a", "b", "a"]
      )
      const error = yield* Effect.flip(appendRows(join(path, "below", "a.jsonl"), rows))
      assert.strictEqual(error.problem, "io")
    })
  )
})
