import type { CellIndex, Lane } from "@agent-arena/core/engine/Plan"
import * as Schedulers from "@agent-arena/core/engine/Scheduler"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

const laneOf = (contestant: number, cells: number): Lane => {
  let position = 0
  return {
    contestant,
    next: () => (position < cells ? { contestant, testCase: position++, trial: 0 } : undefined)
  }
}

interface Bench {
  readonly started: Array<CellIndex>
  readonly running: Array<CellIndex>
  readonly scheduler: Schedulers.Scheduler
  readonly blocked: Set<number>
  drained: number
}

const bench = (sizes: ReadonlyArray<number>, concurrency: number): Bench => {
  const started: Array<CellIndex> = []
  const running: Array<CellIndex> = []
  const blocked = new Set<number>()
  const self: Bench = {
    started,
    running,
    blocked,
    drained: 0,
    scheduler: Schedulers.make({
      concurrency,
      lanes: sizes.map((size, contestant) => laneOf(contestant, size)),
      blocked: (contestant) => blocked.has(contestant),
      start: (cell) => {
        started.push(cell)
        running.push(cell)
      },
      drained: () => {
        self.drained += 1
      }
    })
  }
  return self
}

const finishFirst = (self: Bench): void => {
  const cell = self.running.shift()
  if (cell !== undefined) self.scheduler.finished(cell, true)
}

const names = (cells: ReadonlyArray<CellIndex>) => cells.map(({ contestant, testCase }) => `${contestant}.${testCase}`)

describe("Scheduler", () => {
  it("goes round-robin over contestants, then through the cases", () => {
    const self = bench([3, 3], 1)
    self.scheduler.pump()
    while (self.running.length > 0) finishFirst(self)
    assert.deepStrictEqual(names(self.started), ["0.0", "1.0", "0.1", "1.1", "0.2", "1.2"])
    assert.isAtLeast(self.drained, 1)
  })

  it("goes on with the others while one is blocked, and comes back to it", () => {
    const self = bench([2, 2], 1)
    self.blocked.add(0)
    self.scheduler.pump()
    finishFirst(self)
    finishFirst(self)
    assert.deepStrictEqual(names(self.started), ["1.0", "1.1"])
    assert.strictEqual(self.drained, 0)
    self.blocked.clear()
    self.scheduler.pump()
    finishFirst(self)
    finishFirst(self)
    assert.deepStrictEqual(names(self.started), ["1.0", "1.1", "0.0", "0.1"])
    assert.isAtLeast(self.drained, 1)
  })

  it("lends the slot of a waiting cell, and gives it back before a new cell starts", () => {
    const self = bench([3], 1)
    self.scheduler.pump()
    self.scheduler.lease.yieldSlot()
    // The lane may have no more than `concurrency` cells open, so nobody takes the slot of the only contestant.
    assert.lengthOf(self.started, 1)
    const two = bench([1, 2], 1)
    two.scheduler.pump()
    two.scheduler.lease.yieldSlot()
    assert.deepStrictEqual(names(two.started), ["0.0", "1.0"])
    let resumed = false
    two.scheduler.lease.reclaim(() => {
      resumed = true
    })
    assert.isFalse(resumed)
    const second = two.running[1]
    if (second !== undefined) two.scheduler.finished(second, true)
    assert.isTrue(resumed)
    assert.lengthOf(two.started, 2)
  })

  it("starts nothing while paused and nothing after close", () => {
    const self = bench([5], 2)
    self.scheduler.pause()
    self.scheduler.pump()
    assert.lengthOf(self.started, 0)
    self.scheduler.open()
    assert.lengthOf(self.started, 2)
    self.scheduler.close()
    finishFirst(self)
    assert.strictEqual(self.drained, 0)
    finishFirst(self)
    assert.lengthOf(self.started, 2)
    assert.isAtLeast(self.drained, 1)
  })

  it("closes one contestant alone", () => {
    const self = bench([3, 2], 1)
    self.scheduler.pump()
    self.scheduler.close(0)
    while (self.running.length > 0) finishFirst(self)
    assert.deepStrictEqual(names(self.started), ["0.0", "1.0", "1.1"])
  })

  it("starts every cell exactly once under any interleaving, never more than `concurrency` at work", () => {
    const step = fc.constantFrom("finish", "yield", "reclaim", "pause", "open", "block", "unblock")
    fc.assert(
      fc.property(
        fc.array(fc.nat(6), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 4 }),
        fc.array(step, { maxLength: 60 }),
        (sizes, concurrency, steps) => {
          const self = bench(sizes, concurrency)
          const waiting: Array<CellIndex> = []
          const take = (cells: Array<CellIndex>) => cells.shift()
          const check = () => assert.isAtMost(self.running.length, concurrency)
          const reclaim = () => {
            const cell = take(waiting)
            if (cell !== undefined) self.scheduler.lease.reclaim(() => self.running.push(cell))
          }
          self.scheduler.pump()
          for (const action of steps) {
            if (action === "finish") finishFirst(self)
            if (action === "pause") self.scheduler.pause()
            if (action === "open") self.scheduler.open()
            if (action === "block") self.blocked.add(0)
            if (action === "unblock") {
              self.blocked.clear()
              self.scheduler.pump()
            }
            if (action === "yield") {
              const cell = take(self.running)
              if (cell !== undefined) {
                waiting.push(cell)
                self.scheduler.lease.yieldSlot()
              }
            }
            if (action === "reclaim") reclaim()
            check()
          }
          self.blocked.clear()
          self.scheduler.open()
          for (let rounds = 0; rounds < 200 && (self.running.length > 0 || waiting.length > 0); rounds++) {
            reclaim()
            finishFirst(self)
            check()
          }
          const total = sizes.reduce((sum, size) => sum + size, 0)
          assert.lengthOf(self.started, total)
          assert.strictEqual(new Set(names(self.started)).size, total)
          assert.strictEqual(self.scheduler.inFlight(), 0)
          assert.isAtLeast(self.drained, 1)
        }
      )
    )
  })
})
