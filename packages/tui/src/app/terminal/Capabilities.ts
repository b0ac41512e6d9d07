/** What the terminal can show, read once at the start from its environment. */
import type { Background, ColourDepth } from "./Theme.ts"

type Environment = Readonly<Record<string, string | undefined>>

export interface Capabilities {
  readonly depth: ColourDepth
  readonly background: Background
  /** Only printable ASCII may be written. */
  readonly ascii: boolean
  /** Text is read aloud: no full screen, no grid, sentences instead. */
  readonly screenReader: boolean
}

const forced: Readonly<Record<string, ColourDepth>> = { "0": "none", false: "none", "1": "16", "2": "256", "3": "true" }

/** `NO_COLOR` wins, then `FORCE_COLOR`, then `COLORTERM` and `TERM`. */
export const colourDepth = (env: Environment): ColourDepth => {
  if ((env["NO_COLOR"] ?? "") !== "") return "none"
  const force = env["FORCE_COLOR"]
  if (force !== undefined) return forced[force] ?? "16"
  const term = env["TERM"] ?? ""
  if (term === "dumb" || term === "") return "none"
  if (/truecolor|24bit/i.test(env["COLORTERM"] ?? "") || /direct|kitty|ghostty|alacritty/.test(term)) return "true"
  return /256/.test(term) ? "256" : "16"
}

/** From `COLORFGBG` (`foreground;background`), which terminals with a light background set; else dark. */
export const background = (env: Environment): Background => {
  const last = (env["COLORFGBG"] ?? "").split(";").at(-1) ?? ""
  return last === "7" || Number(last) > 8 ? "light" : "dark"
}

/** Whether the locale cannot carry anything but ASCII. */
export const isAsciiLocale = (env: Environment): boolean => {
  const locale = [env["LC_ALL"], env["LC_CTYPE"], env["LANG"]].find((value) => (value ?? "") !== "") ?? ""
  return env["TERM"] === "linux" || (locale !== "" && !/utf-?8/i.test(locale))
}

export const capabilities = (
  env: Environment,
  wanted: { readonly ascii?: boolean; readonly background?: Background }
): Capabilities => ({
  depth: colourDepth(env),
  background: wanted.background ?? background(env),
  ascii: wanted.ascii === true || isAsciiLocale(env),
  screenReader: env["INK_SCREEN_READER"] === "true"
})
