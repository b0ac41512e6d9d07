import { fitLine, type Line, lineText, segment } from "@agent-arena/tui/src/app/terminal/Line.ts"
import { roles } from "@agent-arena/tui/src/app/terminal/Style.ts"
import { makeTheme } from "@agent-arena/tui/src/app/terminal/Theme.ts"
import { clearInline, makeInlinePainter } from "@agent-arena/tui/src/progress/InlinePainter.ts"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { hostile } from "../app/simulation/Texts.ts"
import { makeVirtualTerminal } from "../app/VirtualTerminal.ts"

const columns = 40
const rows = 12

const piece = fc
  .record({
    text: fc.oneof(fc.constantFrom("✓", "█▒░", "abc", " ", "日本"), fc.constantFrom(...hostile)),
    role: fc.constantFrom(...roles)
  })
  .map(({ role, text }) => segment(text, role))
const anyLine: fc.Arbitrary<Line> = fc
  .array(piece, { minLength: 1, maxLength: 5 })
  .map((pieces) => fitLine([segment("> "), ...pieces], columns - 1))
const anyStep = fc.record({
  remarks: fc.array(fc.constantFrom("first remark", "second", "third one"), { maxLength: 2 }),
  lines: fc.array(anyLine, { minLength: 1, maxLength: 8 })
})

const painter = (depth: "none" | "16" | "256" | "true" = "256", ascii = false) =>
  makeInlinePainter(makeTheme(depth, "dark"), ascii)

describe("painting in place", () => {
  it("shows the frame under all remarks, and afterwards nothing but those, in the scrollback, too", async () => {
    const step = fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 8 }), async (steps) => {
      const terminal = makeVirtualTerminal(columns, rows)
      const before = ["$ arena run", "something earlier"]
      terminal.stdout.write(`${before.join("\r\n")}\r\n`)
      const paint = painter()
      const above = [...before]
      for (const { lines, remarks } of steps) {
        terminal.stdout.write(paint.paint(remarks, lines))
        above.push(...remarks)
        await terminal.settled()
        const everything = terminal.everything()
        assert.deepStrictEqual(everything, [...above, ...lines.map((line) => lineText(line).trimEnd())])
      }
      terminal.stdout.write(`${clearInline}the result`)
      await terminal.settled()
      assert.deepStrictEqual(terminal.everything(), [...above, "the result"])
    })
    await fc.assert(step, { numRuns: 60 })
  })

  it("keeps the cursor where everything below is its own, so that a change of size is repaired", async () => {
    const terminal = makeVirtualTerminal(60, 24)
    const paint = painter()
    const lines = (width: number) => Array.from({ length: 5 }, (_, row) => fitLine([segment(`row ${row}`)], width - 1))
    terminal.stdout.write("before\r\n")
    terminal.stdout.write(paint.paint([], lines(60)))
    await terminal.settled()
    for (const [width, height] of [
      [100, 20],
      [100, 10],
      [120, 30]
    ] as const) {
      terminal.resize(width, height)
      terminal.stdout.write(paint.paint(["remark"], lines(width)))
      await terminal.settled()
    }
    assert.deepStrictEqual(terminal.everything(), [
      "before",
      "remark",
      "remark",
      "remark",
      "row 0",
      "row 1",
      "row 2",
      "row 3",
      "row 4"
    ])
  })

  it("writes nothing when nothing has changed, and one synchronised update when something has", () => {
    const paint = painter()
    const lines = [[segment(" 1/2", "strong")]]
    const first = paint.paint([], lines)
    assert.isTrue(first.startsWith("\u001b[?2026h") && first.endsWith("\u001b[?2026l"))
    assert.strictEqual(paint.paint([], [[segment(" 1/2", "strong")]]), "")
    assert.notStrictEqual(paint.paint(["a remark"], lines), "")
  })

  it("uses no colour where there must be none, and nothing but ASCII where there is nothing else", () => {
    const lines = [roles.map((role) => segment("✓█…日", role))]
    const colour = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*(?:3[0-8]|4[0-8]|9\\d)[;m]`)
    assert.notMatch(painter("none").paint([], lines), colour)
    assert.match(painter("16").paint([], lines), colour)
    assert.match(painter("256", true).paint([], lines), new RegExp(`^[${String.fromCharCode(27)}\\r\\n -~]*$`))
  })
})
