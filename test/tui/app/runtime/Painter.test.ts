import { enterPainting, leavePainting, makePainter } from "@agent-arena/tui/src/app/runtime/Painter.ts"
import { fitBlock, fitLine, type Line, lineText, segment } from "@agent-arena/tui/src/app/terminal/Line.ts"
import { roles } from "@agent-arena/tui/src/app/terminal/Style.ts"
import { makeTheme } from "@agent-arena/tui/src/app/terminal/Theme.ts"
import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { hostile } from "../simulation/Texts.ts"
import { makeVirtualTerminal } from "../VirtualTerminal.ts"

const width = 30
const height = 6

const piece = fc
  .record({
    text: fc.oneof(fc.constantFrom("✓", "✗✗", "abc", " ", "", "─────", "日本"), fc.constantFrom(...hostile)),
    role: fc.constantFrom(...roles)
  })
  .map(({ text, role }) => segment(text, role))
const anyLine: fc.Arbitrary<Line> = fc.array(piece, { maxLength: 5 }).map((pieces) => fitLine(pieces, width))
const anyFrame = fc.array(anyLine, { minLength: height, maxLength: height })

/** What a terminal shows after these bytes. */
const painted = async (bytes: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const terminal = makeVirtualTerminal(width, height)
  for (const chunk of bytes) terminal.stdout.write(chunk)
  await terminal.settled()
  return terminal.rows()
}

// Built from a string because a literal would hold control characters.
const escape = String.fromCharCode(27)
const colourSequence = new RegExp(`${escape}\\[[\\d;]*(?:3[0-8]|4[0-8]|9\\d)[;m]`)
const onlyAscii = new RegExp(`^[${escape} -~]*$`)

describe("painting", () => {
  it.each(["none", "16", "256", "true"] as const)(
    "shows each frame as it is, whatever stood there before (%s colours)",
    async (depth) => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyFrame, { minLength: 1, maxLength: 4 }), async (frames) => {
          const painter = makePainter(makeTheme(depth, "dark"), false)
          const bytes = frames.map((lines) => painter.paint(lines, width))
          const rows = await painted([enterPainting, ...bytes])
          const last = frames.at(-1) ?? []
          expect(rows).toEqual(last.map((line) => lineText(line).trimEnd()))
        }),
        { numRuns: 40 }
      )
    }
  )

  it("writes nothing for the same frame, and little for a small change", () => {
    const painter = makePainter(makeTheme("256", "dark"), false)
    const before = fitBlock(
      Array.from({ length: 50 }, (_, row) => [segment(`case-${row} `), segment("✓✓✓", "pass")]),
      200,
      50
    )
    expect(painter.paint(before, 200).length).toBeGreaterThan(2000)
    expect(painter.paint([...before], 200)).toBe("")
    const after = before.map((line, row) =>
      row === 7 ? fitLine([segment("case-7 "), segment("✗", "fail")], 200) : line
    )
    expect(painter.paint(after, 200).length).toBeLessThan(300)
    painter.forget()
    expect(painter.paint(after, 200).length).toBeGreaterThan(2000)
  })

  it("uses no colour where there must be none", () => {
    const painter = makePainter(makeTheme("none", "dark"), false)
    const bytes = painter.paint(fitBlock([roles.map((role) => segment("x", role))], width, 1), width)
    expect(bytes).not.toMatch(colourSequence)
  })

  it("writes nothing but ASCII and sequences in ASCII mode", () => {
    const painter = makePainter(makeTheme("16", "dark"), true)
    const lines = fitBlock(
      hostile.map((text) => [segment(`✓ ${text} ├──●──┤`)]),
      60,
      hostile.length
    )
    expect(painter.paint(lines, 60)).toMatch(onlyAscii)
  })

  it("leaves an empty screen", async () => {
    const painter = makePainter(makeTheme("16", "dark"), false)
    const bytes = painter.paint(fitBlock([[segment("something")]], width, height), width)
    expect((await painted([bytes, leavePainting])).join("").trim()).toBe("")
  })
})
