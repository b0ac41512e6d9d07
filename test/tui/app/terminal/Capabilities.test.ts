import { background, capabilities, colourDepth, isAsciiLocale } from "@agent-arena/tui/src/app/terminal/Capabilities.ts"
import { describe, expect, it } from "@effect/vitest"

describe("what the terminal can show", () => {
  it("is read from the environment, NO_COLOR first", () => {
    expect(colourDepth({ TERM: "xterm-256color", COLORTERM: "truecolor", NO_COLOR: "1" })).toBe("none")
    expect(colourDepth({ TERM: "xterm-256color", NO_COLOR: "" })).toBe("256")
    expect(colourDepth({ TERM: "xterm-256color", COLORTERM: "truecolor" })).toBe("true")
    expect(colourDepth({ TERM: "xterm" })).toBe("16")
    expect(colourDepth({ TERM: "dumb" })).toBe("none")
    expect(colourDepth({})).toBe("none")
    expect(colourDepth({ TERM: "xterm", FORCE_COLOR: "3" })).toBe("true")
  })

  it("knows a light background where the terminal tells it", () => {
    expect(background({ COLORFGBG: "0;15" })).toBe("light")
    expect(background({ COLORFGBG: "15;0" })).toBe("dark")
    expect(background({})).toBe("dark")
    expect(capabilities({ COLORFGBG: "0;15" }, { background: "dark" }).background).toBe("dark")
  })

  it("falls back to ASCII where the locale has nothing else", () => {
    expect(isAsciiLocale({ LANG: "C" })).toBe(true)
    expect(isAsciiLocale({ LANG: "de_DE.UTF-8" })).toBe(false)
    expect(isAsciiLocale({ LANG: "de_DE.UTF-8", LC_ALL: "POSIX" })).toBe(true)
    expect(isAsciiLocale({})).toBe(false)
    expect(capabilities({ LANG: "en_US.UTF-8" }, { ascii: true }).ascii).toBe(true)
  })
})
