import { append, appendGap, makeEventLog } from "@agent-arena/tui/src/app/run/EventLog.ts"
import { makeThroughput, rate, remainingMs, restart, sample } from "@agent-arena/tui/src/app/run/Throughput.ts"
import { describe, expect, it } from "@effect/vitest"

describe("throughput", () => {
  it("is what was finished over the last half minute", () => {
    const throughput = makeThroughput()
    for (let second = 0; second <= 120; second++)
      sample(throughput, second * 1000, second < 60 ? second * 10 : 600 + (second - 60) * 2)
    expect(rate(throughput, 120_000, 720)).toBeCloseTo(2, 1)
    expect(remainingMs(2, 100)).toBe(50_000)
  })

  it("says nothing while too little is known", () => {
    const throughput = makeThroughput()
    expect(rate(throughput, 0, 0)).toBeNull()
    sample(throughput, 0, 0)
    expect(rate(throughput, 500, 10)).toBeNull()
    expect(rate(throughput, 5000, 0)).toBeNull()
    expect(remainingMs(null, 10)).toBeNull()
    sample(throughput, 5000, 10)
    restart(throughput)
    expect(rate(throughput, 9000, 20)).toBeNull()
  })
})

describe("the event log", () => {
  it("folds equal neighbours and keeps the newest", () => {
    const log = makeEventLog(100)
    append(log, 1, "warning", "waiting")
    append(log, 2, "warning", "waiting")
    expect(log.entries).toHaveLength(1)
    expect(log.entries[0]).toMatchObject({ count: 2, at: 1, lastAt: 2 })
    for (let at = 0; at < 1000; at++) append(log, at, "error", `error ${at}`, at)
    expect(log.entries.length).toBeLessThan(356)
    expect(log.entries.at(-1)?.text).toBe("error 999")
    expect(log.dropped + log.entries.length).toBe(1001)
    expect(log.counts).toEqual({ info: 0, warning: 2, error: 1000 })
  })

  it("keeps a place for events that nobody heard, one for neighbouring gaps", () => {
    const log = makeEventLog(100)
    append(log, 1, "info", "started")
    appendGap(log, 5, 5, 0)
    appendGap(log, 5, 1005, 9000)
    appendGap(log, 1100, 2100, 9500)
    append(log, 2200, "error", "heard")
    appendGap(log, 2300, 3300, 7)
    expect(log.entries.map(({ at, lastAt, missed }) => ({ at, lastAt, missed }))).toEqual([
      { at: 1, lastAt: 1, missed: null },
      { at: 5, lastAt: 2100, missed: 18_500 },
      { at: 2200, lastAt: 2200, missed: null },
      { at: 2300, lastAt: 3300, missed: 7 }
    ])
    expect(log).toMatchObject({ missed: 18_507, missedSince: 5, counts: { info: 1, warning: 0, error: 1 } })
  })
})
