import {
  initialSignalState,
  onSignal,
  type SignalAction,
  type SignalName,
  type SignalState
} from "@agent-arena/tui/src/process/Signals.ts"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

const play = (names: ReadonlyArray<SignalName>) => {
  let state: SignalState = initialSignalState
  const actions: Array<SignalAction> = []
  for (const name of names) {
    const [next, action] = onSignal(state, name)
    state = next
    actions.push(action)
  }
  return { state, actions }
}

describe("the policy for signals", () => {
  it("stops at the first Ctrl-C, interrupts at the second, leaves at the third", () => {
    assert.deepStrictEqual(play(["SIGINT", "SIGINT", "SIGINT"]).actions, ["stop", "interrupt", "exit"])
  })

  it("stops at TERM or HUP, and a second changes nothing", () => {
    assert.deepStrictEqual(play(["SIGTERM", "SIGTERM", "SIGHUP"]).actions, ["stop", "ignore", "ignore"])
    assert.deepStrictEqual(play(["SIGHUP", "SIGTERM"]).actions, ["stop", "ignore"])
  })

  it("shortens the drain of a Ctrl-C when TERM follows, once", () => {
    assert.deepStrictEqual(play(["SIGINT", "SIGTERM", "SIGTERM"]).actions, ["stop", "hurry", "ignore"])
  })

  it("lets a person end sooner what TERM has begun", () => {
    assert.deepStrictEqual(play(["SIGTERM", "SIGINT", "SIGINT"]).actions, ["stop", "interrupt", "exit"])
  })

  it("always begins gracefully, remembers the first signal, and leaves at once only for a third Ctrl-C or a later one", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom<SignalName>("SIGINT", "SIGTERM", "SIGHUP"), { minLength: 1 }), (names) => {
        const { actions, state } = play(names)
        assert.strictEqual(actions[0], "stop")
        assert.strictEqual(state.first, names[0])
        const exit = actions.indexOf("exit")
        if (exit >= 0) assert.isAtLeast(names.slice(0, exit + 1).filter((name) => name === "SIGINT").length, 2)
        assert.isAtMost(actions.filter((action) => action === "interrupt").length, 1)
      })
    )
  })
})
