import { ofSorted, ofUnsorted } from "@agent-arena/core/ranking/Percentile"
import * as Resampler from "@agent-arena/core/ranking/Resampler"
import { drawCounts, seeded } from "@agent-arena/core/ranking/Sfc32"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

/** sfc32 as published (PractRand: a = 0, b and c the seed, counter 1, twelve steps), in whole numbers of any size. */
const published = (seed: bigint) => {
  const word = 0xffff_ffffn
  let [a, b, c, counter] = [0n, seed & word, (seed >> 32n) & word, 1n]
  const next = () => {
    const bits = (a + b + counter) & word
    counter = (counter + 1n) & word
    a = b ^ (b >> 9n)
    b = (c + (c << 3n)) & word
    c = ((((c << 21n) | (c >> 11n)) & word) + bits) & word
    return bits
  }
  for (let step = 0; step < 12; step += 1) next()
  return next
}

describe("the generator", () => {
  it.each([0n, 1n, 42n, (7n << 32n) + 5n])("is sfc32 as its author published it, seed %s", (seed) => {
    const next = published(seed)
    const state = seeded(Number(seed))
    for (const size of [10, 1000, 3]) {
      const expected = new Float64Array(size)
      for (let draw = 0; draw < size; draw += 1) {
        const index = Number((next() * BigInt(size)) >> 32n)
        expected[index] = (expected[index] ?? 0) + 1
      }
      const counts = new Float64Array(size)
      drawCounts(state, counts)
      assert.deepStrictEqual(counts, expected)
    }
  })

  it("draws every case equally often", () => {
    const size = 50
    const times = 4000
    const state = seeded(1)
    const counts = new Float64Array(size)
    const totals = new Float64Array(size)
    for (let round = 0; round < times; round += 1) {
      drawCounts(state, counts)
      counts.forEach((count, index) => {
        totals[index] = (totals[index] ?? 0) + count
      })
    }
    const chiSquare = totals.reduce((sum, total) => sum + (total - times) ** 2 / times, 0)
    // 49 degrees of freedom: 99.99 % of samples stay below 94
    assert.isBelow(chiSquare, 94)
    assert.isAbove(chiSquare, 18)
  })
})

const numbers = (size: number, of: (index: number) => number) =>
  Float64Array.from({ length: size }, (_, index) => of(index))

describe("the resampler", () => {
  const size = 24
  /** Columns of every shape: dense, constant, nearly constant, nearly empty, and one twice. */
  const shapes = [
    numbers(size, (index) => Math.sin(index + 1)),
    numbers(size, () => 3),
    numbers(size, (index) => (index === 5 ? -2 : 1)),
    numbers(size, (index) => (index === 9 ? 0.5 : 0)),
    numbers(size, (index) => index * index),
    numbers(size, (index) => Math.sin(index + 1)),
    numbers(size, (index) => 1 / (index + 1))
  ]

  it("sums every column as the drawn cases say", () => {
    const resampler = Resampler.make(size)
    // one column for each case, with a single 1: its sums are how often the case was drawn
    const cases = Array.from({ length: size }, (_, at) =>
      resampler.column(numbers(size, (index) => (index === at ? 1 : 0)))
    )
    const columns = shapes.map(resampler.column)
    const resamples = resampler.run(7, 3)
    for (let resample = 0; resample <= 7; resample += 1) {
      const drawn = cases.map((id) => resamples.sums(id)[resample] ?? Number.NaN)
      assert.strictEqual(
        drawn.reduce((sum, count) => sum + count, 0),
        size
      )
      if (resample === 0) assert.isTrue(drawn.every((count) => count === 1))
      shapes.forEach((shape, which) => {
        const expected = drawn.reduce((sum, count, index) => sum + count * (shape[index] ?? 0), 0)
        assert.closeTo(resamples.sums(columns[which] ?? -1)[resample] ?? Number.NaN, expected, 1e-9)
      })
    }
    assert.strictEqual(resamples.sums(columns[0] ?? -1).length, 8)
  })

  it("takes percentiles of the cells of the drawn cases", () => {
    const resampler = Resampler.make(size)
    const cases = Array.from({ length: size }, (_, at) =>
      resampler.column(numbers(size, (index) => (index === at ? 1 : 0)))
    )
    // case i has i mod 3 cells
    const cells = Array.from({ length: size }, (_, index) => index).flatMap((index) =>
      Array.from({ length: index % 3 }, (_, trial) => ({ index, value: ((index * 7 + trial * 13) % 31) + 1 }))
    )
    const sorted = cells.toSorted((a, b) => b.value - a.value)
    const tail = resampler.tail({
      values: Float64Array.from(sorted, ({ value }) => value),
      cases: Int32Array.from(sorted, ({ index }) => index),
      count: resampler.column(numbers(size, (index) => index % 3)),
      share: 0.95
    })
    const resamples = resampler.run(50, 11)
    for (let resample = 0; resample <= 50; resample += 1) {
      const drawn = cells
        .flatMap(({ index, value }) =>
          Array.from({ length: resamples.sums(cases[index] ?? -1)[resample] ?? 0 }, () => value)
        )
        .toSorted((a, b) => a - b)
      const position = (drawn.length - 1) * 0.95
      const low = drawn[Math.floor(position)] ?? Number.NaN
      const high = drawn[Math.ceil(position)] ?? Number.NaN
      const expected = low + (high - low) * (position - Math.floor(position))
      assert.closeTo(resamples.percentiles(tail)[resample] ?? Number.NaN, expected, 1e-9)
    }
  })

  it("gives the same numbers for the same seed, and others for another", () => {
    const sums = (seed: number) => {
      const resampler = Resampler.make(size)
      const id = resampler.column(numbers(size, (index) => Math.sin(index)))
      return [...resampler.run(20, seed).sums(id)]
    }
    assert.deepStrictEqual(sums(5), sums(5))
    assert.notDeepEqual(sums(5), sums(6))
  })

  it("has an empty pool under control", () => {
    const resampler = Resampler.make(0)
    const id = resampler.column(new Float64Array(0))
    assert.deepStrictEqual([...resampler.run(2, 0).sums(id)], [0, 0, 0])
  })
})

describe("percentiles", () => {
  it("agree between sorted and unsorted values", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 200 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (values, share) => {
          const sorted = values.toSorted((a, b) => a - b)
          const position = (values.length - 1) * share
          const below = sorted[Math.floor(position)] ?? Number.NaN
          const above = sorted[Math.ceil(position)] ?? Number.NaN
          const expected = below + (above - below) * (position - Math.floor(position))
          assert.closeTo(ofSorted(Float64Array.from(sorted), share), expected, 1e-9)
          assert.closeTo(ofUnsorted(Float64Array.from(values), share), expected, 1e-9)
        }
      )
    )
  })
})
