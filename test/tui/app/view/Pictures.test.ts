import { diffWords } from "@agent-arena/tui/src/app/view/Diff.ts"
import { bars, histogram, quantile } from "@agent-arena/tui/src/app/view/Histogram.ts"
import { frontier, plot } from "@agent-arena/tui/src/app/view/Pareto.ts"
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"

describe("the difference of two texts", () => {
  const words = fc
    .array(fc.constantFrom("a", "b", "c", " ", "\n", "word"), { maxLength: 40 })
    .map((parts) => parts.join(" "))

  it("puts both texts together again", () => {
    fc.assert(
      fc.property(words, words, (expected, output) => {
        const pieces = diffWords(expected, output) ?? []
        const text = (leave: string) =>
          pieces
            .filter(({ kind }) => kind !== leave)
            .map((piece) => piece.text)
            .join("")
        expect(text("extra")).toBe(expected)
        expect(text("missing")).toBe(output)
      })
    )
  })

  it("finds the few words that differ", () => {
    expect(diffWords("route to billing now", "route to login now")).toEqual([
      { kind: "same", text: "route to " },
      { kind: "missing", text: "billing" },
      { kind: "extra", text: "login" },
      { kind: "same", text: " now" }
    ])
  })

  it("gives up on texts that have nothing in common", () => {
    const many = (word: string) => Array.from({ length: 600 }, (_, index) => `${word}${index}`).join(" ")
    expect(diffWords(many("a"), many("b"))).toBeNull()
  })
})

describe("distributions", () => {
  it("count every value once", () => {
    const values = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 40 }), (list, bins) => {
        const shape = histogram(Float64Array.from(list).sort(), bins)
        expect(shape?.counts.reduce((a, b) => a + b, 0)).toBe(list.length)
        expect(shape?.counts).toHaveLength(bins)
      })
    )
  })

  it("show the largest bar in full, and the smallest as a sliver", () => {
    expect(bars([0, 1, 100], 2)).toEqual(["  █", " ▁█"])
  })

  it("interpolate quantiles between ranks", () => {
    expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5)
    expect(quantile([7], 0.99)).toBe(7)
    expect(quantile([], 0.5)).toBeNull()
  })
})

describe("the Pareto plot", () => {
  const point = fc.record({
    mark: fc.constantFrom("A", "B", "C", "D"),
    x: fc.double({ min: 0, max: 100, noNaN: true }),
    y: fc.double({ min: 0, max: 1, noNaN: true })
  })

  it("keeps exactly the points that none beats on both", () => {
    fc.assert(
      fc.property(fc.array(point, { minLength: 1, maxLength: 12 }), (points) => {
        const best = frontier(points)
        for (const one of best) {
          expect(points.some((other) => other.x < one.x && other.y >= one.y)).toBe(false)
          expect(points.some((other) => other.x <= one.x && other.y > one.y)).toBe(false)
        }
        for (const other of points) {
          expect(best.some((one) => one.x <= other.x && one.y >= other.y)).toBe(true)
        }
      })
    )
  })

  it("has the size that was asked for and shows every point", () => {
    fc.assert(
      fc.property(fc.uniqueArray(point, { minLength: 1, maxLength: 4, selector: ({ mark }) => mark }), (points) => {
        const picture = plot(points, 40, 10)
        expect(picture?.rows).toHaveLength(10)
        for (const row of picture?.rows ?? []) expect(row).toHaveLength(40)
        const text = picture?.rows.join("") ?? ""
        for (const { mark } of points) expect(text).toContain(mark)
      })
    )
  })
})
