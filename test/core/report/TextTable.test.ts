import { ansi, plain } from "@agent-arena/core/report/Style"
import { lines, wrap } from "@agent-arena/core/report/TextTable"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import stringWidth from "string-width"
import { hostileWords } from "./hostile.ts"

const columns = [
  { heading: "name", min: 4 },
  { heading: "model", drop: 2 },
  { heading: "score", align: "right" as const, drop: 1 }
]

describe("TextTable", () => {
  it("aligns columns under their headings, wide characters included", () => {
    const table = lines(
      columns,
      [
        ["漢字", "m-1", "0.5"],
        ["plain", "model-2", "10"]
      ],
      { style: plain, width: null }
    )
    assert.deepStrictEqual(table, ["name   model    score", "漢字   m-1        0.5", "plain  model-2     10"])
  })

  it("clips what may be clipped, then leaves out columns by their number", () => {
    const row = ["a-very-long-name", "model-x", "0.5"]
    const at = (width: number) => lines(columns, [row], { style: plain, width })[1]
    assert.strictEqual(at(40), "a-very-long-name  model-x    0.5")
    assert.strictEqual(at(22), "a-ver…  model-x    0.5")
    assert.strictEqual(at(16), "a-very-l…    0.5")
    assert.strictEqual(at(8), "a-very-…")
  })

  it("emphasises the words and not the padding", () => {
    const [, row = ""] = lines(columns, [[{ text: "x", emphasis: ansi.bad }, "m", "1"]], { style: ansi, width: null })
    assert.include(row, "\u001b[31mx\u001b[39m    ")
  })

  it("is never wider than the terminal and never of more than a line a row", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(hostileWords, hostileWords, hostileWords), { maxLength: 5 }),
        fc.integer({ min: 4, max: 90 }),
        (rows, width) => {
          const table = lines(columns, rows, { style: plain, width })
          assert.strictEqual(table.length, rows.length + 1)
          for (const line of table) {
            assert.notInclude(line, "\n")
            assert.isAtMost(stringWidth(line), width)
          }
        }
      )
    )
  })

  it("wraps at words", () => {
    assert.deepStrictEqual(wrap("one two three four", 9, "  "), ["one two", "  three", "  four"])
    assert.deepStrictEqual(wrap("one two", null), ["one two"])
  })
})
