import * as RunTable from "@agent-arena/core/report/RunTable"
import { plain } from "@agent-arena/core/report/Style"
import { assert, describe, it } from "@effect/vitest"
import { run } from "./reports.ts"

describe("RunTable", () => {
  it("says of each run how it ended, how much of it is there, and who won", () => {
    const counts = { planned: 9, finished: 4, interrupted: 1, notStarted: 4, errored: 0, timedOut: 0 }
    const partial = run({
      status: "partial",
      stopReason: "budget",
      winner: null,
      totalCostUsd: null,
      label: "nightly",
      counts
    })
    const lines = RunTable.render([run(), partial], { style: plain, width: null }).trimEnd().split("\n")
    const cells = lines.map((line) => line.split(/\s{2,}/))
    assert.deepStrictEqual(cells[1]?.slice(1, 4), ["2026-01-01 12:00", "completed", "9/9"])
    assert.deepStrictEqual(cells[1]?.slice(-2), ["alpha", "$0.0225"])
    assert.deepStrictEqual(cells[2]?.slice(2, 4), ["partial (budget)", "4/9"])
    assert.deepStrictEqual(cells[2]?.slice(-3), ["—", "—", "nightly"])
  })

  it("keeps run, status and progress on a narrow terminal", () => {
    const [, line = ""] = RunTable.render([run()], { style: plain, width: 50 }).split("\n")
    assert.match(line, /^run_20260101_120000_abc123 +completed +9\/9/)
    assert.isAtMost(line.length, 50)
  })
})
