import { wantsColour } from "@agent-arena/tui/src/process/NodeOutput.ts"
import { assert, describe, it } from "@effect/vitest"

const decide = (env: Readonly<Record<string, string>>, isTerminal: boolean, argv: ReadonlyArray<string> = []) =>
  wantsColour({ argv, env, isTerminal })

describe("colour", () => {
  it("is on in terminals that can, and off elsewhere", () => {
    assert.isTrue(decide({ TERM: "xterm-256color" }, true))
    assert.isFalse(decide({ TERM: "dumb" }, true))
    assert.isFalse(decide({ TERM: "xterm" }, false))
  })

  it("obeys NO_COLOR unless it is empty, FORCE_COLOR, and --no-color above all", () => {
    assert.isFalse(decide({ NO_COLOR: "1", FORCE_COLOR: "1" }, true))
    assert.isTrue(decide({ NO_COLOR: "" }, true))
    assert.isTrue(decide({ FORCE_COLOR: "1" }, false))
    assert.isTrue(decide({ FORCE_COLOR: "" }, false))
    assert.isFalse(decide({ FORCE_COLOR: "0" }, true))
    assert.isFalse(decide({ FORCE_COLOR: "1" }, true, ["run", "--no-color"]))
    assert.isTrue(decide({ FORCE_COLOR: "1" }, true, ["run", "--", "--no-color"]))
  })
})
