import { RunId } from "@agent-arena/core/domain/Ids"
import type { RunSnapshot } from "@agent-arena/core/domain/RunEvent"
import { bar, logLine } from "@agent-arena/tui/src/progress/ProgressLine.ts"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import stringWidth from "string-width"

const snapshot = (finished: number, planned: number, fields: Partial<RunSnapshot> = {}): RunSnapshot => ({
  runId: RunId.make("run_1"),
  project: "p",
  seq: 1,
  phase: "running",
  stopReason: null,
  counts: { planned, finished, interrupted: 0, notStarted: planned - finished, errored: 0, timedOut: 0 },
  inFlight: 0,
  retries: 0,
  passed: 0,
  spentUsd: null,
  startedAt: 0,
  elapsedMs: 12_000,
  ...fields
})

const unknownPace = { perSecond: null, remainingMs: null }

describe("the line of progress", () => {
  it("says how much is done, how fast, how long it takes, what it costs and what went wrong", () => {
    const busy = snapshot(45, 108, {
      spentUsd: 0.0123,
      inFlight: 4,
      retries: 3,
      counts: { planned: 108, finished: 45, interrupted: 0, notStarted: 59, errored: 2, timedOut: 0 }
    })
    assert.strictEqual(
      logLine(busy, { perSecond: 12.34, remainingMs: 5100 }),
      "12.0 s: 41% 45/108, 12/s, ETA 5.1 s, $0.0123, 2 failed, 3 retried, 4 in flight"
    )
  })

  it("claims nothing it does not know", () => {
    const line = logLine(snapshot(0, 10), unknownPace)
    assert.strictEqual(line, "12.0 s: 0% 0/10, ETA —")
  })

  it("is full only when everything is done", () => {
    assert.match(bar(snapshot(9999, 10_000), unknownPace, 100), /^\[=+> *\] 99%/)
    assert.match(bar(snapshot(10, 10), unknownPace, 100), /^\[={24}\]100%/)
  })

  it("says that it is stopping", () => {
    assert.include(bar(snapshot(1, 2, { phase: "stopping" }), unknownPace, 120), "stopping")
  })

  it("never reaches the right edge of the terminal, so that it never wraps", () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.nat(10_000), fc.integer({ min: 2, max: 200 }), (done, more, columns) => {
        const line = bar(snapshot(done, done + more, { inFlight: 3, retries: 2, spentUsd: 1 }), unknownPace, columns)
        assert.isBelow(stringWidth(line), columns)
        assert.notInclude(line, "\n")
      })
    )
  })
})
