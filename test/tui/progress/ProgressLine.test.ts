import { catchUp, stopListening } from "@agent-arena/tui/src/app/run/Fold.ts"
import type { RunModel } from "@agent-arena/tui/src/app/run/RunModel.ts"
import { logLine } from "@agent-arena/tui/src/progress/ProgressLine.ts"
import { assert, describe, it } from "@effect/vitest"
import { openRun, shape } from "../app/state/Fixtures.ts"
import { snapshotOf } from "./Snapshots.ts"

const modelAfter = (share: number): RunModel => openRun(shape, share).model

describe("the line of progress", () => {
  it("says how much is done, how fast, how long it takes, what it costs and what went wrong", () => {
    const model = modelAfter(0.5)
    assert.strictEqual(
      logLine(model, model.lastAt),
      "6.0 s: 49% 298/600, 50/s, ETA 6.0 s, $0.2972, 1 failed, 4 retried, 7 in flight"
    )
  })

  it("claims nothing it does not know", () => {
    assert.strictEqual(logLine(modelAfter(0), shape.startedAt + 1500), "1.5 s: 0% 0/600, ETA —")
  })

  it("says 100 % only when everything is done", () => {
    assert.match(logLine(modelAfter(0.998), shape.startedAt + 12_000), / 99% 598\/600, /)
    assert.match(logLine(modelAfter(1), shape.startedAt + 12_000), / 100% 600\/600, /)
  })

  it("says that it is stopping or paused, also when nobody heard of it, and promises no end then", () => {
    const model = modelAfter(0.5)
    stopListening(model, model.lastAt)
    catchUp(model, snapshotOf({ phase: "stopping", inFlight: 3, retries: 40 }))
    assert.match(logLine(model, model.lastAt), /, 40 retried, 3 in flight, stopping, waiting for calls in flight$/)
    assert.notInclude(logLine(model, model.lastAt), "ETA")
  })
})
