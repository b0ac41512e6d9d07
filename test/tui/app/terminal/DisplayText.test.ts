import { displayLines, displayText } from "@agent-arena/tui/src/app/terminal/DisplayText.ts"
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { hostile } from "../simulation/Texts.ts"

/** Anything that could move the cursor, change direction or hide. */
const dangerous = /\p{Cc}|[\u202a-\u202e\u2066-\u2069\u200b-\u200f\ufeff]|\p{Variation_Selector}/u

const foreign = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...hostile))

describe("foreign text on the screen", () => {
  it("cannot control the terminal", () => {
    fc.assert(
      fc.property(foreign, (text) => {
        expect(displayText(text)).not.toMatch(dangerous)
        expect(displayLines(text).replaceAll("\n", "")).not.toMatch(dangerous)
        expect(displayText(text).isWellFormed()).toBe(true)
      }),
      { numRuns: 500 }
    )
  })

  it("is the same when it is made safe twice", () => {
    fc.assert(
      fc.property(foreign, (text) => {
        expect(displayText(displayText(text))).toBe(displayText(text))
      }),
      { numRuns: 500 }
    )
  })

  it("keeps what can be read", () => {
    expect(displayText("résumé 日本語 مرحبا")).toBe("résumé 日本語 مرحبا")
    expect(displayText("\u001b[31mred\u001b[0m")).toBe("red")
    expect(displayText("two\nlines")).toBe("two⏎lines")
    expect(displayLines("two\r\nlines\tx")).toBe("two\nlines  x")
  })

  it("takes emoji sequences apart, because terminals disagree about their width", () => {
    expect(displayText("👩‍👩‍👧")).toBe("👩👩👧")
    expect(displayText("👍🏽")).toBe("👍")
    expect(displayText("🇩🇪")).toBe("DE")
  })
})
