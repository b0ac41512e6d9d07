import { sanitise, sanitiseLine } from "@agent-arena/core/report/Sanitise"
import { assert, describe, it } from "@effect/vitest"
import xterm from "@xterm/headless"
import * as fc from "fast-check"
import { hostileText } from "./hostile.ts"

/** What a real terminal emulator makes of a text. */
const show = async (text: string) => {
  const terminal = new xterm.Terminal({ cols: 400, rows: 4, allowProposedApi: true })
  const events: Array<string> = []
  terminal.onTitleChange((title) => events.push(`title ${title}`))
  terminal.onBell(() => events.push("bell"))
  terminal.onData((data) => events.push(`reply ${data}`))
  await new Promise<void>((resolve) => terminal.write(text, resolve))
  const line = terminal.buffer.active.getLine(0)
  const coloured = Array.from({ length: terminal.cols }, (_, x) => line?.getCell(x)).filter(
    (cell) => cell !== undefined && !cell.isAttributeDefault()
  ).length
  return { events, coloured, row: terminal.buffer.active.cursorY, text: line?.translateToString(true) ?? "" }
}

describe("Sanitise", () => {
  it("leaves ordinary text of any script alone", () => {
    const text = "Grüße, 漢字, 👩‍👩‍👧, e\u0301, العربية\n\tsecond line"
    assert.strictEqual(sanitise(text), text)
  })

  it("removes escape sequences with what belongs to them, and keeps the words around them", () => {
    assert.strictEqual(sanitise("a\u001b[31mred\u001b[0m\u001b]0;title\u0007b\u009b2Jc"), "aredbc")
  })

  it("keeps the text after a sequence that is never terminated", () => {
    assert.strictEqual(
      sanitise("\u001b]8;;https://example.org and the answer"),
      "8;;https://example.org and the answer"
    )
  })

  it("makes one line of several", () => {
    assert.strictEqual(sanitiseLine("  a\r\n\tb\u2028c\rd "), "a b c d")
  })

  it("takes linear time on a text that is nothing but introducers", () => {
    const started = performance.now()
    sanitise("\u001b]\u009d".repeat(200_000))
    assert.isBelow(performance.now() - started, 2_000)
  })

  it("is idempotent", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        assert.strictEqual(sanitise(sanitise(text)), sanitise(text))
      })
    )
  })

  it("leaves nothing that a terminal acts on", async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, async (text) => {
        const line = sanitiseLine(text)
        const seen = await show(line)
        assert.deepStrictEqual(seen.events, [])
        assert.strictEqual(seen.coloured, 0)
        assert.strictEqual(seen.row, 0)
        assert.notMatch(line, /\p{Cc}|\p{Bidi_Control}/u)
      }),
      { numRuns: 150 }
    )
  })
})
