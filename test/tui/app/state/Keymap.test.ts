import { actionFor, bindingsIn, type Context, keymap } from "@agent-arena/tui/src/app/state/Keymap.ts"
import { describe, expect, it } from "@effect/vitest"

describe("the keymap", () => {
  it("gives a key one meaning in a context", () => {
    const seen = new Set<string>()
    for (const binding of keymap) {
      for (const context of binding.contexts) {
        for (const key of binding.keys) {
          expect(seen.has(`${context} ${key}`), `${key} twice in ${context}`).toBe(false)
          seen.add(`${context} ${key}`)
        }
      }
    }
  })

  it("prefers the inner context", () => {
    expect(actionFor("r", ["runs", "global"])).toBe("resume")
    expect(actionFor("right", ["cell", "global"])).toBe("nextCell")
    expect(actionFor("right", ["grid", "live", "global"])).toBe("right")
    expect(actionFor("nothing", ["grid", "live", "global"])).toBeNull()
  })

  it("offers each binding once, and none whose keys all mean something else", () => {
    const screens: ReadonlyArray<ReadonlyArray<Context>> = [
      ["grid", "live", "global"],
      ["cell", "global"],
      ["result", "global"],
      ["runs", "global"]
    ]
    for (const contexts of screens) {
      for (const binding of bindingsIn(contexts)) {
        expect(
          binding.keys.some((key) => actionFor(key, contexts) === binding.action),
          binding.title
        ).toBe(true)
      }
    }
  })

  it("names every action", () => {
    for (const { title } of keymap) expect(title.length).toBeGreaterThan(1)
  })
})
