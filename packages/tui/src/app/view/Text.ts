/** Small pieces that several views are built from. */
import { fitLine, type Line, lineWidth, type Segment, segment } from "../terminal/Line.ts"
import type { Role } from "../terminal/Style.ts"

/** A pane's title: its name, what it shows, a rule to the end. The focused pane's name stands out. */
export const paneTitle = (name: string, detail: string, width: number, focused: boolean): Line => {
  const rule: Role = focused ? "accent" : "rule"
  const head = [segment("─ ", rule), segment(name, focused ? "title" : "strong")]
  const more = detail === "" ? [] : [segment(` ${detail}`, "muted")]
  const start = [...head, ...more, segment(" ", rule)]
  const left = width - lineWidth(start)
  return left > 0 ? [...start, segment("─".repeat(left), rule)] : fitLine(start, width)
}

const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

/** A bar of a share 0..1, exact to an eighth of a column. */
export const bar = (share: number, width: number, role: Role): ReadonlyArray<Segment> => {
  const units = Math.round(Math.max(0, Math.min(1, share)) * width * 8)
  const whole = Math.floor(units / 8)
  const rest = eighths[units % 8] ?? ""
  const used = whole + (rest === "" ? 0 : 1)
  return [segment("█".repeat(whole) + rest, role), segment("░".repeat(Math.max(0, width - used)), "faint")]
}

/** Pieces with a separator between them; empty ones leave no gap. */
export const joined = (pieces: ReadonlyArray<Line>, separator: Segment): Line => {
  const out: Array<Segment> = []
  for (const piece of pieces) {
    if (piece.length === 0) continue
    if (out.length > 0) out.push(separator)
    out.push(...piece)
  }
  return out
}

/** First index of a window of `height` that keeps `at` visible and moves as little as possible. */
export const scrollTo = (top: number, at: number, height: number, total: number): number => {
  const visible = Math.max(1, height)
  const wanted = at < top ? at : at >= top + visible ? at - visible + 1 : top
  return Math.max(0, Math.min(wanted, total - visible))
}
