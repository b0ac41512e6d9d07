import { columnFormat, composite, duration, percent, signed, spend } from "@agent-arena/core/report/Figures"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

const all = (unit: string, values: ReadonlyArray<number | null>) => values.map(columnFormat(unit))

describe("Figures", () => {
  it("writes the units as people read them", () => {
    assert.deepStrictEqual(all("0-1", [0, 0.7, 1]), ["0.0 %", "70.0 %", "100.0 %"])
    assert.deepStrictEqual(all("USD/1k calls", [0, 2.5, 1234567.891]), ["$0.00", "$2.50", "$1,234,567.89"])
    assert.deepStrictEqual(all("ms", [0, 0.123, 620, 1500]), ["0 ms", "0.12 ms", "620 ms", "1,500 ms"])
    assert.deepStrictEqual(all("tokens/call", [1234.4]), ["1,234"])
    assert.deepStrictEqual(all("loops", [10, 0.5, 1234.56]), ["10", "0.5", "1,234.6"])
  })

  it("never writes something that is not known as a number", () => {
    for (const unit of ["0-1", "USD/1k calls", "ms", "tokens/call", "composite", "loops"]) {
      assert.strictEqual(columnFormat(unit)(null), "—")
    }
    assert.deepStrictEqual([spend(null), duration(null), signed(percent)(null)], ["—", "—", "—"])
  })

  it("never writes a small amount of money as nothing", () => {
    assert.deepStrictEqual(all("USD/1k calls", [0.0042, 0.0000012]), ["$0.0042", "$0.0000012"])
    assert.deepStrictEqual([spend(0), spend(0.0194), spend(0.000012)], ["$0.00", "$0.0194", "$0.000012"])
  })

  it("shows the difference between a value and the limit it broke", () => {
    assert.deepStrictEqual([0.69996, 0.7].map(columnFormat("0-1", [[0.69996, 0.7]])), ["69.996 %", "70.000 %"])
    assert.deepStrictEqual([0.81234, 0.81239].map(columnFormat("composite", [[0.81234, 0.81239]])), [
      "0.8123",
      "0.8124"
    ])
  })

  it("shows any difference that is not floating-point noise", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("0-1", "composite", "ms", "USD/1k calls", "loops"),
        fc.double({ min: 0, max: 1000, noNaN: true }),
        fc.double({ min: 1e-5, max: 1, noNaN: true }),
        (unit, value, delta) => {
          const format = columnFormat(unit, [[value, value + delta]])
          assert.notStrictEqual(format(value), format(value + delta))
        }
      )
    )
  })

  it("writes a difference with its sign and time in two units at most", () => {
    assert.deepStrictEqual([0.034, -0.02, 0].map(signed(composite)), ["+0.034", "-0.020", "0.000"])
    assert.deepStrictEqual([950, 2500, 61_000, 3_725_000].map(duration), ["950 ms", "2.5 s", "1 min 1 s", "1 h 2 min"])
  })
})
