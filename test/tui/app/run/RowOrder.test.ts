import { parseFilter } from "@agent-arena/tui/src/app/run/Filter.ts"
import { fold } from "@agent-arena/tui/src/app/run/Fold.ts"
import { makeRowOrder, makeRowOrderCache, sortOrders } from "@agent-arena/tui/src/app/run/RowOrder.ts"
import { cellIndex, makeRunModel, type RunModel } from "@agent-arena/tui/src/app/run/RunModel.ts"
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { makeRules } from "../simulation/Rules.ts"
import { type SimulationOptions, simulatedEvents } from "../simulation/SimulatedRun.ts"

const options: SimulationOptions = {
  contestants: 4,
  cases: 40,
  trials: 2,
  seed: 5,
  concurrency: 8,
  stepMs: 10,
  startedAt: 0
}

const finished = (): RunModel => {
  const model = makeRunModel({ id: "r", project: "p", rules: makeRules(options), startedAt: 0 })
  for (const event of simulatedEvents(options)) fold(model, event)
  return model
}

const meanOf = (model: RunModel, row: number): number => {
  let sum = 0
  const cells = model.contestants.length * model.trials
  for (let index = cellIndex(model, row, 0, 1); index < cellIndex(model, row, 0, 1) + cells; index++) {
    const score = model.scores[index] ?? Number.NaN
    sum += Number.isNaN(score) ? 0 : score
  }
  return sum / cells
}

describe("the order of rows", () => {
  const model = finished()

  it("is a permutation of the matching cases, with positions that lead back", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...sortOrders),
        fc.constantFrom("", "billing", "tag:hard", "status:fail", "0"),
        (sort, filter) => {
          const order = makeRowOrder(model, filter, sort)
          expect(new Set(order.rows).size).toBe(order.rows.length)
          for (const [at, row] of order.rows.entries()) expect(order.positions[row]).toBe(at)
          expect([...order.positions].filter((at) => at >= 0)).toHaveLength(order.rows.length)
        }
      )
    )
  })

  it("puts the worst cases first", () => {
    const means = Array.from(makeRowOrder(model, "", "worst").rows, (row) => meanOf(model, row))
    expect(means).toEqual(means.toSorted((a, b) => a - b))
  })

  it("filters by text, tag, status and contestant, all of which must hold", () => {
    const ids = (filter: string) => Array.from(makeRowOrder(model, filter, "file").rows, (row) => model.caseIds[row])
    expect(ids("BILLING").every((id) => id?.includes("billing"))).toBe(true)
    expect(ids("tag:hard").length).toBeGreaterThan(0)
    expect(ids("tag:hard tag:easy")).toEqual([])
    expect(ids("billing tag:hard").length).toBeLessThan(ids("billing").length + 1)
    expect(makeRowOrder(model, "contestant:opus", "file").columns).toEqual([2])
    expect(makeRowOrder(model, "contestant:nobody", "file").columns).toEqual([0, 1, 2, 3])
    for (const row of makeRowOrder(model, "status:error", "file").rows) {
      const start = cellIndex(model, row, 0, 1)
      expect([...model.states.subarray(start, start + 8)].some((state) => (state & 15) === 5)).toBe(true)
    }
  })

  it("knows the words people use for states, and tells those it does not know", () => {
    expect(parseFilter("status:failed").states).toEqual(parseFilter("status:fail").states)
    expect(parseFilter("status:sideways").unknown).toEqual(["status:sideways"])
    expect(parseFilter("tag: ").tags).toEqual([])
  })

  it("is made again only when it can differ, and then at most once a second", () => {
    const own = finished()
    const cache = makeRowOrderCache(own)
    const plain = cache.get("", "file", 0)
    own.version += 1
    expect(cache.get("", "file", 5000)).toBe(plain)
    const sorted = cache.get("", "worst", 5000)
    own.version += 1
    expect(cache.get("", "worst", 5500)).toBe(sorted)
    expect(cache.get("", "worst", 6001)).not.toBe(sorted)
  })
})
