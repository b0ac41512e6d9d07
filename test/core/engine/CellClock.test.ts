import * as CellClocks from "@agent-arena/core/engine/CellClock"
import { assert, describe, it } from "@effect/vitest"

describe("CellClock", () => {
  it("has no limit before it starts, or when the limit is off", () => {
    assert.isNull(CellClocks.make(100).remaining(0))
    const off = CellClocks.make(null)
    off.start(0)
    assert.isNull(off.remaining(1_000_000))
  })

  it("counts from its first start", () => {
    const clock = CellClocks.make(100)
    clock.start(1_000)
    clock.start(1_050)
    assert.strictEqual(clock.remaining(1_060), 40)
    assert.strictEqual(clock.remaining(2_000), 0)
  })

  it("does not count what was not the cell's doing", () => {
    const clock = CellClocks.make(100)
    clock.start(0)
    clock.excuse(500)
    assert.strictEqual(clock.remaining(550), 50)
  })
})

describe("attemptLimit", () => {
  const cases = [
    { request: 10, remaining: null, ms: 10, isCellLimit: false },
    { request: 10, remaining: 20, ms: 10, isCellLimit: false },
    { request: 20, remaining: 10, ms: 10, isCellLimit: true },
    { request: null, remaining: 10, ms: 10, isCellLimit: true },
    { request: null, remaining: null, ms: null, isCellLimit: false }
  ]
  for (const { isCellLimit, ms, remaining, request } of cases) {
    it(`request ${request}, cell ${remaining}: ${ms}`, () => {
      assert.deepStrictEqual(CellClocks.attemptLimit(request, remaining), { ms, isCellLimit })
    })
  }

  it("takes the cell's limit when both are due at once", () => {
    assert.isTrue(CellClocks.attemptLimit(10, 10).isCellLimit)
  })
})
