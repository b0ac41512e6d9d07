/** How roles look: colours for each colour depth, on dark and on light backgrounds, and without any colour. */
import { isBold, isSelected, isUnderlined, type Role, roleOf, type Style } from "./Style.ts"

/** Colours that the terminal can show. `none` keeps bold, underline and reverse only. */
export type ColourDepth = "none" | "16" | "256" | "true"
export type Background = "dark" | "light"

type Rgb = readonly [number, number, number]

interface Look {
  /** SGR foreground code of the 16 colours; 39 = the terminal's own. */
  readonly basic: number
  readonly dark: Rgb | null
  readonly light: Rgb | null
  readonly bold?: true
  readonly dim?: true
}

const looks: Readonly<Record<Role, Look>> = {
  plain: { basic: 39, dark: null, light: null },
  muted: { basic: 90, dark: [148, 156, 168], light: [98, 106, 118], dim: true },
  faint: { basic: 90, dark: [112, 119, 132], light: [122, 129, 140], dim: true },
  strong: { basic: 39, dark: null, light: null, bold: true },
  title: { basic: 36, dark: [126, 190, 255], light: [3, 92, 178], bold: true },
  accent: { basic: 36, dark: [126, 190, 255], light: [3, 92, 178] },
  rule: { basic: 90, dark: [70, 77, 90], light: [196, 201, 210], dim: true },
  key: { basic: 36, dark: [126, 190, 255], light: [3, 92, 178], bold: true },
  pass: { basic: 32, dark: [116, 198, 120], light: [22, 128, 50] },
  partial: { basic: 33, dark: [226, 192, 104], light: [150, 103, 0] },
  fail: { basic: 31, dark: [240, 113, 104], light: [192, 40, 32], bold: true },
  error: { basic: 35, dark: [214, 130, 230], light: [142, 40, 160], bold: true },
  timeout: { basic: 35, dark: [240, 150, 90], light: [172, 84, 0] },
  interrupted: { basic: 33, dark: [178, 160, 120], light: [120, 100, 50] },
  running: { basic: 36, dark: [100, 210, 220], light: [0, 124, 136], bold: true },
  queued: { basic: 90, dark: [96, 103, 116], light: [146, 152, 163], dim: true },
  skipped: { basic: 90, dark: [96, 103, 116], light: [146, 152, 163], dim: true },
  reused: { basic: 34, dark: [140, 160, 220], light: [60, 84, 160] },
  unscored: { basic: 34, dark: [140, 160, 220], light: [60, 84, 160] },
  info: { basic: 39, dark: null, light: null },
  warning: { basic: 33, dark: [226, 192, 104], light: [150, 103, 0] },
  bar: { basic: 36, dark: [126, 190, 255], light: [3, 92, 178] },
  floor: { basic: 33, dark: [226, 192, 104], light: [150, 103, 0] },
  added: { basic: 32, dark: [116, 198, 120], light: [22, 128, 50] },
  removed: { basic: 31, dark: [240, 113, 104], light: [192, 40, 32] }
}

const selection: Readonly<Record<Background, Rgb>> = { dark: [45, 54, 72], light: [219, 230, 246] }

const cubeLevel = (channel: number): number => (channel < 48 ? 0 : channel < 115 ? 1 : Math.floor((channel - 35) / 40))

/** Nearest entry of the 256-colour palette: its grey ramp for greys, else its 6×6×6 cube. */
const paletteIndex = ([r, g, b]: Rgb): number => {
  if (Math.max(r, g, b) - Math.min(r, g, b) < 24) {
    const grey = (r + g + b) / 3
    return Math.max(232, Math.min(255, Math.round((grey - 8) / 10) + 232))
  }
  return 16 + 36 * cubeLevel(r) + 6 * cubeLevel(g) + cubeLevel(b)
}

const colourCodes = (depth: ColourDepth, target: 38 | 48, rgb: Rgb | null, basic: number): ReadonlyArray<number> => {
  if (depth === "16") return basic === 39 ? [] : [basic]
  if (rgb === null || depth === "none") return []
  return depth === "true" ? [target, 2, ...rgb] : [target, 5, paletteIndex(rgb)]
}

const codes = (style: Style, depth: ColourDepth, background: Background): ReadonlyArray<number> => {
  const look = looks[roleOf(style)]
  const out: Array<number> = []
  if (look.bold === true || isBold(style)) out.push(1)
  if (depth === "none" && look.dim === true) out.push(2)
  if (isUnderlined(style)) out.push(4)
  out.push(...colourCodes(depth, 38, look[background], look.basic))
  if (isSelected(style)) {
    if (depth === "none" || depth === "16") out.push(7)
    else out.push(...colourCodes(depth, 48, selection[background], 39))
  }
  return out
}

/** Turns styles into SGR sequences of one terminal. */
export interface Theme {
  readonly depth: ColourDepth
  /** The sequence that sets exactly this style, starting from a reset. */
  readonly sgr: (style: Style) => string
}

export const makeTheme = (depth: ColourDepth, background: Background): Theme => {
  const cache = new Map<Style, string>()
  return {
    depth,
    sgr: (style) => {
      const known = cache.get(style)
      if (known !== undefined) return known
      const made = `\u001b[${["0", ...codes(style, depth, background)].join(";")}m`
      cache.set(style, made)
      return made
    }
  }
}
