import { displayText } from "@agent-arena/tui/src/app/terminal/DisplayText.ts"
import {
  cutMiddle,
  cutText,
  fitText,
  takeColumns,
  textWidth,
  wrapText
} from "@agent-arena/tui/src/app/terminal/TextWidth.ts"
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { hostile } from "../simulation/Texts.ts"

const foreign = fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }), fc.constantFrom(...hostile))

describe("columns of text", () => {
  it("counts wide characters as two", () => {
    expect(textWidth("日本")).toBe(4)
    expect(textWidth("é")).toBe(1)
    expect(fitText("日本語", 4)).toBe("日… ")
    expect(fitText("7", 3, "right")).toBe("  7")
  })

  it("never cuts a character in half nor exceeds the width", () => {
    fc.assert(
      fc.property(foreign, fc.nat(30), (text, width) => {
        expect(textWidth(fitText(text, width))).toBe(width)
        expect(textWidth(cutText(text, width))).toBeLessThanOrEqual(width)
        expect(textWidth(cutMiddle(text, width))).toBeLessThanOrEqual(width)
        expect(textWidth(takeColumns(displayText(text), width))).toBeLessThanOrEqual(width)
      })
    )
  })

  it("keeps both ends of a long name", () => {
    expect(cutMiddle("customer_support_refund_0042", 16)).toBe("customer_s…_0042")
  })

  it("wraps at spaces, breaks words that are too long, and loses nothing else", () => {
    expect(wrapText("one two three", 7)).toEqual(["one two", "three"])
    expect(wrapText("abcdefgh", 3)).toEqual(["abc", "def", "gh"])
    fc.assert(
      fc.property(foreign, fc.integer({ min: 12, max: 40 }), (text, width) => {
        const safe = displayText(text)
        const lines = wrapText(safe, width)
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width)
        expect(lines.join("").replace(/ /g, "")).toBe(safe.replace(/ /g, ""))
      })
    )
  })
})
