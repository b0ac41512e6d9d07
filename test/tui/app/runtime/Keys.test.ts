import { keyNames } from "@agent-arena/tui/src/app/runtime/Keys.ts"
import { describe, expect, it } from "@effect/vitest"
import type { Key } from "ink"

const none: Key = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
  super: false,
  hyper: false,
  capsLock: false,
  numLock: false
}

describe("names of keys", () => {
  it("come one by one from what was typed fast, control keys among it", () => {
    expect(keyNames("/\u0015ab c\r", none)).toEqual(["/", "ctrl+u", "a", "b", "space", "c", "enter"])
    expect(keyNames("q\u0003", none)).toEqual(["q", "ctrl+c"])
  })

  it("are those of the keymap for keys with a name", () => {
    expect(keyNames("", { ...none, pageDown: true })).toEqual(["pagedown"])
    expect(keyNames("p", { ...none, ctrl: true })).toEqual(["ctrl+p"])
    expect(keyNames("", { ...none, tab: true, shift: true })).toEqual(["shift+tab"])
  })
})
