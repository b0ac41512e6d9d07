import { wrapHelp } from "@agent-arena/tui/src/process/HelpText.ts"
import { assert, describe, it } from "@effect/vitest"

const page = [
  "FLAGS",
  "  --cache [=PATH]    Answer from the response cache what was asked before",
  "  --yes, -y          Do not ask",
  "",
  "A sentence that is longer than the terminal is wide."
].join("\n")

describe("help pages", () => {
  it("break between words, descriptions under descriptions", () => {
    assert.strictEqual(
      wrapHelp(page, 40),
      [
        "FLAGS",
        "  --cache [=PATH]    Answer from the",
        "                     response cache what",
        "                     was asked before",
        "  --yes, -y          Do not ask",
        "",
        "A sentence that is longer than the",
        "terminal is wide."
      ].join("\n")
    )
  })

  it("give descriptions a margin of their own when the names leave no room beside them", () => {
    const line = "  --completions <bash|zsh|fish>    Print the script"
    assert.strictEqual(wrapHelp(line, 40), "  --completions <bash|zsh|fish>    Print\n        the script")
  })

  it("do not count styling as columns", () => {
    const styled = "  \u001b[32m--yes\u001b[0m    Do not ask, whatever it costs"
    assert.strictEqual(wrapHelp(styled, 40), styled)
    assert.strictEqual(wrapHelp(styled, 30), "  \u001b[32m--yes\u001b[0m    Do not ask,\n           whatever it costs")
  })

  it("stay as they are without a terminal", () => {
    assert.strictEqual(wrapHelp(page, null), page)
  })
})
